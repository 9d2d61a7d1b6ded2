import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Logger } from '../logger.ts';
import type { Backups } from '../manage/service/backups.ts';

/** Undefined if no backups are scheduled. */
export async function openBackups(
  config: Pick<Config, 'backup' | 'dataDir'>,
  clock: Clock,
  logger: Logger,
): Promise<Backups | undefined> {
  const { backup: settings, dataDir } = config;
  if (settings.directory === '') return undefined;
  // Loaded on first need, as many services back up in another way.
  const { createBackups } = await import('../manage/service/backups.ts');
  return await createBackups({ clock, logger, dataDir, settings });
}
