import { reason } from '../core/reasons/reason.ts';
import { isOutage, RelayError } from '../errors.ts';

const retryAfterSeconds = 2;

/**
 * The reasons why the database cannot be used at present: callers get 503, and work that can wait
 * is retried.
 */
const outages = {
  unreachable: reason('database_unreachable'),
  full: reason('database_disk_full'),
  readOnly: reason('database_read_only'),
  disk: reason('database_disk_failed'),
  /** The statement was ended at its deadline. */
  deadline: reason('database_unreachable'),
  tooLong: reason('database_too_slow'),
  crowded: reason('database_crowded'),
} as const;

export type OutageKind = keyof typeof outages;

export function outage(kind: OutageKind, cause: unknown): RelayError {
  return new RelayError('database_unavailable', outages[kind], { retryAfterSeconds, cause });
}

/** True if the database answered, but ended the statement at its deadline. */
export function tookTooLong(error: unknown): boolean {
  return isOutage(error) && error.reason === outages.deadline;
}
