import { expect, it } from 'vitest';
import { createAlertWatch } from '../../../src/relay/alerts/alert-watch.ts';
import { createBackendCertificates } from '../../../src/relay/alerts/backend-certificates.ts';
import { alertChannelRig } from '../../support/rigs/alert-channel-rig.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const rig = alertChannelRig('sqlite');
const dayMs = 24 * 3_600_000;

it('renews its lead in time, however long a look takes', async () => {
  const clock = createManualClock(1);
  const renewedAt: number[] = [];
  const watch = createAlertWatch({
    clock,
    log: { settle: async () => [], removeResolved: async () => {} },
    async conditions() {
      await clock.sleep(3_000);
      return [];
    },
    sender: { round: async () => false },
    async lead() {
      renewedAt.push(clock.now());
      return true;
    },
    node: () => 'a',
    publish() {},
    onError() {},
  });
  const ending = new AbortController();
  const ended = watch.run(ending.signal);
  while (clock.now() <= 300_000) await clock.advance(1_000);
  ending.abort(new Error('over'));
  await ended;
  const gaps = renewedAt.slice(1).map((at, index) => at - (renewedAt[index] ?? 0));
  expect(gaps.length).toBeGreaterThan(20);
  expect(Math.max(...gaps)).toBeLessThan(15_000);
});

it('does not resolve a certificate that ends because the service started again', async () => {
  const clock = rig.clock();
  const bot = await rig.addBot();
  const where = `where id = ${bot}`;
  await rig.run(`update bots set proxy_enabled = 1, backend_url = 'https://b.example/x' ${where}`);
  async function start(endOf: () => Promise<number | undefined>) {
    const certificates = createBackendCertificates({ clock, store: rig.store(), endOf });
    const look = async () => {
      const found = (await certificates()).map(({ botId, host, days }) => {
        const params = { host, days };
        return { kind: 'certificate_expiring' as const, botId, subject: host, params };
      });
      return rig.store().alertLog.settle(found, clock.now());
    };
    const first = await look();
    // The answer comes after the look that asked.
    await Promise.resolve();
    return [...first, ...(await look())].map(({ type }) => type);
  }
  const endsIn = (days: number) => async () => clock.now() + days * dayMs + 1;
  expect(await start(endsIn(5))).toEqual(['alert.opened']);
  expect(await start(endsIn(5))).toEqual([]);
  // Nor because it cannot be asked.
  expect(await start(async () => undefined)).toEqual([]);
  expect(await start(endsIn(90))).toEqual(['alert.resolved']);
});
