import type { Service } from '../../api/operation.ts';

type Backup = NonNullable<Service['backup']>;

export type BackupCondition = 'ok' | 'running' | 'none' | 'old' | 'failed';

/** A failure comes first: the next attempt runs while the last one still counts. */
export function backupCondition(backup: Backup, nowMs: number): BackupCondition {
  if (backup.error !== '') return 'failed';
  if (backup.last_at === '') return backup.running ? 'running' : 'none';
  // A backup counts as old if it is late by a whole interval.
  const limitMs = 2_000 * backup.every_seconds;
  return nowMs - new Date(backup.last_at).getTime() > limitMs ? 'old' : 'ok';
}
