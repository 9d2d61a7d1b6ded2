/*
 * Stores what is known about the backend of a push reader. Any request shows whether it can be
 * reached; only an update sent to it, by a delivery or a check, shows whether it accepts updates.
 * So an answer to a check without an update never hides a refused update.
 */
import { type Step, raw } from '../engine.ts';

export interface BackendNote {
  /** The stored reason why it could not be reached; '' if it answered. */
  error: string;
  /**
   * The stored reason why it did not accept an update; '' if it did. Left out if no update reached
   * it.
   */
  refused?: string | undefined;
}

export function* noteBackendHealth(
  botId: number,
  reader: string,
  { error, refused }: BackendNote,
  nowMs: number,
): Step<void> {
  const triedAt = refused === undefined ? 0 : nowMs;
  const tried =
    refused === undefined ? '' : ', tried_at = excluded.tried_at, refused = excluded.refused';
  yield* raw(
    `insert into backend_health (bot_id, reader, checked_at, error, tried_at, refused)
     select id, $2, $3, $4, $5, $6 from bots where id = $1
     on conflict (bot_id, reader) do update set checked_at = excluded.checked_at,
       error = excluded.error${tried}`,
    [botId, reader, nowMs, error, triedAt, refused ?? ''],
  );
}

/** Forgets the health, because facts about one address say nothing about another. */
export function* forgetBackendHealth(botId: number, reader: string): Step<void> {
  yield* raw('delete from backend_health where bot_id = $1 and reader = $2', [botId, reader]);
}

/** Forgets refusals: updates that someone discarded say nothing about the next one. */
export function* forgetRefused(botId: number, reader: string): Step<void> {
  yield* raw(
    `delete from backend_health where bot_id = $1 and reader = $2 and error = '' and refused <> ''`,
    [botId, reader],
  );
}
