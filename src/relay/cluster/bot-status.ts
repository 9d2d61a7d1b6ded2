import type { BotStatus } from '../../core/ports.ts';
import { unpackReason } from '../../core/reasons/stored.ts';
import type { BotRuntimeRepository, BotState } from '../../store/cluster/bot-runtime.ts';
import type { Engine } from '../../store/engine.ts';
import { createStampedCache, type StampedCache } from '../../store/sql/stamped-cache.ts';
import type { RuntimeStates } from './runtime-state.ts';

/** Asks the delivery side about bots of any node. */
export type DeliveryStatuses = (
  botIds: readonly number[],
) => Promise<
  Map<
    number,
    Pick<
      BotStatus,
      'backendStatus' | 'backendError' | 'backendErrorDetail' | 'backendSeenAt' | 'pendingUpdates'
    >
  >
>;

export type StatusCache = StampedCache<Map<number, BotStatus>>;

export function createStatusCache(engine: Engine): StatusCache {
  return createStampedCache({
    engine,
    tables: [
      'bots',
      'bot_runtime',
      'leases',
      'readers',
      'log_heads',
      'retry_queues',
      'retry_positions',
      'backend_health',
    ],
    weigh: (statuses) => statuses.size,
    capacity: 50_000,
  });
}

interface StatusSources {
  runtime: BotRuntimeRepository;
  /** The states of this node's bots, which are exact. */
  states: RuntimeStates;
  /** The living nodes. What a node wrote counts only while it lives. */
  living(): string[];
  deliveries?: DeliveryStatuses;
  statusCache?: StatusCache;
}

export function createStatusReader(sources: StatusSources) {
  const { runtime, states, living, deliveries, statusCache } = sources;
  const isRunning = (state: BotState | undefined) => state === 'polling' || state === 'webhook';

  async function read(botIds: readonly number[]): Promise<Map<number, BotStatus>> {
    const [rows, delivery] = await Promise.all([runtime.get(botIds), deliveries?.(botIds)]);
    const stored = new Map(rows.map((row) => [row.botId, row]));
    const alive = new Set(living());
    return new Map(
      botIds.map((botId) => {
        const row = stored.get(botId);
        const here = states.get(botId);
        const elsewhere = row && alive.has(row.owner) ? row.state : 'stopped';
        const lastError = unpackReason(here?.lastError ?? row?.lastError ?? '');
        const status: BotStatus = {
          running: isRunning(here ? here.state : elsewhere),
          lastError: lastError.text,
          lastErrorDetail: lastError.detail,
          lastActivity: Math.max(here?.lastActivity ?? 0, row?.lastActivity ?? 0),
          backendStatus: delivery?.get(botId)?.backendStatus ?? '',
          backendError: delivery?.get(botId)?.backendError ?? '',
          backendErrorDetail: delivery?.get(botId)?.backendErrorDetail ?? null,
          backendSeenAt: delivery?.get(botId)?.backendSeenAt ?? 0,
          pendingUpdates: delivery?.get(botId)?.pendingUpdates ?? 0,
        };
        return [botId, status];
      }),
    );
  }

  /** Returns the same map as long as nothing in it can have changed. */
  return async (botIds: readonly number[]): Promise<Map<number, BotStatus>> => {
    if (!statusCache) return read(botIds);
    const key = [states.generation(), living(), botIds].join(' ');
    return statusCache.get(key, () => read(botIds));
  };
}
