import { describe, expect, it } from 'vitest';
import type { AlertCause } from '../../../src/core/alerts/alerts.ts';
import { answerKey } from '../../../src/relay/delivery/answer-intent.ts';
import { dialects } from '../../support/database/engines.ts';
import { alertRig, forwarding } from '../../support/rigs/alert-rig.ts';

const managed = { manage_enabled: true };

describe.each(dialects)('the message behind an alert (%s)', (dialect) => {
  const { addBot, addRoute, clock, find, log, reader, run, statuses, store } = alertRig(dialect);

  const causes = async () =>
    Object.fromEntries((await find()).map(({ kind, params }) => [kind, params.cause]));
  const message = (chatId: number, messageId: number) =>
    JSON.stringify({ message: { message_id: messageId, chat: { id: chatId, type: 'private' } } });
  /** Fills a log of that many updates; message 100 + n in chat 42 came at position n. */
  async function fill(botId: number, count: number): Promise<void> {
    await log(botId, count);
    for (let position = 1; position <= count; position++) {
      const raw = message(42, 100 + position);
      await run('update log set raw = $1 where bot_id = $2 and position = $3', [
        raw,
        botId,
        position,
      ]);
    }
  }
  const at = (bot_id: number, position: number): AlertCause => ({
    bot_id,
    chat_id: 42,
    message_id: 100 + position,
    position,
  });
  const send = (botId: number, state: string, more: { context?: object; key?: string }) =>
    run(
      `insert into outbox (bot_id, chat_id, method, params, origin, intent_key, priority, state,
         context, created_at, updated_at)
       values ($1, 7, 'sendMessage', '{}', $2, $3, 0, $4, $5, $6, $6)`,
      [
        botId,
        more.context ? 'routed' : 'sent',
        more.key ?? null,
        state,
        more.context ? JSON.stringify(more.context) : '',
        clock().now(),
      ],
    );

  it('is the oldest that a backend has yet to take: in a retry queue, or not sent at all', async () => {
    const bot = await addBot({ ...forwarding, ...managed });
    await fill(bot, 9);
    await reader(bot, 'push', 4);
    statuses().set(bot, { backendStatus: 'paused', pendingUpdates: 5 });
    await clock().advance(120_000);
    expect(await causes()).toEqual({ backend_down: at(bot, 5) });
    await run(
      `insert into retry_queues (bot_id, queue, attempts, first_failed_at, next_attempt_at, last_error)
       values ($1, 'c42', 1, $2, $2, 'answered 500')`,
      [bot, clock().now()],
    );
    for (const position of [3, 2]) {
      await run(`insert into retry_positions (bot_id, position, queue) values ($1, $2, 'c42')`, [
        bot,
        position,
      ]);
    }
    expect(await causes()).toEqual({ backend_down: at(bot, 2) });
    statuses().set(bot, {});
    // It answers, but takes long.
    await run(
      `insert into delivery_attempts (bot_id, position, update_id, queue, started_at, duration_ms,
         status, error, answer) values ($1, 2, 2, 'c42', $2, 5, 500, 'answered 500', '')`,
      [bot, clock().now()],
    );
    expect(await causes()).toEqual({ chats_in_retry: at(bot, 2), backlog: at(bot, 5) });
  });

  it('is the first that an app has yet to read, and the first dead letter, also of an old log', async () => {
    const bot = await addBot({ ...forwarding, ...managed });
    await fill(bot, 3);
    await reader(bot, 'push', 3);
    await reader(bot, 'pull:crm', 1);
    await run(
      `insert into apps (bot_id, name, mode, token_hash, created_at, updated_at)
       values ($1, 'crm', 'poll', 'hash', 1, 1)`,
      [bot],
    );
    await clock().advance(1_000);
    await run(`update readers set updated_at = $1 where name = 'pull:crm'`, [clock().now()]);
    await clock().advance(700_000);
    for (const [position, chat] of [
      [3, 42],
      [1, 43],
    ] as const) {
      await run(
        `insert into dead_letters (bot_id, position, update_id, kind, queue, raw, reason, attempts,
           received_at, died_at) values ($1, $2, 1, 'message', 'c', $3, 'no', 9, 1, 1)`,
        [bot, position, message(chat, 100 + position)],
      );
    }
    await run('delete from log where position = 1');
    expect(await causes()).toEqual({
      polling_stopped: at(bot, 2),
      dead_letters: { ...at(bot, 1), chat_id: 43 },
    });
  });

  it('is what a route carried or a backend answered; otherwise only the chat is known', async () => {
    const [shop, staff] = [await addBot(managed), await addBot(managed)];
    await fill(shop, 2);
    const route = await addRoute(shop, staff);
    await clock().advance(1_000);
    const carried = {
      kind: 'carry',
      sourceBotId: shop,
      sourceChatId: 42,
      sourceMessageIds: [101, 102],
    };
    await send(staff, 'failed', { context: { ...carried, routeId: route?.id } });
    await send(shop, 'unknown', { key: answerKey(shop, 'push', 2) });
    // The message is of another bot, which not everybody sees.
    await send(staff, 'unknown', { context: { ...carried, routeId: 0 } });
    for (let count = 0; count < 5; count++) await send(shop, 'failed', {});
    const found = await find();
    const causeOf = (botId: number, kind: string) =>
      found.find((one) => one.botId === botId && one.kind === kind)?.params.cause;
    expect(causeOf(shop, 'route_failing')).toEqual({ ...at(shop, 1), position: 0 });
    expect(causeOf(shop, 'unknown_sends')).toEqual(at(shop, 2));
    const chat = { chat_id: 7, message_id: 0, position: 0 };
    expect(causeOf(staff, 'unknown_sends')).toEqual({ bot_id: staff, ...chat });
    expect(causeOf(shop, 'failed_sends')).toEqual({ bot_id: shop, ...chat });
  });

  it('is only the update where there is no message, or messages are not stored', async () => {
    const [silent, unmanaged] = [
      await addBot({ ...forwarding, ...managed }),
      await addBot(forwarding),
    ];
    await log(silent, 1);
    await fill(unmanaged, 1);
    for (const bot of [silent, unmanaged]) {
      await reader(bot, 'push', 0);
      statuses().set(bot, { backendStatus: 'paused', pendingUpdates: 1 });
    }
    const found = await find();
    expect(found.map(({ params }) => params.cause)).toEqual([
      { bot_id: silent, chat_id: 0, message_id: 0, position: 1 },
      { bot_id: unmanaged, chat_id: 0, message_id: 0, position: 1 },
    ]);
  });

  it('may become another one without telling anybody', async () => {
    const bot = await addBot(managed);
    const { alertLog } = store();
    const settle = (count: number, position: number) =>
      alertLog.settle(
        [
          {
            kind: 'dead_letters',
            botId: bot,
            subject: '',
            params: { count, cause: at(bot, position) },
          },
        ],
        clock().now(),
      );
    expect(await settle(2, 1)).toMatchObject([{ type: 'alert.opened' }]);
    const [opened] = await alertLog.open(null);
    expect(await settle(2, 3)).toEqual([]);
    const [quiet] = await alertLog.open(null);
    expect(quiet).toMatchObject({ version: opened?.version, params: { cause: at(bot, 3) } });
    expect(await settle(3, 3)).toMatchObject([{ type: 'alert.changed' }]);
  });
});
