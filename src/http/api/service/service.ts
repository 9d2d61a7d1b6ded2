import type { Static } from 'typebox';
import { requireEveryBot } from '../../../core/access/access.ts';
import type { BackupState } from '../../../core/service/backup-state.ts';
import { reason, reasonText } from '../../../core/reasons/reason.ts';
import type { ServiceHealth } from '../../../manage/service/service-health.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import { isoTime } from '../../../core/iso-time.ts';
import { RelayError } from '../../../errors.ts';
import type { Backups } from '../../../manage/service/backups.ts';
import { BackupAnswer, ServiceAnswer } from './service-schema.ts';

export function serviceEndpoints(deps: {
  version: string;
  health(): Promise<ServiceHealth>;
  /** Undefined if no backups are scheduled. */
  backups: Pick<Backups, 'now'> | undefined;
}): Endpoint[] {
  return [
    get('Operation', '/api/service', {
      scope: 'admin',
      summary: 'Get the service status',
      description:
        'Database, disk, nodes and retention, with their settings. Covers all bots: a key limited to some bots gets 403. For a plain health check, use `GET /readyz`.',
      response: ServiceAnswer,
      errors: ['bot_not_allowed'],
      async handler({ caller }) {
        requireEveryBot(caller);
        const health = await deps.health();
        return {
          version: deps.version,
          started_at: isoTime(health.startedAt),
          memory_bytes: health.memoryBytes,
          database: {
            engine: health.engine,
            bytes: health.databaseBytes,
            answer_ms: health.databaseMs,
          },
          ...(health.disk
            ? {
                disk: {
                  free_bytes: health.disk.freeBytes,
                  total_bytes: health.disk.totalBytes,
                },
              }
            : {}),
          nodes: health.nodes.map(({ bots, id, seenAt }) => ({
            id,
            here: id === health.nodeId,
            bots,
            seen_at: isoTime(seenAt),
          })),
          retention: {
            max_age_seconds: Math.round(health.retention.maxAgeMs / 1_000),
            max_bytes_per_bot: health.retention.maxBytesPerBot,
            ran_at: isoTime(health.retentionRanAt),
            unread_dropped: health.dropped,
          },
          sandbox: health.sandbox,
          public_url: health.publicUrl,
          ...(health.backup ? { backup: backupView(health.backup) } : {}),
        };
      },
    }),
    post('Operation', '/api/service/backup', {
      scope: 'admin',
      audit: {},
      summary: 'Back up now',
      description:
        'Writes and verifies a backup in `RELAY_BACKUP_DIR`, like those on a schedule, and answers once it is written. If one is being written, waits for it. Refused with `conflict` and the reason if it fails, and without that directory. Covers all bots: a key limited to some bots gets 403.',
      response: BackupAnswer,
      errors: ['bot_not_allowed', 'conflict'],
      async handler({ caller }) {
        requireEveryBot(caller);
        if (!deps.backups) throw new RelayError('conflict', reason('backup_not_set_up'));
        return backupView(await deps.backups.now());
      },
    }),
  ];
}

function backupView(state: BackupState): Static<typeof BackupAnswer> {
  const { failure, latest } = state;
  return {
    directory: state.directory,
    every_seconds: Math.round(state.everyMs / 1_000),
    keep: state.keep,
    count: state.count,
    running: state.isRunning,
    last_at: isoTime(latest?.at ?? 0),
    last_file: latest?.file ?? '',
    last_bytes: latest?.bytes ?? 0,
    next_at: isoTime(state.nextAt),
    error: failure ? reasonText(failure.why) : '',
    error_detail: failure?.why ?? null,
    error_at: isoTime(failure?.at ?? 0),
  };
}
