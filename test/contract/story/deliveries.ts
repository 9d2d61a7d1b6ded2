import type { Teller } from './teller.ts';
import type { World } from './bots.ts';

/**
 * The backend fails on two updates once, on the retries of one when `fail` is called for its sender,
 * until `mend` is. Then the readers of the log.
 */
export async function deliver(
  teller: Teller,
  world: World,
  { fail, mend }: { fail(sender: 'anna' | 'ben'): void; mend(): void },
): Promise<void> {
  const { show, showWhen, hidden, until } = teller;
  const { bot_id, billingId } = world;
  const ofBot = { query: { bot_id } };
  const latest = { query: { bot_id, limit: 1 } };
  await showWhen<unknown[]>('GET /api/deliveries', latest, ({ length }) => length > 0);
  for (const user of ['anna', 'ben']) {
    await hidden('POST /api/sandbox/say', {
      body: { user, chat: 'support_bot', text: 'And where is order 1187?' },
    });
  }
  await showWhen<{ retry_queues: { attempts: number }[] }>(
    'GET /api/deliveries/queues',
    ofBot,
    ({ retry_queues }) =>
      retry_queues.length === 2 && retry_queues.every(({ attempts }) => attempts > 0),
  );
  await show('GET /api/backends', ofBot);
  await show('GET /api/deliveries/updates', { query: { bot_id, q: 'order', limit: 1 } });
  await show('POST /api/deliveries/retry-now', ofBot);
  // One after the other, so that the example has the same update first every time.
  fail('anna');
  await until(
    () => hidden<unknown[]>('GET /api/deliveries/dead', ofBot),
    ({ length }) => length > 0,
  );
  fail('ben');
  const dead = await showWhen<{ id: number; position: number }[]>(
    'GET /api/deliveries/dead',
    ofBot,
    ({ length }) => length > 1,
  );
  await show('GET /api/attention');
  mend();
  await show('GET /api/deliveries/update', { query: { bot_id, position: dead[0]?.position ?? 1 } });
  const [first, second] = dead.map(({ id }) => id);
  await show('POST /api/deliveries/replay', { body: { bot_id, ids: [first] } });
  await show('POST /api/deliveries/discard', { body: { bot_id, ids: [second] } });

  await show('GET /api/updates/log', { query: { bot_id, limit: 1 } });
  await hidden('POST /api/sandbox/say', {
    body: { user: 'anna', chat: 'billing_team_bot', text: 'Please send me an invoice' },
  });
  const poll = { bot_id: billingId, consumer: 'analytics', timeout: 30 };
  await show('GET /api/updates/poll', { query: poll });
  await show('GET /api/bots/readers', { query: { bot_id: billingId } });
  await show('POST /api/bots/readers/rewind', {
    body: { bot_id: billingId, reader: 'pull:analytics', to: 'end' },
  });
  await show('POST /api/bots/readers/remove', {
    query: { bot_id: billingId, consumer: 'analytics' },
  });
}
