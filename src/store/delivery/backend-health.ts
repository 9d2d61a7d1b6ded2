/* Whether the backend of a push reader answered, or why it did not, the last time it was tried. */
import { type Step, raw } from '../engine.ts';

/** `error` is a stored reason, '' when it answered. */
export function* noteBackendHealth(
  botId: number,
  reader: string,
  error: string,
  nowMs: number,
): Step<void> {
  yield* raw(
    `insert into backend_health (bot_id, reader, checked_at, error)
     select id, $2, $3, $4 from bots where id = $1
     on conflict (bot_id, reader) do update set checked_at = excluded.checked_at,
       error = excluded.error`,
    [botId, reader, nowMs, error],
  );
}

/** What is known of one address says nothing about another. */
export function* forgetBackendHealth(botId: number, reader: string): Step<void> {
  yield* raw('delete from backend_health where bot_id = $1 and reader = $2', [botId, reader]);
}
