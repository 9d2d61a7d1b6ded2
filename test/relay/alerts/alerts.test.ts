import { describe, expect, it } from 'vitest';
import { localCaller } from '../../../src/core/access/access.ts';
import { reason } from '../../../src/core/reasons/reason.ts';
import { packReason } from '../../../src/core/reasons/stored.ts';
import { dialects } from '../../support/database/engines.ts';
import { alertRig, forwarding } from '../../support/rigs/alert-rig.ts';

describe.each(dialects)('what needs attention (%s)', (dialect) => {
  const { store, clock, statuses, look, addBot, addRoute, log, reader, run } = alertRig(dialect);

  it('names bots whose secret is short enough to guess', async () => {
    const short = await addBot({ secret_token: 'fifteen-letters' });
    await addBot({ secret_token: 'sixteen-letters-' });
    await addBot({ secret_token: '' });
    const off = await addBot({ secret_token: 'x' });
    await store().bots.toggle(off, clock().now());
    expect((await look()).map(({ botId, kind, text }) => [kind, botId, text])).toEqual([
      ['bot_disabled', off, ''],
      ['weak_secret', short, ''],
    ]);
  });

  it('is nothing while all is well', async () => {
    const bot = await addBot(forwarding);
    await log(bot, 3);
    await reader(bot, 'push', 3);
    expect(await look()).toEqual([]);
  });

  it('tells of a route whose messages are refused, until one passes or it is changed', async () => {
    const [source, target] = [await addBot(), await addBot()];
    const route = await addRoute(source, target);
    const send = (routeId: number | undefined, state: string, kind = 'carry') =>
      run(
        `insert into outbox (bot_id, chat_id, method, params, origin, priority, state, error, context,
           created_at, updated_at)
         values ($1, 5, 'sendMessage', '{}', 'routed', 0, $2, 'chat not found', $3, $4, $4)`,
        [
          target,
          state,
          routeId === undefined ? '' : JSON.stringify({ kind, routeId }),
          clock().now(),
        ],
      );
    const failing = async () => (await look()).filter(({ kind }) => kind === 'route_failing');
    await clock().advance(1_000);
    // A return path has no route; a change of an unrouted message says nothing; others wait.
    await send(0, 'failed');
    await send(undefined, 'failed');
    await send(route?.id, 'failed', 'edit');
    await send(route?.id, 'pending');
    expect(await failing()).toEqual([]);
    const since = clock().now();
    await send(route?.id, 'failed');
    await clock().advance(1_000);
    await send(route?.id, 'failed');
    const found = {
      kind: 'route_failing',
      botId: source,
      targetBotId: target,
      routeId: route?.id,
      count: 2,
      since,
      text: 'chat not found',
    };
    expect(await failing()).toEqual([found]);
    await clock().advance(1_000);
    await run(
      `insert into message_pairs (bot_id, chat_id, message_id, peer_bot_id, peer_chat_id,
         peer_message_id, route_id, style, hops, created_at)
       values ($1, 5, 1, $2, 6, 2, $3, 'copy', 1, $4)`,
      [source, target, route?.id, clock().now()],
    );
    expect(await failing()).toEqual([]);
    await clock().advance(1_000);
    await send(route?.id, 'failed');
    expect(await failing()).toEqual([{ ...found, count: 3 }]);
    // A stopped bot is the cause then.
    await store().bots.update(target, { disabled: true }, clock().now());
    expect((await look()).map(({ kind }) => kind)).toEqual(['bot_disabled']);
    await store().bots.update(target, { disabled: false }, clock().now());
    await clock().advance(1_000);
    await run('update routes set updated_at = $1', [clock().now()]);
    expect(await failing()).toEqual([]);
  });

  it('puts the most urgent first, and shows a key only its own', async () => {
    const [refused, conflict, forwards, off] = [
      await addBot(),
      await addBot(),
      await addBot(forwarding),
      await addBot({ disabled: true }),
    ];
    const now = clock().now();
    await run(
      `insert into bot_runtime (bot_id, state, last_error, last_error_at, previous_webhook)
       values ($1, 'refused', 'The platform refuses this token', $2, 'sealed')`,
      [refused, now],
    );
    statuses().set(refused, { running: false, lastError: 'The platform refuses this token' });
    statuses().set(conflict, {
      running: false,
      lastError: 'Another program polls this bot',
      lastErrorDetail: reason('intake_poll_conflict', { description: 'Conflict' }),
    });
    await reader(forwards, 'push', 0, 7);
    await run(
      `insert into retry_queues (bot_id, queue, attempts, first_failed_at, next_attempt_at, last_error)
       values ($1, 'c1', 2, $2, $2, $3)`,
      [forwards, now, packReason(reason('backend_answered', { status: 500 }))],
    );
    for (const replayedAt of [0, 0, now]) {
      await run(
        `insert into dead_letters (bot_id, position, update_id, kind, queue, raw, reason, attempts,
           received_at, died_at, replayed_at)
         values ($1, 1, 1, 'message', 'c1', '{}', 'no', 3, $2, $2, $3)`,
        [forwards, now, replayedAt],
      );
    }
    await run(
      `insert into outbox (bot_id, chat_id, method, params, origin, priority, state, created_at, updated_at)
       values ($1, 5, 'sendMessage', '{}', 'sent', 0, 'unknown', $2, $2)`,
      [forwards, now],
    );
    const route = await addRoute(forwards, off);
    await addRoute(off, forwards);
    await addRoute(off, off, { action: 'drop' });
    // These are unchanged.
    await addRoute(forwards, off, { enabled: false });
    await addRoute(forwards, off, { action: 'drop' });
    const found = await look();
    expect(found.map(({ botId, kind }) => [kind, botId])).toEqual([
      ['bot_refused', refused],
      ['bot_conflict', conflict],
      ['chats_in_retry', forwards],
      ['dead_letters', forwards],
      ['updates_dropped', forwards],
      ['unknown_sends', forwards],
      ['bot_disabled', off],
      ['webhook_moved', refused],
    ]);
    expect(found.find(({ kind }) => kind === 'dead_letters')?.count).toBe(2);
    expect(found.find(({ kind }) => kind === 'updates_dropped')).toMatchObject({
      count: 7,
      reader: 'push',
    });
    // Named by its cause; users who may not see that get the route itself.
    expect(found.find(({ kind }) => kind === 'bot_disabled')?.count).toBe(3);
    const alone = await look({ ...localCaller, scope: 'read', botIds: [off] });
    expect(alone).toMatchObject([{ kind: 'bot_disabled', count: 2 }]);
    const withoutCause = await look({ ...localCaller, scope: 'read', botIds: [forwards] });
    expect(withoutCause.find(({ kind }) => kind === 'route_to_disabled')).toMatchObject({
      routeId: route?.id,
      targetBotId: off,
    });
    const limited = await look({ ...localCaller, scope: 'read', botIds: [conflict] });
    expect(limited.map(({ kind }) => kind)).toEqual(['bot_conflict']);
    await clock().advance(25 * 60 * 60_000);
    expect((await look()).some(({ kind }) => kind === 'unknown_sends')).toBe(false);
  });
});
