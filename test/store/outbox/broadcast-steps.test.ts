import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alertAuthor } from '../../../src/core/messages/author.ts';
import {
  type Audience,
  type BroadcastOptions,
  everyPrivateChat,
} from '../../../src/core/messages/broadcast.ts';
import { reason } from '../../../src/core/reasons/reason.ts';
import { packReason } from '../../../src/core/reasons/stored.ts';
import type { HeldLease } from '../../../src/store/cluster/leases.ts';
import { raw } from '../../../src/store/engine.ts';
import { applyMove } from '../../../src/store/messages/chat-moves.ts';
import { forgetSome } from '../../../src/store/messages/forget-chat.ts';
import type { BroadcastRecord } from '../../../src/store/outbox/broadcast-rows.ts';
import { needsAudience } from '../../../src/store/outbox/broadcast-steps.ts';
import { dialects } from '../../support/database/engines.ts';
import { archived, createTestStore } from '../../support/database/store.ts';

const options = {
  opt_out_button: '',
  opt_out_word: '',
  opt_out_reply: '',
  stop_at_blocked_percent: 0,
  allow_paid_broadcast: false,
};
const message = { request: {}, method: 'sendMessage', params: { text: 'news' } };

describe.each(dialects)('the steps of a broadcast on %s', (dialect) => {
  let rig: Awaited<ReturnType<typeof createTestStore>>;
  let botId: number;
  let leaseEpoch: number;

  beforeEach(async () => {
    rig = await createTestStore(dialect);
    const { store } = rig;
    ({ id: botId } = await store.bots.insert({ token: '1:a', source: 'web' }, 1));
    ({ epoch: leaseEpoch } = (await store.leases.takeOne('one', [], botId)) as HeldLease);
    await store.engine.write(function* () {
      for (const [chat, type] of [
        [-3, 'group'],
        [5, 'private'],
        [6, 'private'],
      ]) {
        yield* raw(`insert into chats (bot_id, chat_id, type, updated_at) values ($1, $2, $3, 1)`, [
          botId,
          chat,
          type,
        ]);
      }
    });
  });
  afterEach(() => rig.close());

  const add = (more: Partial<BroadcastOptions> = {}) =>
    rig.store.broadcasts.add(
      {
        ...{
          botId,
          name: '',
          message,
          options: { ...options, ...more },
          author: alertAuthor,
          recipients: 3,
        },
        audience: { ...everyPrivateChat, chat_types: ['private', 'group'] },
      },
      1,
    );
  const get = (id: number) => rig.store.broadcasts.get(id);
  const running = (id: number) => ({ id, botId, leaseEpoch });
  async function start(more: Partial<BroadcastOptions> = {}): Promise<number> {
    const id = await add(more);
    await rig.store.broadcasts.run(id, ['draft'], 1);
    await rig.store.broadcastSteps.addAudience(running(id), 1);
    return id;
  }
  const advance = (id: number, outcomes: object[], most = 25) =>
    rig.store.broadcastSteps.advance(running(id), outcomes as never, most, 2);
  const sent = (chatId: number) => ({ chatId, state: 'sent', messageId: 9, error: '' });
  const chats = async (id: number) =>
    (await rig.store.broadcasts.results({ id, limit: 9 })).map(({ chatId, state }) => [
      chatId,
      state,
    ]);

  it('end though a chat was forgotten while its message was on its way', async () => {
    const id = await start();
    expect(await advance(id, [])).toBe(3);
    await rig.store.engine.write(() => forgetSome(dialect, botId, 5, 100));
    expect(await get(id)).toMatchObject({ inOutbox: 3 });
    await advance(id, [sent(-3), sent(6)]);
    expect(await get(id)).toMatchObject({
      state: 'done',
      inOutbox: 0,
      counts: { sent: 2, queued: 0 },
    });
  });

  it('list no recipients of one that was canceled before, also when a task starts', async () => {
    const id = await add();
    await rig.store.broadcasts.run(id, ['draft'], 1);
    await rig.store.broadcasts.halt(id, 'canceled', 1);
    const task = { task: 'edit', params: { text: 'x' } } as const;
    expect(await rig.store.broadcasts.run(id, ['canceled'], 1, task)).toBe(true);
    const broadcast = await rig.store.broadcasts.get(id);
    expect(broadcast && needsAudience(broadcast)).toBe(false);
    expect(await rig.store.broadcastSteps.addAudience(running(id), 1)).toBe(true);
    await advance(id, []);
    expect(await get(id)).toMatchObject({ state: 'done' });
    expect(await chats(id)).toEqual([]);
  });

  it('are forgotten long after it ended, with their messages', async () => {
    const { store } = rig;
    const id = await start();
    await advance(id, []);
    await advance(id, [sent(-3), sent(5), sent(6)]);
    const other = await start();
    const remove = (beforeMs: number) =>
      store.retention.removeOlder('broadcast_recipients', beforeMs, 2);
    expect(await remove(2)).toBe(0);
    expect([await remove(3), await remove(3)]).toEqual([2, 1]);
    expect(await chats(id)).toEqual([]);
    expect(await chats(other)).toHaveLength(3);
    expect(await get(id)).toMatchObject({ counts: { sent: 3 } });
    const task = { task: 'delete', params: {} } as const;
    await store.broadcasts.halt(other, 'canceled', 2);
    expect(await store.broadcasts.run(id, ['done'], 3, task)).toBe('forgotten');
  });

  it('count for each broadcast by itself', async () => {
    const first = await start();
    await rig.store.broadcasts.halt(first, 'canceled', 1);
    expect(await get(await start())).toMatchObject({ counts: { waiting: 3 } });
  });

  it('stop once a larger share than allowed has blocked the bot, and leave those out of others', async () => {
    const { store } = rig;
    await store.engine.write(function* () {
      for (let chat = 100; chat < 160; chat++) {
        yield* raw(
          `insert into chats (bot_id, chat_id, type, updated_at) values ($1, $2, 'private', 1)`,
          [botId, chat],
        );
      }
    });
    const id = await start({ stop_at_blocked_percent: 10 });
    expect(await advance(id, [], 50)).toBe(50);
    const tried = (await store.broadcastSteps.sends((await get(id)) as BroadcastRecord)).map(
      ({ chatId }, index) =>
        index < 6 ? { ...sent(chatId), state: 'blocked', messageId: 0 } : sent(chatId),
    );
    await advance(id, tried.slice(0, 49), 50);
    expect(await get(id)).toMatchObject({ state: 'running' });
    await advance(id, tried.slice(49), 50);
    expect(await get(id)).toMatchObject({
      state: 'paused',
      reason: { code: 'too_many_blocked', params: { percent: 10 } },
      counts: { sent: 44, blocked: 6, waiting: 13, queued: 0 },
      inOutbox: 0,
    });
    const asked = { botId, audience: everyPrivateChat, nowMs: 1 };
    expect(await store.broadcasts.countAudience(asked)).toEqual({ recipients: 57, left_out: 5 });
  });

  it('choose chats by type, tag, language and state', async () => {
    const { store } = rig;
    await store.engine.write(function* () {
      const people = [
        [5, 'en-US'],
        [6, 'ru'],
      ];
      for (const [user, language] of people) {
        yield* raw(
          `insert into people (user_id, username, first_name, last_name, is_bot, language_code, seen_at)
           values ($1, '', '', '', 0, $2, 1)`,
          [user, language],
        );
      }
      yield* raw('update chats set unanswered_since = 7 where chat_id = 5');
      yield* raw('update chats set is_done = 1 where chat_id = 6');
    });
    const count = async (audience: object) =>
      (
        await store.broadcasts.countAudience({
          botId,
          audience: { ...everyPrivateChat, ...audience },
          nowMs: 1,
        })
      ).recipients;
    expect(await count({})).toBe(2);
    expect(await count({ chat_types: ['private', 'group'] })).toBe(3);
    expect(await count({ tags: ['vip'] })).toBe(0);
    expect(await count({ languages: ['en'] })).toBe(1);
    expect(await count({ languages: ['en', 'RU'] })).toBe(2);
    expect(await count({ languages: ['e'] })).toBe(0);
    expect(await count({ states: ['waiting'] })).toBe(1);
    expect(await count({ states: ['done'] })).toBe(1);
    expect(await count({ states: ['open'] })).toBe(0);
    expect(await count({ languages: ['ru'], states: ['waiting'] })).toBe(0);
  });

  it('count as seen who wrote to this bot, and not to another one', async () => {
    const { store } = rig;
    const dayMs = 24 * 3_600_000;
    const nowMs = 100 * dayMs;
    const { id: other } = await store.bots.insert({ token: '2:b', source: 'web' }, 1);
    const message = (bot: number, id: number, daysAgo: number, from: number) =>
      archived(
        bot,
        {
          message_id: id * 100 + daysAgo,
          date: (nowMs - daysAgo * dayMs) / 1000,
          chat: { id, type: id < 0 ? 'group' : 'private', title: 'x', first_name: 'x' },
          from: { id: from, first_name: 'x' },
          text: 'x',
        },
        from === 0 ? 'sent' : 'received',
      );
    // Person 5 wrote to the bot long ago, got a message since, and wrote to the other one yesterday.
    await store.messages.archive(
      [
        message(botId, 5, 9, 5),
        message(botId, 5, 1, 0),
        message(other, 5, 1, 5),
        message(botId, 6, 3, 6),
        message(botId, -3, 5, 6),
      ],
      nowMs,
    );
    const count = async (days: number) => {
      const audience = {
        ...everyPrivateChat,
        chat_types: ['private', 'group'] as Audience['chat_types'],
        seen_within_days: days,
      };
      return (await store.broadcasts.countAudience({ botId, audience, nowMs })).recipients;
    };
    expect(await count(2)).toBe(0);
    expect(await count(4)).toBe(1);
    expect(await count(6)).toBe(2);
    expect(await count(10)).toBe(3);
    expect(await count(0)).toBe(3);
  });

  it('leave out people who opted out, also after their chats were forgotten', async () => {
    const { store } = rig;
    const asked = { botId, audience: everyPrivateChat, nowMs: 1 };
    await store.broadcasts.mark(botId, 5, true, 1);
    await store.engine.write(() =>
      raw(`insert into broadcast_marks (bot_id, chat_id, mark, at) values ($1, 6, 'blocked', 1)`, [
        botId,
      ]),
    );
    expect(await store.broadcasts.countAudience(asked)).toEqual({ recipients: 0, left_out: 2 });
    for (const chat of [5, 6]) expect(await store.chats.forget(botId, chat, 100)).toBe(true);
    expect(await store.broadcasts.countAudience(asked)).toEqual({ recipients: 0, left_out: 0 });
    // Both write again.
    await store.engine.write(function* () {
      for (const chat of [5, 6]) {
        yield* raw(
          `insert into chats (bot_id, chat_id, type, updated_at) values ($1, $2, 'private', 2)`,
          [botId, chat],
        );
      }
    });
    expect(await store.broadcasts.countAudience(asked)).toEqual({ recipients: 1, left_out: 1 });
  });

  it('let one of two run that start at once', async () => {
    const ids = [await add(), await add()];
    const { broadcasts } = rig.store;
    const started = await Promise.all(ids.map((id) => broadcasts.run(id, ['draft'], 1)));
    expect(started.map(String).toSorted()).toEqual(['busy', 'true']);
  });

  it('follow a group that became a supergroup', async () => {
    const id = await start();
    const move = { botId, fromChatId: -3, toChatId: -1003 };
    await rig.store.engine.write(() => applyMove(dialect, move, 2));
    expect(await chats(id)).toEqual([
      [-1003, 'waiting'],
      [5, 'waiting'],
      [6, 'waiting'],
    ]);
    expect(await advance(id, [])).toBe(3);
    const [send] = await rig.store.outbox.queued(botId, 1, 3);
    expect(send).toMatchObject({ chatId: -1003, params: expect.stringContaining('-1003') });
  });

  it('pause when Telegram refuses the token, and go on with all who did not get it', async () => {
    const id = await start();
    await advance(id, [], 2);
    const why = reason('platform_refused_with_code', {
      description: 'Unauthorized',
      refusal: '',
      error_code: 401,
    });
    const refused = { chatId: -3, state: 'waiting', messageId: 0, error: packReason(why) };
    await advance(id, [refused], 2);
    expect(await get(id)).toMatchObject({
      state: 'paused',
      reason: { code: 'platform_refused_with_code' },
      counts: { waiting: 3, queued: 0 },
      inOutbox: 0,
    });
    expect(await rig.store.outbox.queued(botId, 9, 3)).toEqual([]);
    await rig.store.broadcasts.run(id, ['paused'], 3);
    expect(await advance(id, [])).toBe(3);
    expect(await rig.store.outbox.queued(botId, 9, 3)).toHaveLength(3);
  });
});
