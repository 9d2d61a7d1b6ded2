import type { Engine } from './engine.ts';
import { createStatsCounting, type StatsCounting } from './stats-count.ts';
import { grains, monthOf, wholeBot } from './stats-fold.ts';

export interface StatsPlace {
  botId: number;
  /** 0 for all chats of the bot. */
  chatId: number;
}

/** Hours or days since the epoch; the second is not part of it. */
export type Range = readonly [from: number, to: number];

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
  /** How many updates wait behind a failure right now. */
  parked: number;
  dead_letters: number;
}

export interface StatsStore extends StatsCounting {
  hours(place: StatsPlace, hours: Range): Promise<HourCount[]>;
  /** The same hours added up by the day, as many rows of a long range would be slow to hand over. */
  days(place: StatsPlace, hours: Range): Promise<DayCount[]>;
  /** Messages at each hour of the day (UTC). */
  hoursOfDay(place: StatsPlace, hours: Range): Promise<{ hour: number; messages: number }[]>;
  people(place: StatsPlace, days: Range): Promise<{ active: number; top: TopPerson[] }>;
  responses(place: StatsPlace, days: Range): Promise<{ bucket: number; answers: number }[]>;
  deliveries(botId: number, hours: Range): Promise<DeliveryHealth>;
  /** How often somebody wrote in each chat of a bot. */
  chatsOf(botId: number, userId: number): Promise<{ chat_id: number; messages: number }[]>;
}

const topPeople = 10;

export function createStatsStore(engine: Engine): StatsStore {
  /** The first and the last hour in which anything happened. */
  async function span(place: StatsPlace): Promise<Range> {
    const [row] = await engine.readHeavy<{ first: number | null; last: number | null }>(
      `select min(hour) as first, max(hour) as last from stats_hours
       where bot_id = $1 and chat_id = $2`,
      [place.botId, place.chatId],
    );
    return [row?.first ?? 0, row?.last ?? 0];
  }

  return {
    ...createStatsCounting(engine),
    hours: ({ botId, chatId }, [from, to]) =>
      engine.readHeavy<HourCount>(
        `select hour, received, sent, media from stats_hours
         where bot_id = $1 and chat_id = $2 and hour >= $3 and hour < $4 order by hour`,
        [botId, chatId, from, to],
      ),
    days: ({ botId, chatId }, [from, to]) =>
      engine.readHeavy<DayCount>(
        `select hour / 24 as day, sum(received) as received, sum(sent) as sent,
           sum(media) as media
         from stats_hours where bot_id = $1 and chat_id = $2 and hour >= $3 and hour < $4
         group by hour / 24 order by day`,
        [botId, chatId, from, to],
      ),
    hoursOfDay: ({ botId, chatId }, [from, to]) =>
      engine.readHeavy(
        `select hour % 24 as hour, sum(received + sent) as messages
         from stats_hours where bot_id = $1 and chat_id = $2 and hour >= $3 and hour < $4
         group by hour % 24`,
        [botId, chatId, from, to],
      ),
    async people(place, days) {
      const [first, last] = await span(place);
      const isAll = days[0] * 24 <= first && days[1] * 24 > last;
      const parts = isAll ? [[grains.total, 0, 0] as const] : partsOf(days);
      const parameters: number[] = [place.botId, place.chatId];
      const selects = parts.map(([grain, from, to]) => {
        const at = parameters.push(from, to);
        return `select user_id, messages from stats_people
          where bot_id = $1 and chat_id = $2 and grain = ${grain}
            and bucket >= $${at - 1} and bucket <= $${at}`;
      });
      if (selects.length === 0) return { active: 0, top: [] };
      const counted = selects.join(' union all ');
      // Within one bucket nobody stands twice, so there is nothing to group.
      const sums = isAll
        ? `select user_id, messages, (select count(*) from (${counted}) as everyone) as active
           from (${counted}) as counted`
        : `select user_id, sum(messages) as messages, count(*) over () as active
           from (${counted}) as counted group by user_id`;
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
           (select count(*) from parked_positions where bot_id = $1) as parked,
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

type Part = readonly [grain: number, from: number, to: number];

/** A range of days as whole years, whole months and the days at its ends: few rows in any case. */
function partsOf([from, to]: Range): Part[] {
  const isFirst = (day: number) => monthOf(day) !== monthOf(day - 1);
  let monthsFrom = from;
  while (monthsFrom < to && !isFirst(monthsFrom)) monthsFrom++;
  let monthsTo = to;
  while (monthsTo > monthsFrom && !isFirst(monthsTo)) monthsTo--;
  const months = monthsTo > monthsFrom ? monthParts(monthOf(monthsFrom), monthOf(monthsTo)) : [];
  return [
    ...months,
    ...partOf(grains.day, from, months.length > 0 ? monthsFrom : to),
    ...partOf(grains.day, months.length > 0 ? monthsTo : to, to),
  ];
}

function monthParts(from: number, to: number): Part[] {
  const years = [Math.ceil(from / 12), Math.floor(to / 12)] as const;
  if (years[0] >= years[1]) return partOf(grains.month, from, to);
  return [
    ...partOf(grains.year, ...years),
    ...partOf(grains.month, from, years[0] * 12),
    ...partOf(grains.month, years[1] * 12, to),
  ];
}

function partOf(grain: number, from: number, to: number): Part[] {
  return from < to ? [[grain, from, to - 1]] : [];
}
