import { unpackReason } from '../../core/reasons/stored.ts';
import { updateKinds } from '../../core/log/update-kinds.ts';
import { dropPending } from './deliveries.ts';
import { type DialectName, type Engine, raw, type Step } from '../engine.ts';
import type { AllowedUpdatesEntry } from './allowed-updates.ts';
import type { LogHead } from '../log/log.ts';
import { handToPull, handToPush, unaskedMs } from './hand-over-queue.ts';
import { waitingForPush } from './push-progress.ts';

/** What a program asked for by `setWebhook` at the gateway, beyond what a bot has fields for. */
export interface WebhookOptions {
  /** 0 when it did not say. */
  maxConnections: number;
  /** null means everything but what has to be asked for by name; left out, the former list holds. */
  allowedUpdates?: readonly string[] | null;
  /** PEM of what the backend's certificate is checked against besides public authorities. */
  certificate?: string;
  /** What waits for the former backend, or for any, is forgotten before the first delivery. */
  dropsPending?: boolean;
  /** The bot's client or the app set it by setWebhook; left out, that stays as it is. */
  isSelfSet?: boolean;
}

/** What deleteWebhook asks for. */
export interface WebhookRemoval {
  isRemoved: true;
  dropsPending?: boolean;
}

export interface StoredWebhook extends WebhookOptions {
  allowedUpdates: readonly string[] | null;
  /** '' for none. */
  certificate: string;
  isSelfSet: boolean;
  /** Oldest first. What was queued under an earlier entry keeps it; before the first, all is wanted. */
  allowedUpdatesHistory: readonly AllowedUpdatesEntry[];
}

/** How forwarding to the backend goes. */
export interface PushSituation {
  pending: number;
  /** Milliseconds since the epoch, 0 when nothing failed lately. */
  lastErrorAt: number;
  lastError: string;
}

export interface WebhookRepository {
  /** Undefined for a backend that was set otherwise, or not at all. */
  get(botId: number, reader: string): Promise<StoredWebhook | undefined>;
  /** Of all backends of a bot, by reader. */
  list(botId: number): Promise<ReadonlyMap<string, StoredWebhook>>;
  situation(botId: number, reader: string): Promise<PushSituation>;
  /** How many updates a webhook would get that is set now, where nobody ever polled. */
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
// A backend may be away for long, and a program may change its mind often.
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
 * Stores options within the change of the bot they belong to. The kinds hold for what comes from now
 * on. Where nothing was forwarded before, push takes over the queue first.
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

/** deleteWebhook: long polls go on at the push reader's cursor, with the kinds it wanted. */
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

/** A backend is taken away otherwise: what waits under a webhook is polled as after deleteWebhook. */
export function* endWebhook(
  botId: number,
  context: Omit<SaveContext, 'wasForwarding'>,
): Step<void> {
  if (yield* allowedUpdatesHistoryFor(botId, context.reader))
    yield* dismissWebhook(botId, { isRemoved: true }, context);
}

/** As a consumer that takes over keeps them; undefined for a backend that setWebhook did not set. */
export function* allowedUpdatesHistoryFor(
  botId: number,
  reader: string,
): Step<AllowedUpdatesEntry[] | undefined> {
  const [row] = yield* raw<Row>(selectRow, [botId, reader]);
  if (!row) return undefined;
  const history = historyOf(row);
  // Before the first one all kinds were wanted.
  return history[0]?.after === 0 ? history : [{ after: 0, kinds: updateKinds }, ...history];
}

/** What is read again after this position is queued again: the entry of today holds for it. */
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

/** A person chose the backend; what the app asked for otherwise stays. */
export function* disownWebhook(botId: number, reader: string): Step<void> {
  yield* raw('update webhooks set self_set = 0 where bot_id = $1 and reader = $2', [botId, reader]);
}

/** The backend is another one now, or none: what was asked for the former does not hold for it. */
export function* removeWebhook(botId: number, reader: string): Step<void> {
  yield* raw('delete from webhooks where bot_id = $1 and reader = $2', [botId, reader]);
}

// Far enough back to find an error that still matters, near enough to be quick.
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
