import { type App, isDefault } from '../../../api/apps.ts';
import type { Bot } from '../../../api/client/types.ts';
import type { Reader } from '../../../api/readers.ts';

/** A client that polls calls at least once a minute. */
const pollsWithinMs = 3 * 60_000;

export const appTones = {
  disabled: 'idle',
  failing: 'bad',
  notSeen: 'idle',
  behind: 'warn',
  notPolling: 'idle',
  connected: 'ok',
} as const;

export type AppState = keyof typeof appTones;

type Seen = Pick<App, 'name' | 'mode' | 'disabled' | 'last_seen_at' | 'behind'>;

export function appState(
  app: Seen,
  bot: Pick<Bot, 'disabled' | 'backend_status'>,
  reader: Pick<Reader, 'parked' | 'waiting'> | undefined,
  now: number,
): AppState {
  if (app.disabled || (isDefault(app) && bot.disabled)) return 'disabled';
  if (app.mode === 'webhook' && isFailing(app, bot, reader)) return 'failing';
  if (reader?.waiting && app.behind === 0) return 'connected';
  if (app.last_seen_at === '') return 'notSeen';
  if (app.behind > 0) return 'behind';
  const isQuiet = now - Date.parse(app.last_seen_at) > pollsWithinMs;
  return app.mode === 'poll' && isQuiet ? 'notPolling' : 'connected';
}

/** Updates in retry queues are those that the backend did not accept. */
function isFailing(
  app: Seen,
  { backend_status }: Pick<Bot, 'backend_status'>,
  reader: Pick<Reader, 'parked'> | undefined,
): boolean {
  if (isDefault(app)) return backend_status === 'failing' || backend_status === 'paused';
  return reader !== undefined && reader.parked > 0;
}

/** The reader whose position is that of the app. */
export function readerOf(
  app: Pick<App, 'name' | 'mode'>,
  readers: readonly Reader[],
): Reader | undefined {
  if (app.mode === 'send') return undefined;
  const kind = app.mode === 'webhook' ? 'push' : 'pull';
  const name = isDefault(app) ? '' : app.name;
  return readers.find((one) => one.kind === kind && one.name === name);
}
