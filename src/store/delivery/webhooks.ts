import { unpackReason } from '../../core/reasons/stored.ts';
import type { AllowedUpdatesEntry } from '../../core/log/consumer-state.ts';
import { updateKinds } from '../../core/log/update-kinds.ts';
import { dropPending } from './deliveries.ts';
import { type DialectName, type Engine, raw, type Step } from '../engine.ts';
import type { LogHead } from '../log/log.ts';
import { handToPull, handToPush, unaskedMs } from './hand-over-queue.ts';
import { waitingForPush } from '../../core/log/push-progress.ts';

/** The options of `setWebhook` at the gateway, beyond those for which a bot has fields. */
export interface WebhookOptions {
  /** 0 if it was not set. */
  maxConnections: number;
  /** null means everything except kinds that must be named; if left out, the former list stays. */
  allowedUpdates?: readonly string[] | null;
  /**
   * The PEM against which the backend's certificate is checked in addition to public authorities.
   */
  certificate?: string;
  /** Drops, before the first delivery, what waits for the former backend or for any. */
  dropsPending?: boolean;
  /** True if the bot's client or the app called setWebhook; if left out, the stored value stays. */
  isSelfSet?: boolean;
}

/** The options of deleteWebhook. */
export interface WebhookRemoval {
  isRemoved: true;
  dropsPending?: boolean;
}

export interface StoredWebhook extends WebhookOptions {
  allowedUpdates: readonly string[] | null;
  /** '' if there is none. */
  certificate: string;
  isSelfSet: boolean;
  /**
   * Oldest first. Updates queued under an earlier entry follow that entry; before the first one,
   * all kinds are wanted.
   */
  allowedUpdatesHistory: readonly AllowedUpdatesEntry[];
}

/** The state of forwarding to the backend. */
export interface PushSituation {
  pending: number;
  /** Milliseconds since the epoch; 0 if nothing failed recently. */
  lastErrorAt: number;
  lastError: string;
}

export interface WebhookRepository {
  /** Undefined for a backend that was not set by setWebhook, or not at all. */
  get(botId: number, reader: string): Promise<StoredWebhook | undefined>;
  /** Lists the webhooks of all backends of a bot, by reader. */
  list(botId: number): Promise<ReadonlyMap<string, StoredWebhook>>;
  situation(botId: number, reader: string): Promise<PushSituation>;
  /** Counts the updates that a new webhook would get if nobody ever polled. */
  unasked(botId: number, reader: string, nowMs: number): Promise<number>;
}

interface Row {
  maxConnections: number;
  /** '' for the default. */
  allowedUpdates: string;
  since: number;
  earlier: string;
  certificate: string;
  selfSet: number;
}

interface ReaderCursor {
  position: number;
  state: string;
  waiting: number;
}

const columns = `max_connections as "maxConnections", allowed_updates as "allowedUpdates",
    since, earlier, certificate, self_set as "selfSet"`;
const selectRow = `select ${columns} from webhooks where bot_id = $1 and reader = $2`;
// A backend may be unavailable for long, and a client may often change its choice.
const maxHistory = 20;

const kindsOf = ({ allowedUpdates }: Row) =>
  allowedUpdates === '' ? null : (JSON.parse(allowedUpdates) as string[]);

function historyOf(row: Row): AllowedUpdatesEntry[] {
  const earlier = row.earlier === '' ? [] : (JSON.parse(row.earlier) as AllowedUpdatesEntry[]);
  return [...earlier, { after: row.since, kinds: kindsOf(row) }];
}

function toWebhook(row: Row): StoredWebhook {
  const { certificate, maxConnections } = row;
  return {
    maxConnections,
    certificate,
    isSelfSet: row.selfSet === 1,
    allowedUpdates: kindsOf(row),
    allowedUpdatesHistory: historyOf(row),
  };
}

interface SaveContext {
  /** The push reader that delivers to the backend. */
  reader: string;
  dialect: DialectName;
  wasForwarding: boolean;
  nowMs: number;
}

/**
 * Stores options within the change of the bot they belong to. The kinds apply to later updates. If
 * nothing was forwarded before, push takes over the queue first.
 */
export function* saveWebhook(
  botId: number,
  options: WebhookOptions,
  { reader, dialect, wasForwarding, nowMs }: SaveContext,
): Step<void> {
  const { maxConnections, allowedUpdates, certificate = '', dropsPending = false } = options;
  const handed = wasForwarding
    ? undefined
    : yield* handToPush(botId, reader, { dialect, nowMs, dropsPending });
  if (wasForwarding && dropsPending) yield* dropPending(botId, reader, nowMs);
  const [row] = yield* raw<Row>(selectRow, [botId, reader]);
  const former = row ? historyOf(row) : (handed ?? []);
  const kinds = allowedUpdates === undefined ? (former.at(-1)?.kinds ?? null) : allowedUpdates;
  const text = kinds ? JSON.stringify(kinds) : '';
  let { since, earlier } = row ?? { since: 0, earlier: '' };
  if (row?.allowedUpdates !== text && (row || handed || wasForwarding)) {
    const [progress] = yield* raw<{ last: number | null; read: number | null }>(
      `select (select last_position from log_heads where bot_id = $1) as last,
         (select position from readers where bot_id = $1 and name = $2) as read`,
      [botId, reader],
    );
    since = progress?.last ?? 0;
    const needed = former.filter(
      (_, index) => (former[index + 1]?.after ?? since) > (progress?.read ?? 0),
    );
    earlier = needed.length === 0 ? '' : JSON.stringify(needed.slice(-maxHistory));
  }
  const selfSet = (options.isSelfSet ?? row?.selfSet === 1) ? 1 : 0;
  yield* raw(
    `insert into webhooks
       (bot_id, reader, max_connections, allowed_updates, since, earlier, certificate, set_at,
        self_set)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (bot_id, reader) do update set max_connections = excluded.max_connections,
       allowed_updates = excluded.allowed_updates, since = excluded.since,
       earlier = excluded.earlier, certificate = excluded.certificate, set_at = excluded.set_at,
       self_set = excluded.self_set`,
    [botId, reader, maxConnections, text, since, earlier, certificate, nowMs, selfSet],
  );
}

/** Runs for deleteWebhook: polls continue at the push reader's cursor, with the kinds it wanted. */
export function* dismissWebhook(
  botId: number,
  { dropsPending = false }: WebhookRemoval,
  { reader, dialect, nowMs }: Omit<SaveContext, 'wasForwarding'>,
): Step<void> {
  yield* handToPull(botId, reader, yield* allowedUpdatesHistoryFor(botId, reader), {
    dialect,
    nowMs,
    dropsPending,
  });
  yield* removeWebhook(botId, reader);
}

/**
 * Runs when a backend is removed without deleteWebhook: what waits for a webhook is then polled, as
 * after deleteWebhook.
 */
export function* endWebhook(
  botId: number,
  context: Omit<SaveContext, 'wasForwarding'>,
): Step<void> {
  if (yield* allowedUpdatesHistoryFor(botId, context.reader))
    yield* dismissWebhook(botId, { isRemoved: true }, context);
}

/**
 * Returns the history for a consumer that takes over; undefined for a backend that setWebhook did
 * not set.
 */
export function* allowedUpdatesHistoryFor(
  botId: number,
  reader: string,
): Step<AllowedUpdatesEntry[] | undefined> {
  const [row] = yield* raw<Row>(selectRow, [botId, reader]);
  if (!row) return undefined;
  const history = historyOf(row);
  // Before the first entry all kinds were wanted.
  return history[0]?.after === 0 ? history : [{ after: 0, kinds: updateKinds }, ...history];
}

/**
 * Updates read again after this position count as queued again, so the latest entry applies to
 * them.
 */
export function* restartAllowedUpdates(
  botId: number,
  reader: string,
  position: number,
): Step<void> {
  yield* raw(
    `update webhooks set since = $3, earlier = ''
     where bot_id = $1 and reader = $2 and since > $3`,
    [botId, reader, position],
  );
}

/** Records that a person chose the backend; other choices of the app stay. */
export function* disownWebhook(botId: number, reader: string): Step<void> {
  yield* raw('update webhooks set self_set = 0 where bot_id = $1 and reader = $2', [botId, reader]);
}

/** Removes the options, which do not apply to another backend. */
export function* removeWebhook(botId: number, reader: string): Step<void> {
  yield* raw('delete from webhooks where bot_id = $1 and reader = $2', [botId, reader]);
}

// The search goes far enough back to find an error that still matters, and is still quick.
const attemptsSearched = 1_000;

export function createWebhookRepository(engine: Engine): WebhookRepository {
  return {
    async get(botId, reader) {
      const [row] = await engine.readRaw<Row>(selectRow, [botId, reader]);
      return row && toWebhook(row);
    },
    async list(botId) {
      const rows = await engine.readRaw<Row & { reader: string }>(
        `select reader, ${columns} from webhooks where bot_id = $1`,
        [botId],
      );
      return new Map(rows.map((row) => [row.reader, toWebhook(row)]));
    },
    async unasked(botId, reader, nowMs) {
      const [opened] = await engine.readRaw(
        'select 1 as one from readers where bot_id = $1 and name = $2',
        [botId, reader],
      );
      if (opened) return (await this.situation(botId, reader)).pending;
      const [counted] = await engine.readHeavy<{ count: number }>(
        'select count(*) as count from log where bot_id = $1 and received_at >= $2',
        [botId, nowMs - unaskedMs],
      );
      return Number(counted?.count ?? 0);
    },
    async situation(botId, reader) {
      const [cursor] = await engine.readRaw<LogHead & ReaderCursor>(
        `select r.state, r.position, h.last_position as "lastPosition",
           h.trimmed_to as "trimmedTo", (select count(*) from retry_positions p
             where p.bot_id = r.bot_id and p.reader = r.name) as waiting
         from readers r join log_heads h on h.bot_id = r.bot_id
         where r.bot_id = $1 and r.name = $2`,
        [botId, reader],
      );
      const [failure] = await engine.readRaw<{ at: number; error: string }>(
        `select started_at as at, error from
           (select id, started_at, error from delivery_attempts
            where bot_id = $1 and reader = $2 order by id desc limit ${attemptsSearched}) as latest
         where error <> '' order by id desc limit 1`,
        [botId, reader],
      );
      return {
        pending: cursor ? waitingForPush(cursor, cursor, cursor.waiting) : 0,
        lastErrorAt: failure?.at ?? 0,
        lastError: unpackReason(failure?.error ?? '').text,
      };
    },
  };
}
