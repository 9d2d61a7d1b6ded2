import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createBackendCertificates } from '../../src/relay/alerts/backend-certificates.ts';
import { certificateEnd } from '../../src/telegram/certificate-end.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { forLoopback } from '../support/self-signed.ts';

const endsAt = Date.parse('2120-01-01T00:00:00Z');
const dayMs = 24 * 3_600_000;

it('asks a backend when its certificate ends, and warns two weeks before', async () => {
  const { certificate: cert, key } = forLoopback;
  const server = createServer({ cert, key }, (_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const backend_url = `https://127.0.0.1:${port}/updates`;
  const policy = { mode: 'private-ok' as const, allow: [] };
  expect(await certificateEnd(backend_url, policy)).toBe(endsAt);
  expect(await certificateEnd('https://127.0.0.1:9/updates', policy)).toBeUndefined();

  const clock = createManualClock(endsAt - 14.5 * dayMs);
  const look = createBackendCertificates({
    clock,
    store: {
      bots: { list: async () => [{ id: 7, disabled: false, proxy_enabled: true, backend_url }] },
      apps: { list: async () => [] },
      alertConditions: { botsWithBackendApps: async () => [], openOf: async () => [] },
    } as never,
    endOf: (address) => certificateEnd(address, policy),
  });
  const host = `127.0.0.1:${port}`;
  expect(await look()).toEqual([]);
  await clock.advance(dayMs);
  await vi.waitFor(async () => expect(await look()).toEqual([{ botId: 7, host, days: 13 }]));
  await clock.advance(14 * dayMs);
  expect(await look()).toEqual([{ botId: 7, host, days: -1 }]);
});
