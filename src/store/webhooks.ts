import { pushReader } from './deliveries.ts';
import { type Engine, raw } from './engine.ts';

/** What a program asked for by `setWebhook` at the gateway. */
export interface WebhookWishes {
  maxConnections: number;
  /** null means everything but what has to be asked for by name. */
  allowedUpdates: readonly string[] | null;
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
  get(botId: number): Promise<WebhookWishes | undefined>;
  save(botId: number, wishes: WebhookWishes, nowMs: number): Promise<void>;
  remove(botId: number): Promise<void>;
  situation(botId: number): Promise<PushSituation>;
}

// Far enough back to find an error that still matters, near enough to be quick.
const attemptsSearched = 1_000;

export function createWebhookRepository(engine: Engine): WebhookRepository {
  return {
    async get(botId) {
      const [row] = await engine.readRaw<{ maxConnections: number; allowedUpdates: string }>(
        `select max_connections as "maxConnections", allowed_updates as "allowedUpdates"
         from webhooks where bot_id = $1`,
        [botId],
      );
      return (
        row && {
          maxConnections: row.maxConnections,
          allowedUpdates:
            row.allowedUpdates === '' ? null : (JSON.parse(row.allowedUpdates) as string[]),
        }
      );
    },
    async save(botId, { maxConnections, allowedUpdates }, nowMs) {
      await engine.write(() =>
        raw(
          `insert into webhooks (bot_id, max_connections, allowed_updates, set_at)
           values ($1, $2, $3, $4)
           on conflict (bot_id) do update set max_connections = excluded.max_connections,
             allowed_updates = excluded.allowed_updates, set_at = excluded.set_at`,
          [botId, maxConnections, allowedUpdates ? JSON.stringify(allowedUpdates) : '', nowMs],
        ),
      );
    },
    async remove(botId) {
      await engine.write(() => raw('delete from webhooks where bot_id = $1', [botId]));
    },
    async situation(botId) {
      const [reader] = await engine.readRaw<{ state: string; behind: number; parked: number }>(
        `select r.state, h.last_position - r.position as behind,
           (select count(*) from parked_positions p where p.bot_id = r.bot_id) as parked
         from readers r join log_heads h on h.bot_id = r.bot_id
         where r.bot_id = $1 and r.name = '${pushReader}'`,
        [botId],
      );
      const [failure] = await engine.readRaw<{ at: number; error: string }>(
        `select started_at as at, error from
           (select id, started_at, error from delivery_attempts where bot_id = $1
            order by id desc limit ${attemptsSearched}) as latest
         where error <> '' order by id desc limit 1`,
        [botId],
      );
      return {
        pending: reader ? reader.behind - finishedAhead(reader.state) + reader.parked : 0,
        lastErrorAt: failure?.at ?? 0,
        lastError: failure?.error ?? '',
      };
    },
  };
}

/** How many positions beyond its own the push reader has finished. */
function finishedAhead(state: string): number {
  if (state === '') return 0;
  const { finished = [] } = JSON.parse(state) as { finished?: [from: number, to: number][] };
  return finished.reduce((sum, [from, to]) => sum + to - from + 1, 0);
}
