import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFields } from '../../../sandbox/src/http/fields.ts';

test('what a form carries arrives byte for byte', async () => {
  const name = fc
    .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
    .filter((text) => !/[\r\n\\%]/.test(text));
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.stringMatching(/^[a-z_]{1,10}$/), fc.string({ maxLength: 200 })),
      fc.array(fc.record({ name, bytes: fc.uint8Array({ maxLength: 500 }) }), { maxLength: 3 }),
      async (texts, files) => {
        const form = new FormData();
        for (const [key, value] of Object.entries(texts)) form.set(key, value);
        for (const [index, file] of files.entries())
          form.set(`file${index}`, new Blob([file.bytes.slice()]), file.name);
        const response = new Response(form);
        const body = Buffer.from(await response.arrayBuffer());
        const fields = readFields('', response.headers.get('content-type') ?? '', body);
        for (const [key, value] of Object.entries(texts)) {
          // Forms write every line end as CRLF.
          expect(fields.values[key]).toBe(value.replace(/\r\n|\r|\n/g, '\r\n'));
        }
        for (const [index, file] of files.entries()) {
          const upload = fields.uploads.get(`file${index}`);
          expect(upload?.bytes.equals(Buffer.from(file.bytes))).toBe(true);
          expect(upload?.name).toBe(file.name);
        }
      },
    ),
    { numRuns: 100 },
  );
});

test('a broken form is an empty one', () => {
  const type = 'multipart/form-data; boundary=x';
  for (const body of [
    '',
    '--x',
    '--x\r\n\r\n',
    'nothing',
    '--x\r\nContent-Disposition: form-data\r\n\r\nv\r\n--x--',
    `--x\r\nContent-Disposition: form-data; name=a; filename*=UTF-8''%E0%A4%A\r\n\r\nv\r\n--x--`,
  ]) {
    expect(readFields('', type, Buffer.from(body)).values).toEqual({});
  }
  expect(readFields('', 'multipart/form-data', Buffer.from('--x')).values).toEqual({});
});

test('beside files, no more than a mebibyte', () => {
  const long = 'x'.repeat(1024 * 1024);
  const part = (name: string) =>
    `--x\r\nContent-Disposition: form-data; name=${name}\r\n\r\n${long}\r\n`;
  const read = (type: string, body: string) => () => readFields('', type, Buffer.from(body));
  const refusal = 'Request Entity Too Large: too much parameters';
  const form = 'multipart/form-data; boundary=x';
  expect(read(form, `${part('a; filename=a')}${part('b')}--x--`)).not.toThrow();
  expect(read(form, `${part('a')}${part('b')}--x--`)).toThrow(refusal);
  expect(read('application/json', JSON.stringify({ text: long }))).toThrow(refusal);
  expect(read('application/x-www-form-urlencoded', `text=${long}`)).toThrow(refusal);
});
