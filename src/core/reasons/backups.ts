import type { Sentences } from './shape.ts';

/** Why a backup was not written. */
export const backupReasons = {
  backup_not_set_up:
    'No directory for backups is set. Set RELAY_BACKUP_DIR, or run "bot-relay backup". Back up PostgreSQL with pg_dump.',
  backup_directory_unusable: ({ directory, cause }: { directory: string; cause: string }) =>
    `Cannot write to ${directory} (${cause}). Make the directory writable for the service, or change RELAY_BACKUP_DIR.`,
  backup_no_space: ({
    directory,
    needed,
    free,
  }: {
    directory: string;
    needed: string;
    free: string;
  }) =>
    `A backup needs ${needed}, and ${directory} has ${free} free. Free some space, lower RELAY_BACKUP_KEEP or change RELAY_BACKUP_DIR.`,
  backup_disk_full: ({ directory }: { directory: string }) =>
    `The disk of ${directory} is full. Free some space, lower RELAY_BACKUP_KEEP or change RELAY_BACKUP_DIR.`,
  backup_not_sound: ({ cause }: { cause: string }) =>
    `The copy of the database did not pass the check (${cause}). Check the disk, then the database with "bot-relay doctor".`,
  backup_failed: ({ cause }: { cause: string }) => `The backup failed (${cause}). See the log.`,
} satisfies Sentences;
