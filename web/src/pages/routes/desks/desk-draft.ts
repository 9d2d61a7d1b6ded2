import type { Bot } from '../../../api/client/types.ts';
import type { Desk, NewDesk } from '../../../api/desks.ts';

export type DeskDraft = Required<NewDesk>;
export type Hours = NonNullable<DeskDraft['working_hours']>;
/** The settings that are texts for customers. */
export type TextsName = 'away_replies' | 'ban_replies' | 'rating_questions';
export type LocalText = DeskDraft['away_replies'][number];

/** The languages in which a desk talks to the team. */
export const languages: readonly DeskDraft['language'][] = ['en', 'ru', 'zh-CN'];

/**
 * Everything is filled in, the forum by the form: most teams have one desk for all their bots, and read what
 * its page says. A bot has at most one desk.
 */
export function firstDraft(
  bots: readonly Bot[],
  taken: ReadonlySet<number>,
  name: string,
  locale: string,
): DeskDraft {
  const managed = bots.find((bot) => bot.manage_enabled) ?? bots[0];
  return {
    name,
    language: languages.find((one) => one === locale) ?? 'en',
    desk_bot_id: managed?.id ?? 0,
    chat_id: 0,
    bot_ids: bots.flatMap(({ id }) => (taken.has(id) ? [] : id)),
    person_ids: [],
    unanswered_minutes: 30,
    working_hours: null,
    away_replies: [],
    ban_replies: [],
    rating_questions: [],
  };
}

export const draftOf = (desk: Desk): DeskDraft => ({
  name: desk.name,
  language: desk.language,
  desk_bot_id: desk.desk_bot_id,
  chat_id: desk.chat_id,
  bot_ids: desk.bot_ids,
  person_ids: desk.person_ids,
  unanswered_minutes: desk.unanswered_minutes,
  working_hours: desk.working_hours,
  away_replies: desk.away_replies,
  ban_replies: desk.ban_replies,
  rating_questions: desk.rating_questions,
});

/** Office hours in the time zone of the reader, to begin with. */
export const firstHours = (): Hours => ({
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC',
  times: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '18:00' }],
});
