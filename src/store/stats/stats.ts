import type { Engine } from '../engine.ts';
import { createStatsCounting, type StatsCounting } from './stats-count.ts';
import { type Days, firstDayOf, grains, calendarMonth, rangeParts } from './stats-calendar.ts';
import { sumGrains, wholeBot } from './stats-fold.ts';

export interface StatsScope {
  botId: number;
  /** 0 for all chats of the bot. */
  chatId: number;
}

/** Hours since the epoch; the second one is excluded. */
export type Hours = readonly [from: number, to: number];

export interface Counts {
  received: number;
  sent: number;
  media: number;
}

export interface HourCount extends Counts {
  hour: number;
}

export interface DayCount extends Counts {
  day: number;
}

export interface TopPerson {
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  messages: number;
}

export interface DeliveryHealth {
  delivered: number;
  failed: number;
  duration_ms: number;
  /** The number of updates that wait behind a failure at present. */
  in_retry: number;
  dead_letters: number;
}

export interface StatsRepository extends StatsCounting {
  hours(scope: StatsScope, hours: Hours): Promise<HourCount[]>;
  /** Returns the same, added up by the day. */
  days(scope: StatsScope, hours: Hours): Promise<DayCount[]>;
  /** Returns the messages at each hour of the day (UTC). */
  hoursOfDay(scope: StatsScope, hours: Hours): Promise<{ hour: number; messages: number }[]>;
  people(scope: StatsScope, days: Days): Promise<{ active: number; top: TopPerson[] }>;
  responses(scope: StatsScope, days: Days): Promise<{ bucket: number; answers: number }[]>;
  deliveries(botId: number, hours: Hours): Promise<DeliveryHealth>;
  /** Returns how often a person wrote in each chat of a bot. */
  chatsOf(botId: number, userId: number): Promise<{ chat_id: number; messages: number }[]>;
}

export const topPeople = 10;

/** The ranges are separate queries, because with "or" SQLite reads every hour of the chat. */
const hoursOfEdges = [
  ['$5', '$6'],
  ['$7', '$8'],
]
  .map(
    ([from, to]) => `select hour, received, sent, media from stats_hours
       where bot_id = $1 and chat_id = $2 and hour >= ${from} and hour < ${to}`,
  )
  .join(' union all ');

export function createStatsRepository(engine: Engine): StatsRepository {
  /** Returns the days within which anything happened. */
  async function known({ botId, chatId }: StatsScope): Promise<Days> {
    const days = `from stats_sums where bot_id = $1 and chat_id = $2 and grain = ${sumGrains.day}`;
    // SQLite finds one end of an index at once; asked for both, it reads all of it.
    const [row] = await engine.readHeavy<{ first: number | null; last: number | null }>(
      `select (select min(bucket) ${days}) as first, (select max(bucket) ${days}) as last`,
      [botId, chatId],
    );
    return [row?.first ?? 0, (row?.last ?? -1) + 1];
  }

  // PostgreSQL adds up large integers as decimal numbers, which takes half as long again.
  const messages = 'cast(messages as integer)';

  return {
    ...createStatsCounting(engine),
    hours: ({ botId, chatId }, [from, to]) =>
      engine.readHeavy<HourCount>(
        `select hour, received, sent, media from stats_hours
         where bot_id = $1 and chat_id = $2 and hour >= $3 and hour < $4 order by hour`,
        [botId, chatId, from, to],
      ),
    days({ botId, chatId }, hours) {
      const whole = [Math.ceil(hours[0] / 24), Math.floor(hours[1] / 24)] as const;
      return engine.readHeavy<DayCount>(
        `select bucket as day, received, sent, media from stats_sums
           where bot_id = $1 and chat_id = $2 and grain = ${sumGrains.day}
             and bucket >= $3 and bucket < $4
         union all
         select hour / 24 as day, sum(received) as received, sum(sent) as sent, sum(media) as media
           from (${hoursOfEdges}) as edges group by hour / 24
         order by day`,
        [botId, chatId, ...whole, ...edges(hours, whole[0] * 24, whole[1] * 24)],
      );
    },
    hoursOfDay({ botId, chatId }, hours) {
      const [first, end] = monthsWithin(hours);
      return engine.readHeavy(
        `select hour, sum(messages) as messages from (
           select bucket % 24 as hour, received + sent as messages from stats_sums
             where bot_id = $1 and chat_id = $2 and grain = ${sumGrains.hourOfMonth}
               and bucket >= $3 and bucket < $4
           union all
           select hour % 24 as hour, received + sent as messages from (${hoursOfEdges}) as edges
         ) as counted group by hour`,
        [botId, chatId, first * 24, end * 24, ...edges(hours, hourOf(first), hourOf(end))],
      );
    },
    async people(scope, days) {
      const parts = rangeParts(days, await known(scope));
      const [one] = parts;
      if (!one) return { active: 0, top: [] };
      const parameters: number[] = [scope.botId, scope.chatId];
      const selects = parts.map(({ grain, first, last, sign }) => {
        const at = parameters.push(first, last);
        return `select user_id, ${sign < 0 ? '-' : ''}${messages} as messages from stats_people
          where bot_id = $1 and chat_id = $2 and grain = ${grain}
            and bucket >= $${at - 1} and bucket <= $${at}`;
      });
      const counted = selects.join(' union all ');
      // A person occurs once within a bucket, so there is nothing to group.
      const sums =
        parts.length === 1 && one.first === one.last
          ? `select user_id, messages, (select count(*) from (${counted}) as everyone) as active
             from (${counted}) as counted`
          : `select user_id, sum(messages) as messages, count(*) over () as active
             from (${counted}) as counted group by user_id having sum(messages) > 0`;
      const rows = await engine.readHeavy<TopPerson & { active: number }>(
        `select t.user_id, t.messages, t.active, coalesce(p.username, '') as username,
           coalesce(p.first_name, '') as first_name, coalesce(p.last_name, '') as last_name
         from (${sums} order by messages desc, user_id limit ${topPeople}) as t
         left join people p on p.user_id = t.user_id
         order by t.messages desc, t.user_id`,
        parameters,
      );
      return {
        active: rows[0]?.active ?? 0,
        top: rows.map(({ user_id, username, first_name, last_name, messages }) => ({
          user_id,
          username,
          first_name,
          last_name,
          messages,
        })),
      };
    },
    responses: ({ botId, chatId }, [from, to]) =>
      engine.readHeavy(
        `select bucket, sum(answers) as answers from stats_responses
         where bot_id = $1 and chat_id = $2 and day >= $3 and day < $4
         group by bucket order by bucket`,
        [botId, chatId, from, to],
      ),
    async deliveries(botId, [from, to]) {
      const [row] = await engine.readHeavy<DeliveryHealth>(
        `select coalesce(sum(delivered), 0) as delivered, coalesce(sum(failed), 0) as failed,
           coalesce(sum(duration_ms), 0) as duration_ms,
           (select count(*) from retry_positions where bot_id = $1) as in_retry,
           (select count(*) from dead_letters
             where bot_id = $1 and died_at >= $4 and died_at < $5) as dead_letters
         from stats_deliveries where bot_id = $1 and hour >= $2 and hour < $3`,
        [botId, from, to, from * 3_600_000, to * 3_600_000],
      );
      return row as DeliveryHealth;
    },
    chatsOf: (botId, userId) =>
      engine.readRaw(
        `select chat_id, messages from stats_people
         where bot_id = $1 and user_id = $2 and grain = ${grains.total} and chat_id <> ${wholeBot}
         order by messages desc, chat_id`,
        [botId, userId],
      ),
  };
}

/** Returns the hours before and after the whole days or months within the range. */
function edges([from, to]: Hours, wholeFrom: number, wholeTo: number): number[] {
  return wholeFrom < wholeTo ? [from, wholeFrom, wholeTo, to] : [from, to, 0, 0];
}

function monthsWithin([from, to]: Hours): readonly [from: number, to: number] {
  const first = calendarMonth(Math.floor(from / 24));
  return [hourOf(first) < from ? first + 1 : first, calendarMonth(Math.floor(to / 24))];
}

function hourOf(month: number): number {
  return firstDayOf(month) * 24;
}
