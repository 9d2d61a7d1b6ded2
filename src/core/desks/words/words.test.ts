import { describe, expect, it } from 'vitest';
import { topicReasons } from '../../reasons/desks.ts';
import { type ParamsOf, type Reason, reason } from '../../reasons/reason.ts';
import { deskLanguages } from '../desk.ts';
import { deskNote } from './words.ts';

const params: ParamsOf<'desk_card'> & Record<string, unknown> = {
  name: 'Anna',
  username: 'anna',
  language: 'de',
  bot: 'tea',
  since: '2026-01-31',
  others: ['coffee'],
  notes: ['pays late'],
  tags: ['vip'],
  assignee: 'Olga',
  done: true,
  banned: true,
  cause: reason('restored_unsent'),
  command: '/x',
  bot_id: 1,
  rating: 4,
};
describe('the notes of a desk', () => {
  it.each(deskLanguages.filter((language) => language !== 'en'))('are all in %s', (language) => {
    for (const code of Object.keys(topicReasons)) {
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
