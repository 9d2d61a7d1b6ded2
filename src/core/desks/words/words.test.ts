import { describe, expect, it } from 'vitest';
import { deskReasons } from '../../reasons/desks.ts';
import { type ParamsOf, type Reason, reason } from '../../reasons/reason.ts';
import { deskLanguages } from '../desk.ts';
import { deskNote } from './words.ts';

/** These are said in the API and on the page, not in topics. */
const elsewhere = new Set<string>([
  'no_such_desk',
  'names_no_desk',
  'bot_has_desk',
  'bot_in_two_desks',
  'language_twice',
  'desk_needs_management',
  'forum_has_desk',
  'desk_needs_group',
  'desk_chat_fixed',
  'desk_bot_disabled',
  'desk_no_forum',
  'desk_not_admin',
  'desk_lacks_right',
  'desk_cannot_look',
  'for_desk',
  'desk_answered',
  'desk_note',
  'desk_not_member',
  'desk_event',
  'desk_command',
  'desk_reaction',
]);
const params: ParamsOf<'desk_card'> & Record<string, unknown> = {
  name: 'Anna',
  username: 'anna',
  language: 'de',
  bot: 'tea',
  since: '2026-01-31',
  others: ['coffee'],
  notes: ['pays late'],
  cause: reason('restored_unsent'),
  command: '/x',
  bot_id: 1,
};
const inTopics = Object.keys(deskReasons).filter((code) => !elsewhere.has(code));

describe('the notes of a desk', () => {
  it.each(deskLanguages.filter((language) => language !== 'en'))('are all in %s', (language) => {
    for (const code of inTopics) {
      const why = { code, params } as unknown as Reason;
      expect(deskNote(why, language), code).not.toBe(deskNote(why, 'en'));
    }
  });

  it('say the reasons inside them in the same language, and Telegram in its own words', () => {
    const why = reason('desk_answer_failed', { cause: reason('restored_unsent') });
    expect(deskNote(why, 'ru')).toMatch(/^ℹ️ Клиент этого не получил: Сообщение стояло/);
    const refused = reason('desk_answer_failed', {
      cause: reason('verbatim', { text: 'Bad Request: no' }),
    });
    expect(deskNote(refused, 'zh-CN')).toBe('ℹ️ 客户没有收到：Bad Request: no.');
  });
});
