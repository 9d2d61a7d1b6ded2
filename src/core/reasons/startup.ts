import { type AnyReason, ended, type Say, type Sentences } from './shape.ts';

export interface Directory {
  /** The setting or option that names the directory. */
  setting: string;
  directory: string;
  example: string;
}

export interface Listening {
  setting: string;
  example: string;
}

export interface NewerSchema {
  schema: number;
  /** The version that wrote it, or ''. */
  writer: string;
  known: number;
  version: string;
}

/** Reasons that only the command line and the log show: the data directory, the database, keys, backups. */
export const startupReasons = {
  directory_not_made: ({ setting, directory, cause, example }: Directory & { cause: string }) =>
    `${setting}: cannot create ${directory} (${cause}). Create it for this user, or choose another. Example: ${example}`,
  directory_not_writable: ({ setting, directory, cause, example }: Directory & { cause: string }) =>
    `${setting}: cannot write to ${directory} (${cause}). Give this user write access, or choose another. Example: ${example}`,
  directory_is_a_file: ({ setting, directory, example }: Directory) =>
    `${setting}: ${directory} is a file, not a directory. Choose another. Example: ${example}`,
  use_database_tool: ({ tool }: { tool: string }) =>
    `This works on the embedded database, and DATABASE_URL is set. Use ${tool} for PostgreSQL, and keep RELAY_SECRET_KEY in a separate place.`,
  no_data: ({ directory }: { directory: string }) =>
    `No Bot Relay data in ${directory}. Set the directory with --data-dir, or create it with "bot-relay start".`,
  no_data_in_database: ({ address }: { address: string }) =>
    `No Bot Relay data in the database ${address}. Correct DATABASE_URL, or create it with "bot-relay start".`,
  data_not_usable: ({
    setting,
    directory,
    cause,
  }: Omit<Directory, 'example'> & { cause: string }) =>
    `${setting}: this user has no access to ${directory} (${cause}). Run the command as the service's user, or use --url with an API key.`,
  no_consumer_here: ({ bot, consumer }: { bot: number; consumer: string }) =>
    `Bot ${bot} has no consumer ${consumer}. List consumers with "bot-relay readers list ${bot}".`,
  app_without_backend: ({ bot, app }: { bot: number; app: string }) =>
    `App ${app} of bot ${bot} has no backend. Set one with "bot-relay apps update ${bot} ${app} --mode webhook --backend <address>".`,
  port_in_use: ({
    setting,
    address,
    port,
    example,
  }: Listening & { address: string; port: number }) =>
    `${setting}: ${address}:${port} is in use by another process. Stop it, or choose another port. Example: ${example}`,
  port_not_allowed: ({ setting, port, example }: Listening & { port: number }) =>
    `${setting}: this user may not listen on port ${port}. Choose a port above 1023. Example: ${example}`,
  host_unknown: ({ setting, host, example }: Listening & { host: string }) =>
    `${setting}: ${host} is not an address of this machine. Example: ${example}`,
  no_user_of_name: ({ username }: { username: string }) =>
    `Unknown user ${username}. List users with "bot-relay users list".`,
  service_not_json: ({ status }: { status: number }) =>
    `The answer (${status}) is not JSON. Check that the address belongs to Bot Relay.`,
  no_service_here: ({ directory }: { directory: string }) =>
    `No service runs on the data directory ${directory}. Start it, or use --url.`,
  service_silent: ({ url }: { url: string }) =>
    `Cannot reach the service at ${url}. ${whenSilent(url)}`,
  service_answered: ({ status }: { status: number }) => `The service answered ${status}.`,
  no_master_key: 'No master key found.',
  sealed_with_other_key:
    'A stored secret is encrypted with another master key. Start with the RELAY_SECRET_KEY or data directory it was stored with.',
  not_demo_data: ({ directory }: { directory: string }) =>
    `--data: ${directory} contains data of a service, not of a demo. Choose another. Example: --data ./data-demo`,
  rotation_keys_needed:
    'Set RELAY_SECRET_KEY_PREVIOUS to the old key and RELAY_SECRET_KEY to the new one, then run "bot-relay secrets rotate".',
  database_file_missing: ({
    file,
    directory,
    marker,
  }: {
    file: string;
    directory: string;
    marker: string;
  }) =>
    `The database ${file} in ${directory} is missing or empty, but the directory was in use. Restore a backup with "bot-relay restore", or delete ${marker} to start with an empty database.`,
  database_damaged: ({ directory, cause }: { directory: string; cause: string }) =>
    `The database in ${directory} is damaged (${cause}). Restore a backup with "bot-relay restore".`,
  database_refused: ({ address, problem }: { address: string; problem: AnyReason }, say: Say) =>
    `DATABASE_URL: ${address} answers, but ${say(problem)}. Check user, password and database. Example: DATABASE_URL=postgres://relay:password@db.internal:5432/relay`,
  database_refuses_password: 'rejects the password',
  database_refuses_user: 'rejects the user',
  database_not_there: 'has no such database',
  database_refuses_tables: 'does not let this user create tables',
  pooler_mode: ({ address }: { address: string }) =>
    `DATABASE_URL: the pooler at ${address} is in statement mode, which has no transactions. Set its pool_mode to session or transaction, or connect to PostgreSQL directly.`,
  database_not_reached: ({ address, cause }: { address: string; cause: string }) =>
    `Cannot reach the database ${address} (${cause}). Start it, or correct DATABASE_URL.`,
  admin_key_short:
    'RELAY_ADMIN_KEY must be brs_ followed by at least 32 characters without spaces.',
  no_database_in: ({ directory }: { directory: string }) =>
    `No database in ${directory}. Check --data-dir.`,
  no_directory: ({ directory }: { directory: string }) =>
    `No directory ${directory}. Create it first.`,
  is_a_directory: ({ path }: { path: string }) => `${path} is a directory. Enter a file name.`,
  file_exists: ({ path }: { path: string }) =>
    `${path} exists. Choose another name, or add --force.`,
  file_not_writable: ({ path, cause }: { path: string; cause: string }) =>
    `Cannot write ${path} (${cause}). Choose a directory where this user may write.`,
  no_file: ({ path }: { path: string }) => `File ${path} not found.`,
  file_not_readable: ({ path, cause }: { path: string; cause: string }) =>
    `Cannot read ${path} (${cause}). Choose a file that this user may read.`,
  not_a_file: ({ path }: { path: string }) =>
    `${path} is not a file. Enter a file written by "bot-relay backup".`,
  holds_a_database: ({ directory }: { directory: string }) =>
    `${directory} already contains a database. Add --force to move it aside, or choose another --data-dir.`,
  not_a_backup: ({ path, cause }: { path: string; cause: string }) =>
    `${path} is not a Bot Relay backup, or it is damaged (${cause}).`,
  not_a_botmux_database: ({ path, cause }: { path: string; cause: string }) =>
    `${path} is not a botmux database (${cause}). If it is from an older botmux, start the latest botmux on it once.`,
  backup_too_new: ({ path, schema, known }: { path: string; schema: number; known: number }) =>
    `${path} has schema ${schema}, and this version supports up to ${known}. Use a newer Bot Relay.`,
  backup_before_base: (found: BeforeBase & { path: string }) => beforeBase(found.path, found),
  key_file_damaged: ({ path }: { path: string }) =>
    `The master key file ${path} is damaged. Restore it from your copy.`,
  key_file_missing: ({ path }: { path: string }) =>
    `The master key file ${path} is missing. Restore it, or set RELAY_SECRET_KEY to the key of this database.`,
  other_master_key: ({ source }: { source: string }) =>
    `The database is encrypted with another master key than ${source}. Start with that key, or set RELAY_SECRET_KEY_PREVIOUS to it.`,
  former_master_key: ({ source, former }: { source: string; former: string }) =>
    `The database is encrypted with another master key than ${source}. Start once with RELAY_SECRET_KEY_PREVIOUS_FILE=${former}.`,
  schema_too_new: (found: NewerSchema) =>
    `${newerSchema(found)} Start the newer version, or restore a backup of schema ${found.known} or older.`,
  schema_too_new_here: (found: NewerSchema) =>
    `${newerSchema(found)} Use the command of that version, or --url with a running service.`,
  schema_before_base: (found: BeforeBase) => beforeBase('The database', found),
  schema_too_old: ({
    schema,
    needed,
    version,
  }: {
    schema: number;
    needed: number;
    version: string;
  }) =>
    `The database has schema ${schema}, and Bot Relay ${version} needs schema ${needed}. Upgrade the database with "bot-relay start", or use --url with a running service.`,
  no_room_for_backup: ({
    directory,
    needed,
    free,
  }: {
    directory: string;
    needed: string;
    free: string;
  }) =>
    `The database must be upgraded, and a backup of it needs ${needed} in ${directory}, where ${free} are free. Nothing was changed. Free some space, then start again.`,
  upgrade_backup_failed: ({ file, cause }: { file: string; cause: string }) =>
    `The database must be upgraded, and the backup ${file} could not be written (${cause}). Nothing was changed.`,
  data_directory_locked: ({ directory }: { directory: string }) =>
    `The data directory ${directory} is in use by another Bot Relay. Stop it, or set another directory with RELAY_DATA_DIR.`,
  sandbox_file_in_use: ({ file }: { file: string }) =>
    `Another sandbox uses ${file}. Stop it, set another directory with RELAY_DATA_DIR, or set RELAY_SANDBOX=off.`,
  sandbox_file_unreadable: ({ file, cause }: { file: string; cause: string }) =>
    `Cannot read the sandbox from ${file}: ${ended(cause)} Move the file away to start with an empty sandbox, or set RELAY_SANDBOX=off.`,
} satisfies Sentences;

export interface BeforeBase {
  schema: number;
  base: number;
  /** The last commit that upgrades such a schema. */
  commit: string;
}

function beforeBase(what: string, { schema, base, commit }: BeforeBase): string {
  return `${what} has schema ${schema}, and this version upgrades schema ${base} and later: upgrade it with Bot Relay at commit ${commit} first.`;
}

function newerSchema({ schema, writer, known, version }: NewerSchema): string {
  const by = writer === '' ? 'a newer Bot Relay' : `Bot Relay ${writer}`;
  return `The database has schema ${schema}, written by ${by}. This is Bot Relay ${version}, which supports up to schema ${known}.`;
}

/** The CLI can start a service on this machine only. */
function whenSilent(address: string): string {
  const url = URL.parse(address);
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '');
  return isLocal && url?.protocol === 'http:'
    ? `Start it with "bot-relay start --port ${url.port || 80}", or set another address with --url.`
    : 'Check the address, and that the service runs there.';
}
