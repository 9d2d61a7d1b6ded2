import { alertAuthor } from '../../../src/core/messages/author.ts';
import { everyPrivateChat } from '../../../src/core/messages/broadcast.ts';
import { createLeaseRepository, type HeldLease } from '../../../src/store/cluster/leases.ts';
import { type Engine, raw } from '../../../src/store/engine.ts';
import { createBroadcastSteps } from '../../../src/store/outbox/broadcast-steps.ts';
import { createBroadcastRepository } from '../../../src/store/outbox/broadcasts.ts';

const options = {
  opt_out_button: '',
  opt_out_word: '',
  opt_out_reply: '',
  stop_at_blocked_percent: 0,
  allow_paid_broadcast: false,
};

/** Adds two: one that has listed its two recipients and paused, and one that was just started. */
export async function startBroadcasts(engine: Engine, botId: number): Promise<number[]> {
  const broadcasts = createBroadcastRepository(engine);
  await engine.write(function* () {
    for (const chat of [6, 7]) {
      yield* raw(
        `insert into chats (bot_id, chat_id, type, updated_at) values ($1, $2, 'private', 1)`,
        [botId, chat],
      );
    }
  });
  const lease = await createLeaseRepository(engine).takeOne('one', [], botId);
  const { epoch: leaseEpoch } = lease as HeldLease;
  const ids: number[] = [];
  for (const name of ['listed', 'just started']) {
    const message = { request: {}, method: 'sendMessage', params: { text: name } };
    const rest = { audience: everyPrivateChat, options, author: alertAuthor, recipients: 2 };
    const id = await broadcasts.add({ botId, name, message, ...rest }, 1);
    ids.push(id);
    await broadcasts.run(id, ['draft'], 1);
    if (name !== 'listed') continue;
    await createBroadcastSteps(engine).addAudience({ id, botId, leaseEpoch }, 1);
    await broadcasts.halt(id, 'paused', 1);
  }
  return ids;
}
