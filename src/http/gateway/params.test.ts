import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../test/support/cpu-time.ts';
import { readParams } from './params.ts';

describe('parameters of a call', () => {
  const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
  const kinds = [
    { type: 'application/x-www-form-urlencoded', field: 'a&', end: 'a=1' },
    { type: 'multipart/form-data; boundary="x"', field: part, end: `${part}--x--\r\n` },
  ];

  it.each(kinds)('may be many in $type', async ({ type, field, end }) => {
    expect(await readParams('', type, Buffer.from(field.repeat(900) + end))).toEqual({ a: '1' });
  });

  it.each(kinds)('are refused in little time if too many are in $type', async (kind) => {
    const body = Buffer.from(kind.field.repeat(1_048_000 / kind.field.length) + kind.end);
    const from = cpuMs();
    await expect(readParams('', kind.type, body)).rejects.toMatchObject({
      envelope: { status: 400 },
    });
    expect(cpuMs() - from).toBeLessThan(200);
  });
});
