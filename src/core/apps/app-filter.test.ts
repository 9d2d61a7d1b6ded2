import { describe, expect, it } from 'vitest';
import { isForbidden, mayCall } from './app.ts';
import { type AppFilter, compileFilter, filterProblems } from './app-filter.ts';
import { createPatternTimes } from '../search/pattern-time.ts';
import { readFilterFacts } from './filter-facts.ts';

const message = (more: object = {}, kind = 'message') => ({
  kind,
  raw: JSON.stringify({
    update_id: 1,
    [kind]: { message_id: 5, chat: { id: -100, type: 'supergroup' }, from: { id: 7 }, ...more },
  }),
});
const forum = { id: -100, type: 'supergroup', is_forum: true };
const inTopic = {
  message_id: 5,
  date: 1,
  message_thread_id: 3,
  is_topic_message: true,
  chat: forum,
};
const press = (data: string, on: object = inTopic) => ({
  kind: 'callback_query',
  raw: JSON.stringify({
    update_id: 1,
    callback_query: { from: { id: 7 }, data, message: on },
  }),
});
const patterns = createPatternTimes().live;
const passes = (filter: AppFilter, update: { kind: string; raw: string }) =>
  compileFilter(filter, 'shop_bot')?.(readFilterFacts(update), patterns.matching(1)) ?? true;

describe('filter of an app', () => {
  it.each<[AppFilter, { kind: string; raw: string }, boolean]>([
    [{}, message(), true],
    [{ kinds: [] }, message(), true],
    [{ kinds: ['message', 'callback_query'] }, press('x'), true],
    [{ kinds: ['edited_message'] }, message(), false],
    [{ chat_ids: [-100] }, message(), true],
    [{ chat_ids: [-100] }, press('x'), true],
    [{ chat_ids: [-101] }, message(), false],
    [{ user_ids: [7, 8] }, message(), true],
    [{ user_ids: [8] }, press('x'), false],
    [{ chat_types: ['private'] }, message(), false],
    [{ chat_types: ['group', 'supergroup'] }, message(), true],
    [{ commands: ['/order'] }, message({ text: '/Order@shop_bot 2' }), true],
    [{ commands: ['order'] }, message({ text: '/order' }), true],
    [{ commands: ['order'] }, message({ text: '/order@other_bot' }), false],
    [{ commands: ['order'] }, message({ text: 'order' }), false],
    [{ keywords: ['refund, money back'] }, message({ caption: 'My Money  back!' }), true],
    [{ keywords: ['refund'] }, message({ text: 'refunds' }), false],
    [{ regex: '^#\\d+$' }, message({ text: '#12' }), true],
    [{ regex: '^#\\d+$' }, message({ text: 'no' }), false],
    [{ regex: '' }, message(), true],
    [{ callback_prefixes: ['buy:'] }, press('buy:3'), true],
    [{ callback_prefixes: ['buy:'] }, press('sell:3'), false],
    [{ callback_prefixes: ['buy:'] }, message({ text: 'buy:3' }), false],
    [{ thread_ids: [3] }, press('x'), true],
    [{ thread_ids: [3] }, message({ message_thread_id: 4, is_topic_message: true }), false],
    [{ thread_ids: [3] }, message({ message_thread_id: 3, is_topic_message: true }), true],
    // A thread of replies to message 3.
    [{ thread_ids: [3] }, message({ message_thread_id: 3 }), false],
    [{ thread_ids: [1] }, message({}), false],
    [{ thread_ids: [1] }, message({ date: 1, chat: forum }), true],
    [{ thread_ids: [1] }, message({ date: 1, chat: forum, message_thread_id: 3 }), true],
    [{ thread_ids: [1] }, press('x', { date: 1, chat: forum }), true],
    [{ thread_ids: [1] }, press('x', { date: 0, chat: forum }), false],
    [{ thread_ids: [1] }, message({ date: 1, chat: forum }, 'message_reaction'), false],
    // Fields combine with AND.
    [{ chat_ids: [-100], commands: ['order'] }, message({ text: '/order' }), true],
    [{ chat_ids: [-100], commands: ['order'] }, message({ text: 'hi' }), false],
  ])('%j', (filter, update, expected) => {
    expect(filterProblems(filter)).toEqual([]);
    expect(passes(filter, update)).toBe(expected);
  });

  it('names the field that is wrong', () => {
    const wrong: AppFilter = {
      regex: '(',
      commands: ['a b'],
      chat_ids: [0],
      user_ids: [-5],
      chat_types: ['room'],
      keywords: ['!'],
      thread_ids: [1.5],
      kinds: ['No Kind'],
    };
    expect(filterProblems(wrong).map(({ field }) => field)).toEqual(
      expect.arrayContaining(Object.keys(wrong)),
    );
  });
});

describe('methods of an app', () => {
  it.each<[string[], string, boolean]>([
    [[], 'banChatMember', true],
    [['sendMessage'], 'SENDMESSAGE', true],
    [['sendMessage'], 'getMe', false],
    [['!banChatMember'], 'sendMessage', true],
    [['!banChatMember'], 'banchatmember', false],
    // Names that Telegram keeps for the same methods.
    [['!banChatMember'], 'kickChatMember', false],
    [['!kickChatMember'], 'banChatMember', false],
    [['getChatMemberCount'], 'getChatMembersCount', true],
    [['sendMessage', '!sendMessage'], 'sendMessage', false],
  ])('%j and %s: %s', (methods, method, allowed) => {
    expect(mayCall(methods, method)).toBe(allowed);
  });

  it('of the relay itself are refused only by name', () => {
    expect(isForbidden(['sendMessage'], 'getUpdates')).toBe(false);
    expect(isForbidden(['!setwebhook'], 'setWebhook')).toBe(true);
  });
});
