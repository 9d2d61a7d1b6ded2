import { type Reason, reason } from '../core/reasons/reason.ts';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { RelayError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { openDirectory } from '../manage/service/data-directory.ts';
import { createSilentNotifications, type Notifications } from '../store/cluster/notifications.ts';
import type { Engine, OnCommit } from '../store/engine.ts';
import { newestSchema } from '../store/migrations/index.ts';
import type { SchemaState } from '../store/schema/migrate.ts';
import { type KeySettings, requireMasterKey } from '../manage/service/secrets.ts';
import { version } from '../version.ts';

/** Creates the channel between nodes that share the database; a single node has no other to notify. */
export async function openNotifications(
  config: Pick<Config, 'databaseUrl'>,
  clock: Clock,
  logger: Logger,
): Promise<Notifications> {
  const { databaseUrl: url } = config;
  if (url === '') return createSilentNotifications();
  const { detectPooling } = await import('../store/postgres/pooler.ts');
  if ((await detectPooling(url)) === 'transaction') {
    logger.warn(
      'DATABASE_URL uses a pooler in transaction mode, where LISTEN does not work: nodes notify each other with a delay of a second, and live events stay on their node. Use session mode or a direct connection.',
    );
    return createSilentNotifications();
  }
  const { listenForNotifications } = await import('../store/postgres/notifications.ts');
  return await listenForNotifications({
    url,
    clock,
    random: Math.random,
    onError: (error) => logger.debug({ err: error }, 'notifications between nodes interrupted'),
  });
}

/**
 * How the schema may change: `start` creates and migrates, `create` only creates, `keep` does
 * neither. Nodes of an older version stop when their database is migrated, so no command does it.
 */
export type SchemaUse = 'start' | 'create' | 'keep';

interface OpenOptions {
  clock: Clock;
  announce: (line: string) => void;
  schemaUse: SchemaUse;
  onCommit?: OnCommit;
}

/**
 * Opens the database of this configuration; if that fails, the error is one line. `announce`
 * receives messages for the person who started it.
 */
export async function openEngine(
  config: Pick<Config, 'databaseUrl'> & KeySettings,
  { clock, announce, schemaUse, onCommit }: OpenOptions,
): Promise<Engine> {
  const isEmbedded = config.databaseUrl === '';
  async function beforeMigration({ schema, witness }: SchemaState): Promise<void> {
    if (schemaUse !== 'start') requirePresentSchema(schema, schemaUse, config);
    if (schema === 0) return;
    // Check the key before a migration: without it the start fails, and then an older version must
    // still be able to run.
    requireMasterKey(witness, config);
    if (!isEmbedded) return;
    const { backUpBeforeMigration } = await import('../manage/service/backup.ts');
    const now = new Date(clock.now());
    const file = await backUpBeforeMigration(config.dataDir, { schema, now });
    announce(`Backed up the database to ${file} before upgrading it from schema ${schema}.`);
  }
  try {
    // Load only the engine in use, which makes the start quicker.
    if (isEmbedded) {
      openDirectory(config.dataDir);
      const { openSqlite } = await import('../store/sqlite/engine.ts');
      const { databaseFileName } = await import('../store/sqlite/database-file.ts');
      requireKnownDatabase(config.dataDir, databaseFileName);
      return await openSqlite(config.dataDir, { onCommit, beforeMigration });
    }
    const { openPostgres } = await import('../store/postgres/engine.ts');
    return await openPostgres(config.databaseUrl, { onCommit, beforeMigration });
  } catch (error) {
    if (error instanceof RelayError) throw schemaUse === 'start' ? error : aboutCommand(error);
    throw isEmbedded
      ? embeddedFailure(error, config.dataDir)
      : sharedFailure(error, config.databaseUrl);
  }
}

/** For a command: throws if the database is missing and the command may not create it. */
function requirePresentSchema(
  schema: number,
  schemaUse: 'create' | 'keep',
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
): void {
  if (schema > 0) {
    const params = { schema, needed: newestSchema(), version };
    throw new RelayError('conflict', reason('schema_too_old', params));
  }
  if (schemaUse === 'create') return;
  throw new RelayError(
    'not_found',
    config.databaseUrl === ''
      ? reason('no_data', { directory: config.dataDir })
      : reason('no_data_in_database', { address: addressOf(config.databaseUrl) }),
  );
}

/** Replaces the advice of the error with one for a command. */
function aboutCommand(error: RelayError): RelayError {
  const why = error.reason;
  return why.code === 'schema_too_new'
    ? new RelayError(error.code, reason('schema_too_new_here', why.params))
    : error;
}

/** Refuses to start on a lost database: the service must not start empty and look healthy. */
function requireKnownDatabase(dataDir: string, fileName: string): void {
  // A service that had opened the database writes both files; an embedded one writes the second.
  const wasInUse = ['node-id', 'relay.lock'].every((name) => existsSync(path.join(dataDir, name)));
  const size = statSync(path.join(dataDir, fileName), { throwIfNoEntry: false })?.size ?? 0;
  if (!wasInUse || size > 0) return;
  throw new RelayError(
    'internal',
    reason('database_file_missing', {
      file: fileName,
      directory: dataDir,
      marker: path.join(dataDir, 'node-id'),
    }),
  );
}

function embeddedFailure(error: unknown, dataDir: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  const cannotWrite =
    ['EACCES', 'EPERM', 'EROFS', 'ENOSPC'].includes(code ?? '') ||
    /unable to open|readonly database/.test(message);
  if (cannotWrite) {
    return new RelayError(
      'bad_setting',
      reason('directory_not_writable', {
        setting: 'RELAY_DATA_DIR',
        example: 'RELAY_DATA_DIR=./data',
        directory: dataDir,
        cause: code === 'ERR_SQLITE_ERROR' ? message : `${code}`,
      }),
      { cause: error },
    );
  }
  if (/not a database|malformed/.test(message)) {
    return new RelayError(
      'internal',
      reason('database_damaged', { directory: dataDir, cause: message }),
      { cause: error },
    );
  }
  return error;
}

const connectionProblems: Record<string, Reason> = {
  '28P01': reason('database_refuses_password'),
  '28000': reason('database_refuses_user'),
  '3D000': reason('database_not_there'),
  '42501': reason('database_refuses_tables'),
};

function sharedFailure(error: unknown, databaseUrl: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  const address = addressOf(databaseUrl);
  const problem = connectionProblems[code ?? ''];
  if (problem) {
    return new RelayError('bad_setting', reason('database_refused', { address, problem }), {
      cause: error,
    });
  }
  if (/statement pooling/.test(message)) {
    return new RelayError('bad_setting', reason('pooler_mode', { address }), {
      cause: error,
    });
  }
  const network = /^(E[A-Z]+|57P0\d)$/.exec(code ?? '');
  if (network || /timeout|terminated|SSL|certificate/i.test(message)) {
    return new RelayError(
      'internal',
      reason('database_not_reached', { address, cause: code ?? message }),
      { cause: error },
    );
  }
  return error;
}

/** The address without user and password. */
function addressOf(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  return `${url.hostname}:${url.port || 5432}${url.pathname}`;
}
