/*
 * Folds messages into counters. The same messages in the same order give the same counters, however
 * they are cut into batches: `waiting` is what one batch has to know of the one before.
 */
import { responseBucket } from '../../core/stats/response-histogram.ts';
import { bulkInsert } from '../sql/bulk-insert.ts';
import type { DialectName, Step } from '../engine.ts';
import { isOwn, turns } from './stats-turn.ts';
import { bucketsOf, calendarMonth } from './stats-calendar.ts';

export type CountedMessage = {
  bot_id: number;
  chat_id: number;
  user_id: number;
  /** Unix seconds. */
  date: number;
  is_media: number;
  /** How it counts: one of `turns`. */
  is_own: number;
};

/** The rows of the whole bot use this chat id. */
export const wholeBot = 0;

export const daySeconds = 86_400;

/** The grains of hourly sums: days, and the hours of the day (UTC) of each month. */
export const sumGrains = { day: 0, hourOfMonth: 1 } as const;

type HourRow = {
  bot_id: number;
  chat_id: number;
  hour: number;
  received: number;
  sent: number;
  media: number;
};
type SumRow = Omit<HourRow, 'hour'> & { grain: number; bucket: number };
type PersonRow = {
  bot_id: number;
  chat_id: number;
  grain: number;
  bucket: number;
  user_id: number;
  messages: number;
};
type ResponseRow = {
  bot_id: number;
  chat_id: number;
  day: number;
  bucket: number;
  answers: number;
};

export interface Folded {
  hours: Map<string, HourRow>;
  people: Map<string, PersonRow>;
  responses: Map<string, ResponseRow>;
  /** Since when each chat waits for its bot, by `chatKey`; 0 if it does not. */
  waiting: Map<string, number>;
}

export const chatKey = (message: { bot_id: number; chat_id: number }) =>
  `${message.bot_id} ${message.chat_id}`;

export function fold(messages: readonly CountedMessage[], waiting: Map<string, number>): Folded {
  const folded: Folded = { hours: new Map(), people: new Map(), responses: new Map(), waiting };
  const writers: Writers = new Map();
  for (const message of messages) {
    addToHours(folded, message);
    if (message.user_id !== 0 && !isOwn(message.is_own)) addWriter(writers, message);
    takeTurn(folded, message);
  }
  addPeopleRows(folded, writers);
  return folded;
}

/** How often each user wrote, by bot, chat and day; all rows of people are made from it. */
type Writers = Map<
  string,
  { bot_id: number; chat_id: number; day: number; counts: Map<number, number> }
>;

function addWriter(writers: Writers, { bot_id, chat_id, user_id, date }: CountedMessage): void {
  const day = Math.floor(date / daySeconds);
  const key = `${bot_id} ${chat_id} ${day}`;
  let entry = writers.get(key);
  if (!entry) {
    entry = { bot_id, chat_id, day, counts: new Map() };
    writers.set(key, entry);
  }
  entry.counts.set(user_id, (entry.counts.get(user_id) ?? 0) + 1);
}

function addPeopleRows({ people }: Folded, writers: Writers): void {
  for (const { bot_id, chat_id: chat, day, counts } of writers.values()) {
    const buckets = bucketsOf(day);
    // The rows are in the order of the table, where neighbors are faster to write.
    const sorted = [...counts].sort(([one], [other]) => one - other);
    for (const chat_id of [chat, wholeBot]) {
      for (const [grain, bucket] of buckets) {
        const prefix = `${bot_id} ${chat_id} ${grain} ${bucket} `;
        for (const [user_id, messages] of sorted) {
          const row = people.get(prefix + user_id);
          if (row) row.messages += messages;
          else people.set(prefix + user_id, { bot_id, chat_id, grain, bucket, user_id, messages });
        }
      }
    }
  }
}

function addToHours({ hours }: Folded, message: CountedMessage): void {
  const hour = Math.floor(message.date / 3600);
  for (const chat_id of [message.chat_id, wholeBot]) {
    const key = `${message.bot_id} ${chat_id} ${hour}`;
    let row = hours.get(key);
    if (!row) {
      row = { bot_id: message.bot_id, chat_id, hour, received: 0, sent: 0, media: 0 };
      hours.set(key, row);
    }
    if (isOwn(message.is_own)) row.sent += 1;
    else row.received += 1;
    row.media += message.is_media;
  }
}

function takeTurn(folded: Folded, message: CountedMessage): void {
  const { waiting } = folded;
  const key = chatKey(message);
  if (message.is_own === turns.answers) addResponse(folded, message);
  else if (message.is_own === turns.asks) waiting.set(key, waiting.get(key) || message.date);
  else if (message.is_own === turns.ends && waiting.get(key)) waiting.set(key, 0);
}

/** One answer ends the wait of everyone who wrote before it; the first of them waited longest. */
function addResponse({ responses, waiting }: Folded, message: CountedMessage): void {
  const since = waiting.get(chatKey(message));
  if (!since || since > message.date) return;
  waiting.set(chatKey(message), 0);
  const bucket = responseBucket(message.date - since);
  const day = Math.floor(message.date / daySeconds);
  for (const chat_id of [message.chat_id, wholeBot]) {
    const key = `${message.bot_id} ${chat_id} ${day} ${bucket}`;
    const row = responses.get(key);
    if (row) row.answers += 1;
    else responses.set(key, { bot_id: message.bot_id, chat_id, day, bucket, answers: 1 });
  }
}

const addHours = bulkInsert<HourRow>({
  table: 'stats_hours',
  columns: {
    bot_id: 'bigint',
    chat_id: 'bigint',
    hour: 'bigint',
    received: 'bigint',
    sent: 'bigint',
    media: 'bigint',
  },
  onConflict: `(bot_id, chat_id, hour) do update set
    received = stats_hours.received + excluded.received,
    sent = stats_hours.sent + excluded.sent, media = stats_hours.media + excluded.media`,
});

const addSums = bulkInsert<SumRow>({
  table: 'stats_sums',
  columns: {
    bot_id: 'bigint',
    chat_id: 'bigint',
    grain: 'integer',
    bucket: 'bigint',
    received: 'bigint',
    sent: 'bigint',
    media: 'bigint',
  },
  onConflict: `(bot_id, chat_id, grain, bucket) do update set
    received = stats_sums.received + excluded.received,
    sent = stats_sums.sent + excluded.sent, media = stats_sums.media + excluded.media`,
});

/** Returns the same counts twice: by the day, and by the hour of the day in each month. */
function sumsOf(hours: Iterable<HourRow>): SumRow[] {
  const sums = new Map<string, SumRow>();
  for (const { hour, ...counts } of hours) {
    const day = Math.floor(hour / 24);
    const buckets = [
      [sumGrains.day, day],
      [sumGrains.hourOfMonth, calendarMonth(day) * 24 + (hour % 24)],
    ] as const;
    for (const [grain, bucket] of buckets) {
      const key = `${counts.bot_id} ${counts.chat_id} ${grain} ${bucket}`;
      const row = sums.get(key);
      if (row) {
        row.received += counts.received;
        row.sent += counts.sent;
        row.media += counts.media;
      } else sums.set(key, { ...counts, grain, bucket });
    }
  }
  return [...sums.values()];
}

const addPeople = bulkInsert<PersonRow>({
  table: 'stats_people',
  columns: {
    bot_id: 'bigint',
    chat_id: 'bigint',
    grain: 'integer',
    bucket: 'bigint',
    user_id: 'bigint',
    messages: 'bigint',
  },
  onConflict: `(bot_id, chat_id, grain, bucket, user_id) do update set
    messages = stats_people.messages + excluded.messages`,
});

const addResponses = bulkInsert<ResponseRow>({
  table: 'stats_responses',
  columns: {
    bot_id: 'bigint',
    chat_id: 'bigint',
    day: 'bigint',
    bucket: 'integer',
    answers: 'bigint',
  },
  onConflict: `(bot_id, chat_id, day, bucket) do update set
    answers = stats_responses.answers + excluded.answers`,
});

const setWaiting = bulkInsert<{ bot_id: number; chat_id: number; since: number }>({
  table: 'stats_waiting',
  columns: { bot_id: 'bigint', chat_id: 'bigint', since: 'bigint' },
  onConflict: '(bot_id, chat_id) do update set since = excluded.since',
});

/** Adds the folded counts to the stored ones. */
export function* saveFolded(dialect: DialectName, folded: Folded): Step<void> {
  yield* addHours(dialect, [...folded.hours.values()]);
  yield* addSums(dialect, sumsOf(folded.hours.values()));
  yield* addPeople(dialect, [...folded.people.values()]);
  yield* addResponses(dialect, [...folded.responses.values()]);
  const waiting = [...folded.waiting].map(([key, since]) => {
    const [bot_id = 0, chat_id = 0] = key.split(' ').map(Number);
    return { bot_id, chat_id, since };
  });
  yield* setWaiting(dialect, waiting);
}
