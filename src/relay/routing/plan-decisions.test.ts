import { describe, expect, it } from 'vitest';
import { compileRoutes } from '../../core/routing/route-matcher.ts';
import { createPatternTimes } from '../../core/search/pattern-time.ts';
import { systemClock } from '../../clock.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { RouteRecord } from '../../store/routing/routes.ts';
import { planDecisions } from './plan-decisions.ts';

const bot = { id: 1, platform_id: 900, llm_routing_enabled: false } as BotRecord;
const nothing = (): never => {
  throw new Error('no desk takes part');
};
const deps = {
  clock: { ...systemClock, now: () => 100_000 },
  waitingSince: () => systemClock.monotonic(),
  bots: { get: async () => bot },
  pairs: { of: async () => [], latest: async () => undefined },
  decisions: {
    ofMessage: async () => [],
  },
  log: { read: async () => [] },
  isOwnMessage: async () => false,
  isRegisteredBot: async () => false,
  isSendingTo: async () => false,
  route: async () => undefined,
  topicOf: async () => undefined,
  isForumAdmin: async () => false,
  desks: {
    topicAt: async () => undefined,
    act: nothing,
    note: nothing,
    noteForCustomer: nothing,
    replyInAbsence: nothing,
    hasTopicNamed: async () => false,
    isBanned: async () => false,
    setClosed: nothing,
    take: nothing,
    rate: nothing,
    topicOfCard: async () => undefined,
  },
  patterns: createPatternTimes().live,
};
const rules = {
  matcher: compileRoutes<RouteRecord>([], 'front_bot'),
  answersLatest: false,
  desks: { desk: undefined, forums: [] },
};

function entry(position: number, more: object, receivedAt = 5_000): LogEntry {
  const message = { message_id: position, chat: { id: 7 }, from: { id: 7 }, ...more };
  return {
    position,
    updateId: position,
    kind: 'message',
    queue: 'c7',
    receivedAt,
    raw: JSON.stringify({ update_id: position, message }),
    claimedBy: 0,
  };
}
const part = (position: number, receivedAt?: number) =>
  entry(position, { photo: [{ file_id: 'f' }], media_group_id: '12' }, receivedAt);

describe('routing decisions', () => {
  it('does not decide about an album whose rest may not have been read', async () => {
    const text = entry(1, { text: 'hello' });
    const cut = await planDecisions(deps, rules, bot, [text, part(2)], false);
    expect(cut).toMatchObject({ upTo: 1, waitMs: 0, decisions: [{ decision: { position: 1 } }] });
    const whole = await planDecisions(deps, rules, bot, [part(2), part(3)], false);
    expect(whole.upTo).toBe(3);
    expect(whole.decisions.map(({ decision }) => decision.outcome)).toEqual(['none', 'album']);
    // A message received long after the album shows that no part is missing.
    const later = entry(3, { text: 'later' }, 9_000);
    const done = await planDecisions(deps, rules, bot, [text, part(2), later], false);
    expect(done.upTo).toBe(3);
  });

  it('does not take albums of two chats for one', async () => {
    const elsewhere = entry(3, {
      photo: [{ file_id: 'f' }],
      media_group_id: '12',
      chat: { id: 8 },
      from: { id: 8 },
    });
    const plan = await planDecisions(deps, rules, bot, [part(2), elsewhere], true);
    expect(plan.decisions.map(({ decision }) => decision.outcome)).toEqual(['none', 'none']);
  });

  it('sets aside a chat that cannot be decided yet, in order, and decides about the others', async () => {
    const post = (position: number, chatId: number) => ({
      ...entry(position, {}),
      kind: 'channel_post',
      raw: JSON.stringify({
        update_id: position,
        channel_post: { message_id: position, chat: { id: chatId }, text: 'news' },
      }),
    });
    const busy = { ...deps, isSendingTo: async (chatId: number) => chatId === -5 };
    const entries = [post(1, -5), post(2, -6), post(3, -5), entry(4, { text: 'hi' })];
    const plan = await planDecisions(busy, rules, bot, entries, true);
    expect(plan.upTo).toBe(4);
    expect(plan.decisions.map(({ decision }) => decision.position)).toEqual([2, 4]);
    expect(plan.aside.map(({ position }) => position)).toEqual([1, 3]);
    const after = await planDecisions(deps, rules, bot, [...plan.aside, post(5, -5)], true, 2);
    expect(after.decisions.map(({ decision }) => decision.position)).toEqual([1, 3, 5]);
    expect(after.aside).toEqual([]);
  });

  it('decides about a deferred album, whatever follows in the batch', async () => {
    const full = [part(2), part(3), entry(4, { text: 'hi', chat: { id: 8 }, from: { id: 8 } })];
    const plan = await planDecisions(deps, rules, bot, full, false, 2);
    expect(plan.upTo).toBe(4);
    const outcomes = plan.decisions.map(({ decision }) => decision.outcome);
    expect(outcomes).toEqual(['none', 'album', 'none']);
  });

  it('passes over what only one person may see', async () => {
    const secret = entry(1, { message_id: 0, ephemeral_message_id: 4, text: '/balance' });
    const plan = await planDecisions(deps, rules, bot, [secret, entry(2, { text: 'hi' })], true);
    expect(plan.upTo).toBe(2);
    expect(plan.decisions.map(({ decision }) => decision.position)).toEqual([2]);
  });
});
