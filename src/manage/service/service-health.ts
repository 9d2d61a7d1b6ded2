import { statfs } from 'node:fs/promises';
import type { Clock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import type { BackupState } from '../../core/service/backup-state.ts';
import type { ServiceFacts } from '../../store/service/service-facts.ts';
import type { Store } from '../../store/store.ts';

export interface ServiceHealth extends ServiceFacts {
  startedAt: number;
  nodeId: string;
  memoryBytes: number;
  /** The response time of the database. */
  databaseMs: number;
  disk: { freeBytes: number; totalBytes: number } | undefined;
  retention: Config['retention'];
  sandbox: boolean;
  publicUrl: string;
  /** Undefined if no backups are scheduled. */
  backup: BackupState | undefined;
}

interface HealthDeps {
  clock: Clock;
  store: Pick<Store, 'engine' | 'serviceFacts'>;
  nodeId: string;
  config: Pick<Config, 'dataDir' | 'retention' | 'sandbox' | 'publicUrl'>;
  backup(): BackupState | undefined;
}

export function createServiceHealth({ backup, clock, config, store, nodeId }: HealthDeps) {
  const startedAt = clock.now();
  return async (): Promise<ServiceHealth> => {
    const askedAt = performance.now();
    await store.engine.ping();
    const databaseMs = Math.ceil(performance.now() - askedAt);
    const [facts, disk] = await Promise.all([store.serviceFacts.read(), diskOf(config.dataDir)]);
    return {
      ...facts,
      startedAt,
      nodeId,
      memoryBytes: process.memoryUsage.rss(),
      databaseMs,
      disk,
      retention: config.retention,
      sandbox: config.sandbox,
      publicUrl: config.publicUrl,
      backup: backup(),
    };
  };
}

/** Undefined if the file system does not report it. */
export async function diskOf(folder: string): Promise<ServiceHealth['disk']> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return undefined;
  }
}
