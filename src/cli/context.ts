import { commandFor } from './as-typed.ts';
import { reason } from '../core/reasons/reason.ts';
import { accessSync, constants, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, Help, type Option } from 'commander';
import {
  type Config,
  readSettings,
  settingExample,
  toConfig,
  unknownVariables,
} from '../config.ts';
import { type Setting, type SettingId, settingIds, settings } from '../config/settings.ts';
import { RelayError } from '../errors.ts';
import { version } from '../version.ts';
import type { ApiClient } from '../api.ts';
import { createApiClient, overHttp, ServiceUnreachable } from '../api-client.ts';
import { type Asker, createAsker, readSecretLine, UsageError } from './ask.ts';
import type { Output } from './output.ts';
import type { Surroundings } from './environment.ts';
import { readServiceFile, type RunningService } from '../manage/service/service-file.ts';

export interface CommandContext {
  output: Output;
  ask: Asker;
  /** The settings that a service started here would use. */
  config(): Config;
  /** True if a setting was set anywhere; false if it has its default. */
  isGiven(id: SettingId): boolean;
  /** The address of the service, whether or not it runs. */
  address(): string;
  /** The running service, remote or on this machine, and the key for it; throws if none runs. */
  running(): Pick<RunningService, 'key' | 'url'>;
  /**
   * The service that runs on this machine; undefined if none does, or commands talk to a remote one.
   * It has another key, and maybe another address, after each start.
   */
  local(): { started: string; api: ApiClient } | undefined;
  /** True if commands talk to a remote service. */
  isRemote: boolean;
  /** The secret from standard input, as with `--token-stdin`. */
  secretFromStdin(what: string): Promise<string>;
  stdin: AsyncIterable<unknown>;
  /** Reads the environment; undefined if the variable is not set. */
  variable(name: string): string | undefined;
  /**
   * `begins` is for commands that create something: only those may create a data directory. A
   * command that `rehearses` needs none: without data, it gets the answers of an empty service.
   * `isServed` is false if no service runs and the command works on the data itself.
   */
  withApi<T>(
    use: (api: ApiClient, isServed: boolean) => Promise<T>,
    options?: { begins?: boolean; rehearses?: boolean },
  ): Promise<T>;
  /** Returns a sentence for each variable of the environment that looks like a setting but is not. */
  unknownVariables(): string[];
  /** Sets the exit code, although the command finished; 1 if none is given. */
  fail(code?: number): void;
}

interface GlobalOptions {
  json?: true;
  url?: string;
  key?: string;
  config?: string;
}

/** About the time that a service takes to start. */
const lockedMs = 5_000;
const lookEveryMs = 100;

const settingsHeading =
  'Settings (flags override the environment, which overrides bot-relay.yaml):';

/** All settings would hide the commands, so they are listed only with `start`. */
export const helpWithoutSettings = {
  showGlobalOptions: true,
  visibleOptions: (command: Command) =>
    new Help().visibleOptions(command).filter((option) => !isSetting(option)),
  visibleGlobalOptions: (command: Command) =>
    command.parent ? rootOf(command).options.filter(isForAll) : [],
  styleTitle: (title: string) => (title === 'Global Options:' ? 'For every command:' : title),
};

export const helpWithSettings = {
  ...helpWithoutSettings,
  visibleOptions: (command: Command) => [
    ...new Help().visibleOptions(command),
    ...(command.parent?.options.filter(isSetting) ?? []),
  ],
  visibleGlobalOptions: (command: Command) =>
    helpWithoutSettings.visibleGlobalOptions(command).filter((option) => !isForClients(option)),
};

/** Help for a command that works on this machine only. */
export const helpWithoutAddress = {
  ...helpWithoutSettings,
  visibleGlobalOptions: helpWithSettings.visibleGlobalOptions,
};

/** Refuses an address, because the command works on this machine and would ignore it. */
export function refuseAddress(command: Command, what: string, advice: string, address = ''): void {
  const { url, key } = command.optsWithGlobals<GlobalOptions>();
  const flag = url !== undefined ? '--url' : key !== undefined ? '--key' : '';
  const why =
    flag !== '' ? ` and takes no ${flag}` : address !== '' ? ', but RELAY_URL is set' : '';
  if (why !== '') throw new UsageError(`${what}${why}. ${advice}`);
}

/** Help for a command that takes no other settings, and has its own data. */
export function helpWithOnly(...ids: SettingId[]) {
  const flags = new Set(
    ids.map((id) => flagSyntax(settings[id] as Setting<unknown>).split(' ')[0]),
  );
  return {
    ...helpWithSettings,
    visibleOptions: (command: Command) =>
      helpWithSettings
        .visibleOptions(command)
        .filter((option) => !isSetting(option) || flags.has(option.long)),
    visibleGlobalOptions: (command: Command) =>
      helpWithSettings
        .visibleGlobalOptions(command)
        .filter(({ long }) => long !== settings.dataDir.flag),
  };
}

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command);
const isForAll = (option: Option) => !isSetting(option) && option.long !== '--version';
const isForClients = ({ long }: Option) => long === '--url' || long === '--key';
const isSetting = (option: Option) => option.helpGroupHeading === settingsHeading;

export function addSharedOptions(program: Command): void {
  program
    .optionsGroup('Options:')
    .version(version, '-V, --version', 'print the version')
    .option('--json', 'print JSON')
    .option('--url <address>', 'address of a running service (RELAY_URL)')
    .option('--key <key>', 'API key for --url; prefer RELAY_API_KEY in the environment')
    .option('--config <file>', 'settings file, default bot-relay.yaml')
    .optionsGroup(settingsHeading);
  for (const id of settingIds) {
    const setting = settings[id] as Setting<unknown>;
    const byDefault = setting.byDefault === '' ? '' : `, default ${setting.byDefault}`;
    program.option(flagSyntax(setting), `${setting.meaning} (${setting.name}${byDefault})`);
  }
  // The data directory is listed with the shared options, because it says which service a command
  // is about.
  program.options.find(({ long }) => long === settings.dataDir.flag)?.helpGroup('Options:');
}

function flagSyntax(setting: Setting<unknown>): string {
  return takesFile(setting) ? `${setting.flag}-file <path>` : `${setting.flag} <value>`;
}

/** A secret on the command line would show in the process list, so its flag takes a file. */
function takesFile(setting: Setting<unknown>): boolean {
  return setting.secret === true && setting.name !== 'DATABASE_URL';
}

function flagsOf(options: Record<string, unknown>): Partial<Record<SettingId, string>> {
  const flags: Partial<Record<SettingId, string>> = {};
  for (const id of settingIds) {
    const setting = settings[id] as Setting<unknown>;
    const name = takesFile(setting) ? `${setting.flag}-file` : setting.flag;
    const value = options[camelCase(name.slice(2))];
    if (typeof value === 'string') flags[id] = value;
  }
  return flags;
}

const textsOf = (options: GlobalOptions & Record<string, unknown>, env: NodeJS.ProcessEnv) =>
  readSettings({ flags: flagsOf(options), env, yamlFile: options.config });

export interface Given {
  /** Names a setting as the user gave it, and shows how to set it to `value` in the same way. */
  as(id: SettingId, value: string): { setting: string; example: string };
  text(id: SettingId): string | undefined;
}

const npmScripts: Record<string, string> = { start: 'npm start', demo: 'npm run demo' };

export function givenIn(options: Record<string, unknown>, env: NodeJS.ProcessEnv): Given {
  return {
    as(id, value) {
      const { flag } = settings[id];
      const setting = textsOf(options, env)[id]?.from ?? flag;
      const example = settingExample(id, setting, value);
      const script = setting === flag && npmScripts[env['npm_lifecycle_event'] ?? ''];
      return { setting, example: script ? `${script} -- ${example}` : example };
    },
    text: (id) => textsOf(options, env)[id]?.text,
  };
}

function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const databaseIn = ({ dataDir }: Config) => path.join(dataDir, 'relay.db');

/** A read-only command must not create a database and a key in an empty directory. */
export function requireData(config: Config): void {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== '') return;
  try {
    accessSync(databaseIn(config), constants.R_OK | constants.W_OK);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw code === 'ENOENT' || code === 'ENOTDIR'
      ? new RelayError('not_found', reason('no_data', { directory: dataDir }))
      : new RelayError(
          'bad_setting',
          reason('data_not_usable', {
            setting: settings.dataDir.name,
            directory: dataDir,
            cause: code,
          }),
        );
  }
}

export function createContext(
  command: Command,
  surroundings: Surroundings,
  fail: (code: number) => void,
): CommandContext {
  const options = command.optsWithGlobals<GlobalOptions & Record<string, unknown>>();
  const json = options.json === true;
  const interactive = surroundings.interactive && !json;
  const output: Output = {
    json,
    colours: surroundings.colours && !json,
    watched: interactive,
    command: commandFor(options),
    line: (text) => surroundings.out(`${text}\n`),
    note: (text) => surroundings.err(`${text}\n`),
  };
  const texts = () => textsOf(options, surroundings.env);
  const config = () => toConfig(texts());
  const url = (options.url ?? surroundings.env['RELAY_URL'] ?? '').replace(/\/+$/, '');

  function remoteKey(): string {
    const { env } = surroundings;
    if (!/^https?:\/\//.test(url)) {
      throw new UsageError(`--url must start with http:// or https://, not "${url}".`);
    }
    const key = options.key ?? (env['RELAY_API_KEY'] || env['RELAY_ADMIN_KEY'] || '');
    if (key !== '') return key;
    throw new UsageError('API key required with --url. Set RELAY_API_KEY or use --key.');
  }

  function running(): Pick<RunningService, 'key' | 'url'> {
    if (url !== '') return { url, key: remoteKey() };
    const { dataDir } = config();
    const found = readServiceFile(dataDir);
    if (!found) throw new ServiceUnreachable(reason('no_service_here', { directory: dataDir }));
    return { url: found.url, key: options.key ?? (surroundings.env['RELAY_API_KEY'] || found.key) };
  }

  function local() {
    const found = url === '' ? readServiceFile(config().dataDir) : undefined;
    const key = options.key ?? found?.key ?? '';
    return found && { started: found.key, api: createApiClient(key, overHttp(found.url)) };
  }

  async function withApi<T>(
    use: (api: ApiClient, isServed: boolean) => Promise<T>,
    { begins = false, rehearses = false } = {},
  ): Promise<T> {
    if (url !== '') return await use(createApiClient(remoteKey(), overHttp(url)), true);
    const settled = config();
    const askRunning = ({ key, url }: RunningService) =>
      use(createApiClient(options.key ?? key, overHttp(url)), true);
    const running = readServiceFile(settled.dataDir);
    if (running) return await askRunning(running);
    const isEmbedded = settled.databaseUrl === '';
    if (rehearses && isEmbedded && !existsSync(databaseIn(settled))) {
      return await onEmptyData(settled, use);
    }
    if (!begins) requireData(settled);
    // A service that is starting, or another command, may lock the data for a moment, so retry.
    for (const giveUpAt = Date.now() + lockedMs; ; await pause(lookEveryMs)) {
      try {
        return await onData(settled, use, begins);
      } catch (error) {
        const isEmpty = error instanceof RelayError && error.reason.code === 'no_data_in_database';
        if (rehearses && isEmpty) return await onEmptyData(settled, use);
        if (!(error instanceof RelayError && error.code === 'data_dir_locked')) throw error;
        const started = readServiceFile(settled.dataDir);
        if (started) return await askRunning(started);
        if (Date.now() > giveUpAt) throw error;
      }
    }
  }

  async function onEmptyData<T>(
    settled: Config,
    use: (api: ApiClient, isServed: boolean) => Promise<T>,
  ): Promise<T> {
    const folder = mkdtempSync(path.join(tmpdir(), 'bot-relay-'));
    try {
      return await onData({ ...settled, databaseUrl: '', dataDir: folder }, use, true);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  async function onData<T>(
    settled: Config,
    use: (api: ApiClient, isServed: boolean) => Promise<T>,
    begins: boolean,
  ): Promise<T> {
    // Imported here, because it loads the whole service.
    const { openOffline } = await import('../main.ts');
    const offline = await openOffline(settled, output.note, begins ? 'create' : 'keep');
    try {
      return await use(createApiClient(offline.key, offline.exchange), false);
    } finally {
      await offline.close();
    }
  }

  return {
    output,
    ask: createAsker(interactive),
    config,
    isGiven: (id) => texts()[id] !== undefined,
    address() {
      if (url !== '') return url;
      const { dataDir, host, port } = config();
      return readServiceFile(dataDir)?.url ?? `http://${host}:${port}`;
    },
    running,
    local,
    isRemote: url !== '',
    secretFromStdin: (what) => readSecretLine(surroundings.stdin, what),
    stdin: surroundings.stdin,
    variable: (name) => surroundings.env[name],
    unknownVariables: () => unknownVariables(surroundings.env),
    fail: (code = 1) => fail(code),
    withApi,
  };
}
