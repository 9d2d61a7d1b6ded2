/* Finds in the database what is wrong, beyond what needs attention. */
import type { AlertKind, AlertParams } from '../../core/alerts/alerts.ts';
import { isKnownKind, isUsed, isWaitedFor } from '../log/reader-sql.ts';
import { type Engine, raw } from '../engine.ts';
import type { SendOrigin } from './alert-facts.ts';

export interface AlertThresholds {
  /** An app with a token that polls and was not seen for this long; 0 turns the alert off. */
  appNotSeenMs: number;
  /** The number of updates that a reader may be behind; 0 for any number. */
  readerLag: number;
}

/** A pattern of an app or of a route; the other ID is 0. */
export interface UndecidedPattern {
  botId: number;
  appId: number;
  routeId: number;
}

/** A chat that Telegram makes wait. */
export interface StoredFloodWait {
  botId: number;
  chatId: number;
  since: number;
  until: number;
  /** The app that used the chat most; '' for the relay itself. */
  app: string;
}

export interface AlertConditionRepository {
  /** Records a flood wait, and forgets those that are over. */
  recordFloodWait(wait: StoredFloodWait, nowMs: number): Promise<void>;
  /** Lists the flood waits that are not over. */
  floodWaits(nowMs: number): Promise<StoredFloodWait[]>;
  /** Counts broadcasts that paused by themselves, with the reason of one. */
  pausedBroadcasts(): Promise<{ botId: number; count: number; since: number; why: string }[]>;
  /** Counts scheduled sends that were due before `dueBefore` and wait for a person. */
  heldSends(
    dueBefore: number,
    overdueBefore: number,
  ): Promise<{ botId: number; count: number; since: number }[]>;
  appsNotSeen(seenBefore: number): Promise<{ botId: number; app: string }[]>;
  /**
   * Lists apps that Telegram refused this often in a row, the last time since then; chat 0 means
   * none or several.
   */
  rateLimitedApps(
    since: number,
    least: number,
  ): Promise<{ botId: number; app: string; chatId: number }[]>;
  /** Records patterns that reached their time limit, and forgets earlier ones. */
  recordUndecided(patterns: readonly UndecidedPattern[], nowMs: number): Promise<void>;
  /** Lists the apps and routes with a pattern that was left undecided since then. */
  undecidedPatterns(
    since: number,
  ): Promise<{ botId: number; app: string | null; routeId: number }[]>;
  /**
   * Lists readers with more updates before them than that; readers of clients only if a client has
   * polled.
   */
  slowReaders(
    most: number,
  ): Promise<{ botId: number; reader: string; count: number; oldest: number }[]>;
  /**
   * Counts failed sends, without routed ones, which have their own alert; with the origin of the
   * last.
   */
  failedSends(
    since: number,
    least: number,
  ): Promise<({ botId: number; count: number } & SendOrigin)[]>;
  /** Returns which of these nodes were seen since. */
  nodesSeen(ids: readonly string[], since: number): Promise<string[]>;
  /** Lists bots with apps that have a backend. */
  botsWithBackendApps(): Promise<number[]>;
  /** Lists open alerts of that kind. */
  openOf(kind: AlertKind): Promise<{ botId: number; subject: string; params: AlertParams }[]>;
  /** Makes the node the one that watches, or keeps it so; false while another one does. */
  lead(node: string, nowMs: number, forMs: number): Promise<boolean>;
}

/** A pattern counts as decided this long after it was last left undecided. */
export const undecidedForMs = 5 * 60_000;

const leaderName = 'alerts_led_by';

export function createAlertConditionRepository(engine: Engine): AlertConditionRepository {
  return {
    recordFloodWait: ({ botId, chatId, since, until, app }, nowMs) =>
      engine.write(function* () {
        yield* raw('delete from flood_waits where until <= $1', [nowMs]);
        // The bot may be deleted, so the row is inserted only if it exists.
        yield* raw(
          `insert into flood_waits (bot_id, chat_id, since, until, app)
           select id, $2, $3, $4, $5 from bots where id = $1
           on conflict (bot_id, chat_id) do update set until = excluded.until, app = excluded.app`,
          [botId, chatId, since, until, app],
        );
      }),
    floodWaits: (nowMs) =>
      engine.readRaw(
        `select w.bot_id as "botId", w.chat_id as "chatId", w.since, w.until, w.app
         from flood_waits w join bots b on b.id = w.bot_id
         where w.until > $1 and b.disabled = 0 order by w.bot_id, w.chat_id`,
        [nowMs],
      ),
    pausedBroadcasts: () =>
      engine.readRaw(
        `select bot_id as "botId", count(*) as count, min(updated_at) as since, max(reason) as why
         from broadcasts where state = 'paused' and reason <> '' group by bot_id`,
        [],
      ),
    heldSends: (dueBefore, overdueBefore) =>
      engine.readRaw(
        `select o.bot_id as "botId", count(*) as count, min(o.send_at) as since
         from outbox o join bots b on b.id = o.bot_id
         where o.state = 'scheduled' and o.send_at <= $1
           and (b.disabled = 1 or o.error <> '' or o.send_at <= $2)
         group by o.bot_id`,
        [dueBefore, overdueBefore],
      ),
    appsNotSeen: (seenBefore) =>
      engine.readRaw(
        `select a.bot_id as "botId", a.name as app from apps a
         join app_activity v on v.app_id = a.id join bots b on b.id = a.bot_id
         where a.token_hash is not null and a.mode = 'poll' and a.disabled = 0 and b.disabled = 0
           and v.last_seen_at > 0 and v.last_seen_at < $1 order by a.id`,
        [seenBefore],
      ),
    rateLimitedApps: (since, least) =>
      engine.readRaw(
        `select a.bot_id as "botId", a.name as app, v.rate_limited_chat as "chatId" from apps a
         join app_activity v on v.app_id = a.id join bots b on b.id = a.bot_id
         where a.disabled = 0 and b.disabled = 0 and v.rate_limited_at >= $1
           and v.rate_limited_lately >= $2 order by a.id`,
        [since, least],
      ),
    recordUndecided: (patterns, nowMs) =>
      engine.write(function* () {
        yield* raw('delete from undecided_patterns where at < $1', [nowMs - undecidedForMs]);
        // All nodes use the same order, so that two of them cannot deadlock.
        const sorted = patterns.toSorted(
          (a, b) => a.botId - b.botId || a.appId - b.appId || a.routeId - b.routeId,
        );
        for (const { botId, appId, routeId } of sorted) {
          // The bot may be deleted, so the row is inserted only if it exists.
          yield* raw(
            `insert into undecided_patterns (bot_id, app_id, route_id, at)
             select id, $2, $3, $4 from bots where id = $1
             on conflict (bot_id, app_id, route_id) do update set at = excluded.at`,
            [botId, appId, routeId, nowMs],
          );
        }
      }),
    undecidedPatterns: (since) =>
      engine.readRaw(
        `select u.bot_id as "botId", a.name as app, u.route_id as "routeId"
         from undecided_patterns u join bots b on b.id = u.bot_id
         left join apps a on a.id = u.app_id left join routes r on r.id = u.route_id
         where u.at >= $1 and b.disabled = 0 and (a.disabled = 0 or r.enabled = 1)
         order by u.bot_id, u.app_id, u.route_id`,
        [since],
      ),
    slowReaders: (most) =>
      engine.readRaw(
        `select r.bot_id as "botId", r.name as reader, h.last_position
           - case when r.position > h.trimmed_to then r.position else h.trimmed_to end as count,
           case when r.position > h.trimmed_to then r.position else h.trimmed_to end + 1 as oldest
         from readers r join log_heads h on h.bot_id = r.bot_id join bots b on b.id = r.bot_id
         where b.disabled = 0 and r.position >= 0 and h.last_position - r.position > $1
           and h.last_position - h.trimmed_to > $1 and ${isWaitedFor('r.name')}
           and ${isKnownKind('r.name')} and ${isUsed} order by r.bot_id, r.name`,
        [most],
      ),
    failedSends: (since, least) =>
      engine.readRaw(
        `select f.bot_id as "botId", f.count, o.chat_id as "chatId", o.context,
           o.intent_key as "intentKey"
         from (
           select bot_id, count(*) as count, max(id) as last from outbox
           where state = 'failed' and updated_at >= $1 and origin <> 'routed'
             and (intent_key is null or intent_key not like 'alert:%')
           group by bot_id having count(*) >= $2
         ) as f join outbox o on o.id = f.last order by f.bot_id`,
        [since, least],
      ),
    async nodesSeen(ids, since) {
      if (ids.length === 0) return [];
      const rows = await engine.readRaw<{ id: string }>(
        'select id from nodes where seen_at >= $1 order by id',
        [since],
      );
      return rows.map(({ id }) => id).filter((id) => ids.includes(id));
    },
    async botsWithBackendApps() {
      const rows = await engine.readRaw<{ botId: number }>(
        `select distinct bot_id as "botId" from apps where mode = 'webhook' and disabled = 0`,
        [],
      );
      return rows.map(({ botId }) => botId);
    },
    async openOf(kind) {
      const rows = await engine.readRaw<{ botId: number; subject: string; params: string }>(
        `select bot_id as "botId", subject, params from alerts where resolved_at = 0 and kind = $1`,
        [kind],
      );
      return rows.map((row) => ({ ...row, params: JSON.parse(row.params) as AlertParams }));
    },
    async lead(node, nowMs, forMs) {
      // Times of thirteen digits can be compared as text.
      const rows = await engine.write(function* () {
        const result = yield {
          sql: `insert into settings (name, value) values ('${leaderName}', $1)
            on conflict (name) do update set value = excluded.value
            where settings.value < $2 or settings.value > $3 or settings.value like $4
            returning name`,
          parameters: [
            `${nowMs + forMs} ${node}`,
            String(nowMs),
            String(nowMs + 2 * forMs),
            `% ${node}`,
          ],
        };
        return result.rows;
      });
      return rows.length === 1;
    },
  };
}
