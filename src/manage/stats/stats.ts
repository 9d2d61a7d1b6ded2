import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import type { Caller } from '../../core/access/access.ts';
import { medianSeconds } from '../../core/stats/response-histogram.ts';
import { invalidField } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import type {
  Counts,
  DayCount,
  DeliveryHealth,
  HourCount,
  Hours,
  StatsScope,
  TopPerson,
} from '../../store/stats/stats.ts';
import {
  type BackgroundWork,
  backgroundWork,
  createBurstWatch,
  restAfter,
} from '../../store/background-work.ts';
import type { RatingCount } from '../../store/desks/rating-reads.ts';
import type { Store } from '../../store/store.ts';
import { requireManaged } from '../bots/managed-bot.ts';
import { nameOf } from '../people/topics.ts';

/** Counts stored messages in the background. */
export interface StatsCounter {
  /** Counts waiting messages, up to a few portions. */
  refresh(): Promise<void>;
  /** Runs until the signal aborts; resolves when it has ended. */
  run(signal: AbortSignal): Promise<void>;
}

export interface Stats {
  /** 0 for all chats; the ID of the supergroup if a group became one. */
  chatId: number;
  /** 0 for the whole chat. */
  threadId: number;
  from: number;
  to: number;
  days: DayCount[];
  /** Empty for a long range. */
  hours: HourCount[];
  /** Messages by hour of the day, 24 numbers. */
  hoursOfDay: number[];
  active: number;
  top: TopPerson[];
  /** The topics with most messages, if the whole of a chat is asked for. */
  topics: (Counts & { message_thread_id: number; name: string })[];
  answers: number;
  medianSeconds: number | undefined;
  deliveries: DeliveryHealth;
  /** Customers gave them once their conversation was done. */
  ratings: RatingCount[];
}

export interface StatsService {
  of(
    caller: Caller,
    query: {
      bot_id: number;
      chat_id?: number;
      message_thread_id?: number;
      from?: string;
      to?: string;
    },
  ): Promise<Stats>;
}

const countedPerRefresh = 6_000;
const auditPortion = 300;
const idleMs = 2_000;
/** What comes within this time is counted together, because its messages share counters. */
const gatherMs = 1_000;
const minPauseMs = 5;
/**
 * The pause after a portion, as a multiple of the time that it took of the writer: counting takes a
 * tenth of the time, because receiving messages has priority.
 */
const pauseFactor = 9;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const auditRetentionMs = 366 * dayMs;

export function createStatsCounter(options: {
  store: Store;
  clock: Clock;
  logger: Logger;
}): StatsCounter {
  const { store, clock, logger } = options;
  const { stats } = store;
  let refreshing: Promise<void> | undefined;
  let tidiedAt = Number.NEGATIVE_INFINITY;
  const { portions } = stats;
  const isBurst = createBurstWatch();

  /**
   * Returns how much was done, and whether a whole portion of something was. Somebody waits for it
   * unless it is the work of the loop.
   */
  async function count(work?: BackgroundWork): Promise<{ done: number; isWhole: boolean }> {
    const taken = await stats.backfill(portions.messages, work);
    const counted = await stats.countMessages(portions.messages, work);
    const moved = await stats.applyChatMove(work);
    const attempts = await stats.countAttempts(portions.attempts, clock.now(), work);
    const isWhole =
      taken + moved > 0 || counted === portions.messages || attempts === portions.attempts;
    return { done: taken + counted + moved + attempts, isWhole };
  }

  async function catchUp(): Promise<void> {
    for (let counted = 0; counted < countedPerRefresh; counted += portions.messages) {
      if ((await count()).done === 0) return;
    }
  }

  async function tidy(): Promise<void> {
    if (clock.monotonic() - tidiedAt < hourMs) return;
    tidiedAt = clock.monotonic();
    while (
      (await store.audit.removeOlder(clock.now() - auditRetentionMs, auditPortion)) === auditPortion
    );
  }

  async function round(): Promise<number> {
    const backlog = await stats.backlog();
    const startedAt = clock.monotonic();
    const inBurst = isBurst(backlog, startedAt);
    const work = backgroundWork(backlog);
    const { done, isWhole } = await count(work);
    if (isWhole && !inBurst) {
      return Math.max(minPauseMs, restAfter(work, clock.monotonic() - startedAt, pauseFactor));
    }
    if (done > 0) return gatherMs;
    await tidy();
    return idleMs;
  }

  return {
    refresh() {
      refreshing ??= catchUp().finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
    async run(signal) {
      while (!signal.aborted) {
        const pauseMs = await round().catch((error: unknown) => {
          if (!signal.aborted) logger.error({ err: error }, 'counting messages failed');
          return idleMs;
        });
        await clock.sleep(pauseMs, signal).catch(() => {});
      }
    },
  };
}

const defaultDays = 30;
/** Longer ranges are reported by day only. */
const maxDaysByHour = 31;

export function createStatsService(options: {
  store: Store;
  counter: StatsCounter;
  clock: Clock;
}): StatsService {
  const { store, counter, clock } = options;
  return {
    async of(caller, { bot_id, chat_id = 0, message_thread_id: threadId = 0, from, to }) {
      await requireManaged(store, caller, bot_id);
      const end = to === undefined ? clock.now() : Date.parse(to);
      const start = from === undefined ? end - defaultDays * dayMs : Date.parse(from);
      if (start >= end) throw invalidField('from', reason('not_before_end'));
      if (threadId !== 0 && chat_id === 0) {
        throw invalidField('message_thread_id', reason('topic_needs_chat', { field: 'chat_id' }));
      }
      await counter.refresh();
      const hours = [Math.floor(start / hourMs), Math.ceil(end / hourMs)] as const;
      const isShort = end - start <= maxDaysByHour * dayMs;
      const chat = chat_id === 0 ? undefined : await store.chats.get(bot_id, chat_id);
      // A group's counters were moved to the supergroup that it became.
      const scope = { botId: bot_id, chatId: chat?.migrated_to || chat_id };
      const hasTopTopics = threadId === 0 && chat?.has_topics === 1;
      const range = [start, end] as const;
      const [counts, topics, deliveries, ratings] = await Promise.all([
        threadId === 0 ? ofChat(scope, hours, isShort) : ofTopic({ ...scope, threadId }, hours),
        hasTopTopics ? store.topicStats.topTopics(scope, hours) : [],
        store.stats.deliveries(bot_id, hours),
        threadId === 0 ? store.desks.ratings(scope, range) : [],
      ]);
      return {
        chatId: scope.chatId,
        threadId,
        from: start,
        to: end,
        ...counts,
        hours: isShort ? counts.hours : [],
        topics: topics.map(({ thread_id, name, ...sums }) => ({
          message_thread_id: thread_id,
          name: nameOf({ name, thread_id }),
          ...sums,
        })),
        deliveries,
        ratings,
      };
    },
  };

  async function ofChat(scope: StatsScope, hours: Hours, isShort: boolean): Promise<Counted> {
    const days = [Math.floor(hours[0] / 24), Math.ceil(hours[1] / 24)] as const;
    const [byDay, byHour, atHours, people, responses] = await Promise.all([
      store.stats.days(scope, hours),
      isShort ? store.stats.hours(scope, hours) : [],
      store.stats.hoursOfDay(scope, hours),
      store.stats.people(scope, days),
      store.stats.responses(scope, days),
    ]);
    return {
      days: byDay,
      hours: byHour,
      hoursOfDay: hoursOfDay(atHours),
      ...people,
      answers: responses.reduce((sum, { answers }) => sum + answers, 0),
      medianSeconds: medianSeconds(responses),
    };
  }

  async function ofTopic(scope: StatsScope & { threadId: number }, hours: Hours): Promise<Counted> {
    const counts = await store.topicStats.ofTopic(scope, hours);
    const days = new Map<number, DayCount>();
    for (const { hour, received, sent, media } of counts.hours) {
      const day = Math.floor(hour / 24);
      const sum = days.get(day) ?? { day, received: 0, sent: 0, media: 0 };
      days.set(day, sum);
      sum.received += received;
      sum.sent += sent;
      sum.media += media;
    }
    const atHours = counts.hours.map(({ hour, received, sent }) => ({
      hour: hour % 24,
      messages: received + sent,
    }));
    return { ...counts, days: [...days.values()], hoursOfDay: hoursOfDay(atHours) };
  }
}

/** What is counted of messages alone. */
type Counted = Omit<
  Stats,
  'chatId' | 'threadId' | 'from' | 'to' | 'topics' | 'deliveries' | 'ratings'
>;

/** Returns 24 numbers. */
function hoursOfDay(counts: readonly { hour: number; messages: number }[]): number[] {
  const sums = Array.from({ length: 24 }, () => 0);
  for (const { hour, messages } of counts) sums[hour] = (sums[hour] ?? 0) + messages;
  return sums;
}
