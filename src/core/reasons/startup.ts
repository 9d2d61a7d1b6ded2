import type { AnyReason, Say, Sentences } from './shape.ts';

interface Directory {
  /** The setting or option that names it. */
  setting: string;
  directory: string;
  example: string;
}

/** What only the command line and the log say: the data directory, the database, keys, backups. */
export const startupReasons = {
  directory_not_made: ({ setting, directory, cause, example }: Directory & { cause: string }) =>
    `${setting}: ${directory} cannot be made (${cause}): make it for this user, or name another, for example ${example}`,
  directory_not_writable: ({ setting, directory, cause, example }: Directory & { cause: string }) =>
    `${setting}: ${directory} cannot be written to (${cause}): let this user write there, or name another, for example ${example}`,
  directory_is_a_file: ({ setting, directory, example }: Directory) =>
    `${setting}: ${directory} is a file, not a directory: name another, for example ${example}`,
  use_database_tool: ({ tool }: { tool: string }) =>
    `DATABASE_URL is set: use ${tool} for a PostgreSQL database, and keep RELAY_SECRET_KEY elsewhere.`,
  no_data: ({ directory }: { directory: string }) =>
    `There is no data of bot-relay in ${directory}: name the right directory with --data-dir, or make one with "bot-relay start".`,
  data_not_usable: ({ directory, cause }: { directory: string; cause: string }) =>
    `RELAY_DATA_DIR: this user cannot use the data in ${directory} (${cause}): become the user of the service, or talk to the service with --url and a key.`,
  no_consumer_here: ({ bot, consumer }: { bot: number; consumer: string }) =>
    `Bot ${bot} has no consumer ${consumer}: "bot-relay readers list ${bot}" shows them.`,
  port_in_use: ({ address, port, next }: { address: string; port: string; next: number }) =>
    `PORT: ${address}:${port} is in use by another program: stop it, or choose another port, for example PORT=${next}`,
  port_not_allowed: ({ port }: { port: number }) =>
    `PORT: this user may not listen on port ${port}: choose one above 1023, for example PORT=8080`,
  host_unknown: ({ host }: { host: string }) =>
    `HOST: ${host} is no address of this machine, for example HOST=127.0.0.1`,
  no_user_of_name: ({ username }: { username: string }) =>
    `There is no user ${username}: see "bot-relay users list".`,
  service_not_json: ({ status }: { status: number }) =>
    `The answer (${status}) is not JSON: is there a bot-relay at this address?`,
  service_silent: ({ url }: { url: string }) =>
    `No service answers at ${url}: start it with "bot-relay start", or name another with --url.`,
  service_answered: ({ status }: { status: number }) => `The service answered with ${status}.`,
  no_master_key: 'There is no master key.',
  sealed_with_other_key:
    'A stored secret was sealed with another master key: start with the RELAY_SECRET_KEY (or data directory) it was stored with.',
  not_demo_data: ({ directory }: { directory: string }) =>
    `--data: ${directory} holds the data of a service, not of a demo: name another, for example --data ./data-demo`,
  rotation_keys_needed:
    'RELAY_SECRET_KEY_PREVIOUS: must name the old key, and RELAY_SECRET_KEY the new one, for example RELAY_SECRET_KEY_PREVIOUS="$OLD" RELAY_SECRET_KEY="$NEW" bot-relay secrets rotate',
  database_file_missing: ({
    file,
    directory,
    marker,
  }: {
    file: string;
    directory: string;
    marker: string;
  }) =>
    `The database ${file} in ${directory} is missing or empty, but the directory was in use before: restore a backup with "bot-relay restore", or delete ${marker} to start with an empty database.`,
  database_damaged: ({ directory, cause }: { directory: string; cause: string }) =>
    `The database in ${directory} is damaged (${cause}): restore a backup with "bot-relay restore".`,
  database_refused: ({ address, problem }: { address: string; problem: AnyReason }, say: Say) =>
    `DATABASE_URL: the database ${address} was reached, but ${say(problem)}: check user, password and name, for example DATABASE_URL=postgres://relay:password@db.internal:5432/relay`,
  database_refuses_password: 'it refuses the password',
  database_refuses_user: 'it refuses the user',
  database_not_there: 'it has no such database',
  database_refuses_tables: 'the user may not create tables there',
  pooler_mode: ({ address }: { address: string }) =>
    `DATABASE_URL: the pooler at ${address} is in statement mode, which knows no transactions: set its pool_mode to session or transaction, or connect to PostgreSQL directly.`,
  database_not_reached: ({ address, cause }: { address: string; cause: string }) =>
    `The database ${address} cannot be reached (${cause}): start it, or correct DATABASE_URL.`,
  admin_key_short:
    'RELAY_ADMIN_KEY must be brs_ followed by at least 32 characters without spaces.',
  no_database_in: ({ directory }: { directory: string }) =>
    `There is no database in ${directory}: check --data-dir.`,
  no_directory: ({ directory }: { directory: string }) =>
    `There is no directory ${directory}: make it first.`,
  is_a_directory: ({ path }: { path: string }) => `${path} is a directory: name a file.`,
  file_exists: ({ path }: { path: string }) =>
    `${path} exists: choose another name, or add --force.`,
  file_not_writable: ({ path, cause }: { path: string; cause: string }) =>
    `${path} cannot be written (${cause}): choose a place where this user may write.`,
  no_file: ({ path }: { path: string }) => `There is no file ${path}.`,
  not_a_file: ({ path }: { path: string }) =>
    `${path} is not a file: name the file that "bot-relay backup" wrote.`,
  holds_a_database: ({ directory }: { directory: string }) =>
    `${directory} holds a database already: add --force to put it aside, or name another --data-dir.`,
  not_a_backup: ({ path, cause }: { path: string; cause: string }) =>
    `${path} is no backup of bot-relay or is damaged (${cause}).`,
  backup_too_new: ({ path, schema, known }: { path: string; schema: number; known: number }) =>
    `${path} has schema ${schema} and this version knows only ${known}: use the newer bot-relay.`,
  key_file_damaged: ({ path }: { path: string }) =>
    `The master key file ${path} is damaged: put the right one back from where you keep a copy.`,
  key_file_missing: ({ path }: { path: string }) =>
    `The master key file ${path} is missing: put it back, or set RELAY_SECRET_KEY to the key this database was sealed with.`,
  other_master_key: ({ source }: { source: string }) =>
    `The database is sealed with another master key than ${source} holds: start with that key, or name it in RELAY_SECRET_KEY_PREVIOUS.`,
  former_master_key: ({ source, former }: { source: string; former: string }) =>
    `The database is sealed with another master key than ${source} holds: the key is kept in ${former}, so start once with RELAY_SECRET_KEY_PREVIOUS_FILE=${former}.`,
  schema_too_new: ({ schema, known }: { schema: number; known: number }) =>
    `The database has schema ${schema}, this version knows only ${known}: start the newer bot-relay that wrote it, or restore a backup made by this version.`,
  data_directory_locked: ({ directory }: { directory: string }) =>
    `The data directory ${directory} is in use by another bot-relay: stop that one, or give this one a directory of its own with RELAY_DATA_DIR.`,
} satisfies Sentences;
