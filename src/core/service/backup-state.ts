import type { Reason } from '../reasons/reason.ts';

export interface BackupState {
  directory: string;
  everyMs: number;
  keep: number;
  /** The number of verified backups in the directory. */
  count: number;
  latest: { file: string; at: number; bytes: number } | undefined;
  /** How long the last one took; 0 when this process has written none. */
  durationMs: number;
  nextAt: number;
  isRunning: boolean;
  /** Why the last attempt wrote no backup. */
  failure: { at: number; why: Reason } | undefined;
  /** Attempts of this process that failed. */
  failures: number;
  /** When this process began to schedule backups. */
  startedAt: number;
}

/**
 * Undefined while the newest backup is recent enough. `since` is when it was written, or when this
 * process began to wait for the first one.
 */
export function overdueBackup(
  state: BackupState | undefined,
  nowMs: number,
  olderThanMs?: number,
): { since: number; why: Reason | undefined } | undefined {
  if (!state) return undefined;
  const since = state.latest?.at ?? state.startedAt;
  // A backup that is late by a whole interval is not merely about to be written.
  const limitMs = olderThanMs ?? 2 * state.everyMs;
  return nowMs - since > limitMs ? { since, why: state.failure?.why } : undefined;
}
