import { isOutage, RelayError } from '../../errors.ts';

const retryAfterSeconds = 2;

/** The database cannot be used at present: callers get 503, and what can wait is tried again. */
export const outages = {
  unreachable:
    'The database cannot be reached: try again in a few seconds. A change that was under way may have been made.',
  full: 'The disk of the database is full: free some space, then try again.',
  disk: 'The database cannot write to its disk: check the disk and its permissions, then try again.',
  tooLong:
    'This took too long and was stopped: ask for less, for example one bot or a shorter time.',
  crowded: 'Too many long searches are running: try again in a few seconds.',
} as const;

export type OutageKind = keyof typeof outages;

export function outage(kind: OutageKind, cause: unknown): RelayError {
  return new RelayError('database_unavailable', outages[kind], { retryAfterSeconds, cause });
}

/** PostgreSQL answered, but ended the statement at its deadline. */
export function tookTooLong(error: unknown): boolean {
  return isOutage(error) && (error.cause as { code?: unknown } | undefined)?.code === '57014';
}
