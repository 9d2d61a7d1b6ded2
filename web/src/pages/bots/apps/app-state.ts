import { type App, isDefault } from '../../../api/apps.ts';
import type { Bot } from '../../../api/client/types.ts';
import type { Backend } from '../../../api/deliveries.ts';
import type { Reader } from '../../../api/readers.ts';
import { answersNow } from '../../../shared/backend-words.ts';
import { backendCondition, conditions } from '../../../shared/bot-condition.ts';

/** A client that polls calls at least once a minute. */
const pollsWithinMs = 3 * 60_000;

export const appTones = {
  disabled: 'idle',
  backendDown: conditions.backendDown,
  backendFailing: conditions.backendFailing,
  notSeen: 'idle',
  behind: 'warn',
  notPolling: 'idle',
  silent: 'idle',
  connected: 'ok',
} as const;

export type AppState = keyof typeof appTones;

type Seen = Pick<App, 'name' | 'mode' | 'disabled' | 'last_seen_at' | 'behind' | 'sent'>;

export interface AppFacts {
  reader: Pick<Reader, 'waiting'> | undefined;
  /** Set if updates are forwarded to one. */
  backend: Omit<Backend, 'bot_id' | 'app' | 'pending_updates'> | undefined;
}

export function appState(
  app: Seen,
  bot: Pick<Bot, 'disabled'>,
  { backend, reader }: AppFacts,
  now: number,
): AppState {
  if (app.disabled || (isDefault(app) && bot.disabled)) return 'disabled';
  if (app.mode === 'webhook') return backendState(app, backend, now);
  if (reader?.waiting && app.behind === 0) return 'connected';
  if (app.last_seen_at === '') return app.sent > 0 ? 'notPolling' : 'notSeen';
  if (app.behind > 0) return 'behind';
  const isQuiet = now - Date.parse(app.last_seen_at) > pollsWithinMs;
  return app.mode === 'poll' && isQuiet ? 'notPolling' : 'connected';
}

function backendState({ behind }: Seen, backend: AppFacts['backend'], now: number): AppState {
  const condition = backend && backendCondition(backend);
  if (condition) return condition;
  if (behind > 0) return 'behind';
  if (backend?.backend_status === 'unknown') return 'notSeen';
  return backend && answersNow(backend, now) ? 'connected' : 'silent';
}

/** Returns the reader whose cursor is that of the app. */
export function readerOf(
  app: Pick<App, 'name' | 'mode'>,
  readers: readonly Reader[],
): Reader | undefined {
  if (app.mode === 'send') return undefined;
  const kind = app.mode === 'webhook' ? 'push' : 'pull';
  const name = isDefault(app) ? '' : app.name;
  return readers.find((one) => one.kind === kind && one.name === name);
}
