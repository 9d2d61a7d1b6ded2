/* Reads the facts behind alerts, by bot. */
import { defaultApp } from '../../core/apps/app.ts';
import type { Reason } from '../../core/reasons/reason.ts';
import { unpackReason } from '../../core/reasons/stored.ts';
import type { Engine } from '../engine.ts';
import { type Words, wordsOf } from '../sql/dialect.ts';
import type { LogHead } from '../log/log.ts';
import { failureOf } from '../../core/log/reader-failure.ts';
import { isKnownKind, isOfKind, isUsed, isWaitedFor } from '../log/reader-sql.ts';
import { wasLate, wasRefused } from '../delivery/retry-queues.ts';
import { type PushProgress, readReaderState, unfinished } from '../../core/log/push-progress.ts';
import { pullReader, readerKind, readerKinds } from '../../core/log/reader-kinds.ts';

interface Counted {
  botId: number;
  count: number;
  /** The time of the oldest of them. */
  since: number;
}

/** An update that waits for a reader, or failed there. */
export interface UpdateOfReader {
  reader: string;
  position: number;
}

/** What is stored of a send about the message because of which it was made. */
export interface SendOrigin {
  chatId: number;
  context: string;
  intentKey: string | null;
}

/** A reader of a log that has not read all of it. */
export interface SlowReader extends Counted {
  reader: string;
  /** The first update that it has not read. */
  oldest: number;
  /** When it last moved. */
  movedAt: number;
  /** When the app that polls through it last called; 0 if unknown. */
  seenAt: number;
  /** The code of what keeps it from moving on; empty if nothing is known to. */
  failure: string;
  /** Nothing is sent to its backend at the moment, because the backend is down. */
  isPaused: boolean;
  /** Something reads through it, unless its bot is disabled. */
  isOn: boolean;
  /** A client has polled through it at least once; true for the service's own readers. */
  isUsed: boolean;
}

export interface AlertFacts {
  /** Dead letters that nobody replayed. */
  deadLetters: (Counted & { reader: string; oldest: number })[];
  /**
   * Chats that wait behind a failure, and whether their backend answers; `checked` means that they
   * are due. `oldest` is the first update in a queue; null if there is none.
   */
  waitingChats: (Counted & {
    reader: string;
    backend: 'silent' | 'answers' | 'checked';
    oldest: number | null;
  })[];
  slowReaders: SlowReader[];
  /** Sends whose outcome is unknown, with the origin of the first. */
  unknownSends: (Counted & SendOrigin)[];
  /** Updates that retention deleted before a reader had read them. */
  dropped: (Counted & { reader: string })[];
  /** Bots whose webhook at another program was removed. */
  movedWebhooks: { botId: number }[];
  /**
   * Routes that forward nothing because a bot at one end is disabled; the target is 0 if nothing is
   * sent through it.
   */
  stillRoutes: { routeId: number; botId: number; targetBotId: number }[];
  /** Routes into or from a topic that is gone; if both are, the one that they send into. */
  goneTopics: {
    routeId: number;
    botId: number;
    targetBotId: number;
    chatId: number;
    threadId: number;
    since: number;
  }[];
  /** Routes whose last message was refused since their last change; `text` says why. */
  failingRoutes: (Counted & {
    routeId: number;
    targetBotId: number;
    text: string;
    detail?: Reason;
    /** That of the last send. */
    context: string;
  })[];
}

export interface AlertFactRepository {
  /** Returns all facts; sends and losses count from that time on. */
  all(since: number): Promise<AlertFacts>;
  /** Returns those of these updates that the log or the dead letters still have. */
  updates(
    wanted: readonly (UpdateOfReader & { botId: number })[],
  ): Promise<{ botId: number; position: number; kind: string; raw: string }[]>;
}

/**
 * A bot that may be polled has an unnamed consumer from the start. If clients poll by name and none
 * ever polled without one, that consumer is not missed.
 */
const isExpected = `(r.name <> '${pullReader}' or ${isUsed} or not exists (
  select 1 from readers n where n.bot_id = r.bot_id and n.name like '${pullReader}_%'))`;

const queries = {
  deadLetters: `select bot_id as "botId", reader, count(*) as count, min(died_at) as since,
      min(position) as oldest
    from dead_letters where replayed_at = 0 group by bot_id, reader`,
  // The last observation counts: a check, or else the failures and the last few deliveries since
  // then.
  waitingChats: `select p.bot_id as "botId", p.reader, p.count, p.since, case
      when k.error <> '' then 'silent'
      when k.refused <> '' or p.refused > 0 or (p.late > 0 and k.error = '') or exists (select 1 from (
        select status, started_at from delivery_attempts a
        where a.bot_id = p.bot_id and a.reader = p.reader order by a.id desc limit 3
      ) as latest where status > 0 and started_at >= p.since) then 'answers'
      when k.error = '' then 'checked' else 'silent' end as backend, (
        select min(w.position) from retry_positions w
        where w.bot_id = p.bot_id and w.reader = p.reader) as oldest
    from (
      select bot_id, reader, count(*) as count, min(first_failed_at) as since,
        sum(case when ${wasRefused} then 1 else 0 end) as refused,
        sum(case when ${wasLate} then 1 else 0 end) as late
      from retry_queues where attempts > 0 group by bot_id, reader
    ) as p left join backend_health k on k.bot_id = p.bot_id and k.reader = p.reader
      and k.checked_at >= coalesce((select a.started_at + a.duration_ms from delivery_attempts a
        where a.bot_id = p.bot_id and a.reader = p.reader order by a.id desc limit 1), 0)`,
  slowReaders: `select r.bot_id as "botId", r.name as reader, r.updated_at as "movedAt",
      r.position, r.state, h.last_position as "lastPosition", h.trimmed_to as "trimmedTo", coalesce((
        select l.received_at from log l
        where l.bot_id = r.bot_id and l.position > r.position order by l.position limit 1
      ), 0) as since, coalesce((select v.last_seen_at from apps a
        join app_activity v on v.app_id = a.id where a.bot_id = r.bot_id and a.name = case r.name
          when '${pullReader}' then '${defaultApp}' else substr(r.name, ${pullReader.length + 1}) end
          and ${isOfKind('pull', 'r.name')}
      ), 0) as "seenAt", case when ${isWaitedFor('r.name')} then 1 else 0 end as "isOn",
      case when ${isUsed} then 1 else 0 end as "isUsed"
    from readers r join log_heads h on h.bot_id = r.bot_id join bots b on b.id = r.bot_id
    where h.last_position > r.position and r.position >= 0 and ${isKnownKind('r.name')}`,
  unknownSends: `select u.bot_id as "botId", u.count, u.since, o.chat_id as "chatId", o.context,
      o.intent_key as "intentKey"
    from (
      select bot_id, count(*) as count, min(updated_at) as since, min(id) as first
      from outbox where state = 'unknown' and updated_at >= $1 group by bot_id
    ) as u join outbox o on o.id = u.first`,
  dropped: `select r.bot_id as "botId", r.name as reader, r.dropped as count, r.dropped_at as since
    from readers r where r.dropped > 0 and r.dropped_at >= $1 and ${isExpected} and ${isKnownKind('r.name')}`,
  movedWebhooks: `select bot_id as "botId" from bot_runtime where previous_webhook <> ''`,
  stillRoutes: `select r.id as "routeId", r.source_bot_id as "botId",
      case when r.action = 'drop' then 0 else r.target_bot_id end as "targetBotId"
    from routes r join bots s on s.id = r.source_bot_id join bots t on t.id = r.target_bot_id
    where r.enabled = 1 and (s.disabled = 1 or (t.disabled = 1 and r.action <> 'drop'))`,
  // People may still write into an old topic into which the bot no longer can.
  goneTopics: `select r.id as "routeId", r.source_bot_id as "botId", r.target_bot_id as "targetBotId",
      coalesce(i.chat_id, f.chat_id) as "chatId", coalesce(i.thread_id, f.thread_id) as "threadId",
      coalesce(i.gone_at, f.gone_at) as since
    from routes r join bots s on s.id = r.source_bot_id join bots t on t.id = r.target_bot_id
    left join topics i on i.bot_id = r.target_bot_id and i.chat_id = r.target_chat_id
      and i.thread_id = r.target_thread_id and i.gone_at > 0 and r.action <> 'drop'
    left join topics f on f.bot_id = r.source_bot_id and f.chat_id = r.source_chat_id
      and f.thread_id = r.source_thread_id and f.gone_at > f.last_message_at
    where r.enabled = 1 and r.source_thread_id + r.target_thread_id > 0
      and s.disabled = 0 and (t.disabled = 0 or r.action = 'drop')
      and (i.thread_id is not null or f.thread_id is not null)`,
};

/**
 * A change of the route may have fixed it. Replies on the return path and choices of the model have
 * no route.
 */
const refusedByRoute = ({ json }: Words) => {
  /** SQL: a field of the context that is stored with a send. */
  const part = (name: string) => `(${json("nullif(o.context, '')")} ->> '${name}')`;
  return `
  select r.id as "routeId", r.source_bot_id as "botId", r.target_bot_id as "targetBotId",
    count(*) as count, min(o.updated_at) as since, max(o.id) as "lastSend"
  from outbox o join routes r on r.id = cast(${part('routeId')} as bigint)
  where o.state = 'failed' and o.origin = 'routed' and o.updated_at >= $1
    and ${part('kind')} = 'carry' and o.updated_at > r.updated_at and r.enabled = 1
  group by r.id, r.source_bot_id, r.target_bot_id`;
};

const wantedColumns = { bot_id: 'bigint', reader: 'text', position: 'bigint' } as const;

/** Dead letters outlast the log. */
const byPosition = ({ rows }: Words) => `
  select k.bot_id as "botId", k.position, coalesce(l.kind, d.kind) as kind,
    coalesce(l.raw, d.raw) as raw
  from (${rows(wantedColumns, 1)}) as k
  left join log l on l.bot_id = k.bot_id and l.position = k.position
  left join dead_letters d on d.bot_id = k.bot_id and d.reader = k.reader
    and d.position = k.position
  where coalesce(l.raw, d.raw) is not null`;

export function createAlertFactRepository(engine: Engine): AlertFactRepository {
  const read = <T>(sql: string, parameters: unknown[] = []) => engine.readRaw<T>(sql, parameters);

  async function readersBehind(): Promise<SlowReader[]> {
    const rows = await read<
      Omit<SlowReader, 'isOn' | 'isUsed' | 'oldest'> & {
        isOn: number;
        isUsed: number;
      } & PushProgress &
        LogHead
    >(queries.slowReaders);
    return rows
      .map(({ botId, reader, movedAt, seenAt, since, isOn, isUsed: used, ...progress }) => {
        const { finishesAhead, retries } = readerKinds[readerKind(reader)];
        const state = finishesAhead ? progress.state : '';
        return {
          botId,
          reader,
          movedAt,
          seenAt,
          since,
          oldest: Math.max(progress.position, progress.trimmedTo) + 1,
          count: unfinished({ ...progress, state }, progress),
          failure: failureOf(progress.state),
          isPaused: retries && readReaderState(progress.state).paused,
          isOn: isOn === 1,
          isUsed: used === 1,
        };
      })
      .filter(({ count }) => count > 0);
  }

  /**
   * This is asked every few seconds: while there are none, no thread for long reads is needed,
   * which takes 10 MB.
   */
  async function isThere(from: string, parameters: unknown[] = []): Promise<boolean> {
    return (await read(`select 1 as one from ${from} limit 1`, parameters)).length > 0;
  }

  async function deadLetters(): Promise<AlertFacts['deadLetters']> {
    if (!(await isThere('dead_letters'))) return [];
    // There may be very many, each with the text of its update.
    return engine.readHeavy(queries.deadLetters, []);
  }

  async function failingRoutes(sendsSince: number): Promise<AlertFacts['failingRoutes']> {
    const failed = "outbox where state = 'failed' and updated_at >= $1";
    if (!(await isThere(failed, [sendsSince]))) return [];
    const refused = await engine.readHeavy<
      Omit<AlertFacts['failingRoutes'][number], 'text' | 'detail' | 'context'> & {
        lastSend: number;
      }
    >(refusedByRoute(wordsOf[engine.dialect]), [sendsSince]);
    const routes = await Promise.all(
      refused.map(async ({ lastSend, ...route }) => {
        const [unresolved] = await engine.readHeavy<{ error: string; context: string }>(
          `select o.error, o.context from outbox o where o.id = $1 and not exists (
             select 1 from message_pairs p where p.created_at > o.updated_at and p.route_id = $2)`,
          [lastSend, route.routeId],
        );
        if (!unresolved) return undefined;
        const { text, detail } = unpackReason(unresolved.error);
        return { ...route, text, ...(detail ? { detail } : {}), context: unresolved.context };
      }),
    );
    return routes.filter((route) => route !== undefined);
  }

  return {
    async all(since) {
      const [
        dead,
        waitingChats,
        slowReaders,
        unknownSends,
        dropped,
        movedWebhooks,
        stillRoutes,
        goneTopics,
        failing,
      ] = await Promise.all([
        deadLetters(),
        read<AlertFacts['waitingChats'][number]>(queries.waitingChats),
        readersBehind(),
        read<AlertFacts['unknownSends'][number]>(queries.unknownSends, [since]),
        read<AlertFacts['dropped'][number]>(queries.dropped, [since]),
        read<{ botId: number }>(queries.movedWebhooks),
        read<AlertFacts['stillRoutes'][number]>(queries.stillRoutes),
        read<AlertFacts['goneTopics'][number]>(queries.goneTopics),
        failingRoutes(since),
      ]);
      return {
        deadLetters: dead,
        waitingChats,
        slowReaders,
        unknownSends,
        dropped,
        movedWebhooks,
        stillRoutes,
        goneTopics,
        failingRoutes: failing,
      };
    },
    updates(wanted) {
      const rows = wanted.map(({ botId, reader, position }) => [botId, reader, position]);
      const words = wordsOf[engine.dialect];
      return read(byPosition(words), words.rowParameters(wantedColumns, rows));
    },
  };
}
