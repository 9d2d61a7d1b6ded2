/*
 * What is known about the backend of a push reader. Any request shows whether it can be reached; only an
 * update that was sent to it, by a delivery or a check, shows whether it accepts updates. So an answer to
 * a check without an update never covers up a refused one.
 */
import { type Step, raw } from '../engine.ts';

export interface BackendNote {
  /** Why it could not be reached, as a stored reason; '' when it answered. */
  error: string;
  /** Why it did not accept an update, as a stored reason; '' when it did. Left out when none got there. */
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

/** What is known of one address says nothing about another. */
export function* forgetBackendHealth(botId: number, reader: string): Step<void> {
  yield* raw('delete from backend_health where bot_id = $1 and reader = $2', [botId, reader]);
}

/** Refused updates that someone discarded say nothing about the next one. */
export function* forgetRefused(botId: number, reader: string): Step<void> {
  yield* raw(
    `delete from backend_health where bot_id = $1 and reader = $2 and error = '' and refused <> ''`,
    [botId, reader],
  );
}
