import type { Clock } from '../../clock.ts';
import { pushReader } from '../../core/log/reader-kinds.ts';
import type { EventBus } from '../../core/ports.ts';
import { reason, unreachedCodes } from '../../core/reasons/reason.ts';
import { packReason } from '../../core/reasons/stored.ts';
import { RelayError } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import { type BackendNote, noteBackendHealth } from '../../store/delivery/backend-health.ts';
import { retryAfterCheck } from '../../store/delivery/retry-queues.ts';
import type { Store } from '../../store/store.ts';
import type { AppReaders } from '../apps/app-readers.ts';
import { type BackendCheck, checkBackend } from './check-backend.ts';
import { hostOf, type OpenConnection } from './connection-pool.ts';
import { pushBotFor } from './push-reader.ts';
import type { PushBot } from './push-target.ts';
import type { Pushers } from './pushers.ts';

export interface BackendCheckDeps {
  store: Store;
  pushers: Pick<Pushers, 'wake'>;
  apps: AppReaders;
  openConnection: OpenConnection;
  events?: Pick<EventBus, 'publish'>;
  clock: Clock;
}

/** Calls the backend that a bot's reader delivers to, and stores the result. */
export async function checkStoredBackend(
  deps: BackendCheckDeps,
  record: BotRecord,
  { reader, deliver }: { reader: string; deliver: boolean },
): Promise<BackendCheck> {
  const bot = await pushBotFor(deps.apps, record, reader);
  if (!bot || bot.backend_url === '') {
    throw new RelayError('conflict', reason('no_backend', { bot_id: record.id }));
  }
  const webhook = await deps.store.webhooks.get(bot.id, reader);
  const { origin, certificate } = hostOf(bot.backend_url, webhook?.certificate ?? '');
  const connections = deps.openConnection(origin, certificate);
  try {
    const check = await checkBackend(bot, { deliver, connections, clock: deps.clock });
    await storeCheck(deps, bot, reader, check);
    return check;
  } finally {
    await connections.close();
  }
}

/**
 * Stores the result of a check for the address that was checked, unless another one was set
 * meanwhile. Sends what waits for the backend to recover.
 */
async function storeCheck(
  { apps, clock, events, pushers, store }: BackendCheckDeps,
  { id, backend_url }: PushBot,
  reader: string,
  check: BackendCheck,
): Promise<void> {
  const bot = await store.bots.get(id);
  if ((bot && (await pushBotFor(apps, bot, reader)))?.backend_url !== backend_url) return;
  const { accepted = false, error_detail, reachable } = check;
  const nowMs = clock.now();
  await store.engine.write(function* () {
    yield* noteBackendHealth(id, reader, noteOf(check), nowMs);
    if (error_detail === null) yield* retryAfterCheck(id, reader, accepted, nowMs);
  });
  await pushers.wake(id);
  if (reader === pushReader) events?.publish('delivery', id, { reachable });
}

/**
 * Translates a check into what it shows about the backend; a check without an update shows nothing
 * about updates.
 */
function noteOf({ accepted, error_detail, reachable }: BackendCheck): BackendNote {
  const error = packReason(error_detail);
  const isSent = accepted !== undefined && !unreachedCodes.has(error_detail?.code ?? '');
  return { error: reachable ? '' : error, refused: isSent ? error : undefined };
}
