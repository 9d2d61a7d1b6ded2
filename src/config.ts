import { type Reason, reason, reasonText } from './core/reasons/reason.ts';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type * as Yaml from 'yaml';
import { type BackendPolicy, SettingProblem } from './config/parse.ts';
import { readBounded } from './config/read-bounded.ts';
import {
  type Setting,
  type SettingId,
  type SettingValues,
  renamedSettings,
  settingIds,
  settings,
  yamlKey,
} from './config/settings.ts';
import { meantBy } from './core/reasons/similar-word.ts';
import { RelayError } from './errors.ts';

export type { BackendPolicy } from './config/parse.ts';

/** Proxies for connections to Telegram only. */
export interface PlatformProxies {
  /** Proxies in the order in which they are tried. */
  proxies: readonly string[];
  /** Hosts that are reached without a proxy. */
  exceptions: readonly string[];
  /** True if HTTPS_PROXY is not a usable proxy address; it is ignored. */
  isUnusable: boolean;
}

export interface Config {
  host: string;
  port: number;
  dataDir: string;
  /** '' means the embedded database in the data dir. */
  databaseUrl: string;
  telegramApiUrl: string;
  platformProxies: PlatformProxies;
  /** The directory in which a Bot API server in local mode keeps its files; '' for none. */
  telegramFiles: string;
  telegramBotToken: string;
  publicUrl: string;
  adminKey: string;
  /** '' means generated in the data dir. */
  secretKey: string;
  previousSecretKeys: string[];
  sandbox: boolean;
  backends: BackendPolicy;
  llm: { url: string; key: string; model: string };
  rateLimits: { perKeyPerSecond: number; perAddressPerSecond: number };
  retention: { maxAgeMs: number; maxBytesPerBot: number };
  mediaCacheBytes: number;
  /** '' means that nothing is exported. */
  exportDir: string;
  /** Without a directory, no backups are scheduled. */
  backup: { directory: string; everyMs: number; keep: number };
  push: { giveUpAfterMs: number; maxConnections: number };
  /** `backupAgeMs` is 0 for twice the time between backups. */
  alerts: { appNotSeenMs: number; readerLag: number; backupAgeMs: number };
  sessionLifetimeMs: number;
  /** Networks of proxies whose X-Forwarded-* headers are trusted. */
  trustProxy: string[];
  logLevel: string;
  /** 0 means metrics are served on the main port, with a key. */
  metricsPort: number;
  /** If set, metrics have a series for each bot. */
  metricsBots: boolean;
  /** '' means that metrics and traces are not sent. */
  otlpEndpoint: string;
}

/** Settings as text, from any source; unset settings are missing. */
export type SettingTexts = Partial<Record<SettingId, { text: string; from: string }>>;

export interface SettingSources {
  /** Flags by setting; for a secret, the name of the file that holds it. */
  flags?: Partial<Record<SettingId, string>>;
  env?: NodeJS.ProcessEnv;
  /**
   * If given, the file must exist. Otherwise bot-relay.yaml in the working directory is read if it
   * exists.
   */
  yamlFile?: string | undefined;
  workingDir?: string;
}

/** Flags override the environment, which overrides the file. */
export function readSettings(sources: SettingSources = {}): SettingTexts {
  const env = sources.env ?? process.env;
  const workingDir = sources.workingDir ?? process.cwd();
  const fromFile = readYaml(sources.yamlFile, workingDir);
  for (const { formerly, name } of renamedSettings) {
    if (env[formerly]) throw badSetting(reason('setting_renamed', { setting: formerly, name }));
  }
  const texts: SettingTexts = {};
  for (const id of settingIds) {
    const setting = settings[id] as Setting<unknown>;
    const flag = sources.flags?.[id];
    const found =
      (flag !== undefined && fromFlag(setting, flag, workingDir)) ||
      fromEnvironment(setting, env, workingDir) ||
      fromFile.get(id);
    if (found) texts[id] = found;
  }
  return texts;
}

function fromFlag(setting: Setting<unknown>, value: string, workingDir: string) {
  if (!setting.secret || setting.name === 'DATABASE_URL')
    return { text: value, from: setting.flag };
  const from = `${setting.flag}-file`;
  return { text: readTextFile(path.resolve(workingDir, value), from).trim(), from };
}

function fromEnvironment(setting: Setting<unknown>, env: NodeJS.ProcessEnv, workingDir: string) {
  const text = env[setting.name] || (setting.inherited && env[setting.name.toLowerCase()]);
  if (text !== undefined && text !== '') return { text, from: setting.name };
  const fileName = setting.secret && env[`${setting.name}_FILE`];
  if (!fileName) return undefined;
  const from = `${setting.name}_FILE`;
  return { text: readTextFile(path.resolve(workingDir, fileName), from).trim(), from };
}

/** Variables that the CLI reads as a client of a service. */
const clientVariables = ['RELAY_URL', 'RELAY_API_KEY'];
/** Kubernetes sets these for a service with the name "relay". */
const isOfKubernetes = (name: string, value: string) =>
  name.startsWith('RELAY_SERVICE_') || /^RELAY_PORT_\d/.test(name) || value.startsWith('tcp://');

/**
 * Finds variables that look like settings but are not, mostly misspelt ones. Returns one sentence
 * for each.
 */
export function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  const known = Object.values(settings as Record<string, Setting<unknown>>).flatMap(
    ({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name]),
  );
  known.push(...clientVariables);
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (!name.startsWith('RELAY_') || known.includes(name) || isOfKubernetes(name, value)) {
      return [];
    }
    return [reasonText(reason('variable_unknown', { name, ...meantBy(name, known) }))];
  });
}

const mostBytes = 1_048_576;

function readTextFile(file: string, from: string): string {
  let text: string | undefined;
  try {
    text = readBounded(file, mostBytes);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw badSetting(reason('settings_file_unreadable', { setting: from, file, cause: code }));
  }
  if (text !== undefined) return text;
  const about = { setting: from, file, cause: 'larger than 1 MB' };
  throw badSetting(reason('settings_file_unreadable', about));
}

function readYaml(given: string | undefined, workingDir: string) {
  const file = path.resolve(workingDir, given ?? 'bot-relay.yaml');
  const found = new Map<SettingId, { text: string; from: string }>();
  if (given === undefined && !existsSync(file)) return found;
  const name = path.basename(file);
  const content = parseFile(file, given === undefined ? name : '--config');
  if (content === null || content === undefined) return found;
  if (typeof content !== 'object' || Array.isArray(content)) {
    throw badSetting(reason('settings_file_wrong', { file: name }));
  }
  for (const [key, value] of Object.entries(content)) {
    // The keys may be spelled as in the environment or as in the reference.
    const wanted = yamlKey({ name: key.replaceAll('-', '_') });
    const id = settingIds.find((candidate) => yamlKey(settings[candidate]) === wanted);
    if (!id) {
      const renamed = renamedSettings.find(
        ({ formerly }) => yamlKey({ name: formerly }) === wanted,
      );
      if (renamed) {
        const about = { setting: `${name}: ${key}`, name: yamlKey(renamed) };
        throw badSetting(reason('setting_renamed', about));
      }
      const meant = meantBy(wanted, Object.values(settings).map(yamlKey));
      throw badSetting(reason('setting_unknown', { file: name, name: key, ...meant }));
    }
    const text = yamlText(value);
    if (text === undefined) {
      const example = `${yamlKey(settings[id])}: ${settings[id].example}`;
      throw badSetting(reason('setting_not_one_value', { file: name, name: key, example }));
    }
    if (text !== '') found.set(id, { text, from: `${name}: ${key}` });
  }
  return found;
}

function parseFile(file: string, from: string): unknown {
  const text = readTextFile(file, from);
  // Loaded on first need, as most services have no such file.
  const yaml: typeof Yaml = createRequire(import.meta.url)('yaml');
  try {
    return yaml.parse(text);
  } catch (error) {
    const cause = (error as Error).message.split('\n')[0]?.replace(/:$/, '') ?? '';
    throw badSetting(reason('settings_file_not_yaml', { setting: from, file, cause }));
  }
}

function yamlText(value: unknown): string | undefined {
  if (value === null) return '';
  if (value === true) return 'on';
  if (value === false) return 'off';
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return value.join(',');
  }
  return undefined;
}

/** A pure function: the same texts give the same configuration, or the first problem in them. */
export function toConfig(texts: SettingTexts): Config {
  const values = {} as Record<SettingId, unknown>;
  for (const id of settingIds) values[id] = parseSetting(id, texts[id]);
  const v = values as SettingValues;
  if (v.databaseUrl !== '' && v.secretKey === '') {
    throw wrongSetting('secretKey', reason('setting_secret_key_needed'));
  }
  if (v.databaseUrl !== '' && v.backupDir !== '') {
    const setting = texts.backupDir?.from ?? settings.backupDir.name;
    throw badSetting(reason('backup_dir_embedded_only', { setting }));
  }
  const ownTelegram = v.telegramApiUrl !== settings.telegramApiUrl.byDefault;
  if (v.publicUrl.startsWith('http:') && !ownTelegram) {
    throw wrongSetting('publicUrl', reason('setting_https_needed'), texts.publicUrl?.from);
  }
  if (v.metricsPort !== 0 && v.metricsPort === v.port) {
    const problem = reason('setting_port_of_service', {
      setting: texts.port?.from ?? settings.port.name,
      port: v.port,
    });
    throw wrongSetting('metricsPort', problem, texts.metricsPort?.from);
  }
  return {
    host: v.host,
    port: v.port,
    dataDir: v.dataDir,
    databaseUrl: v.databaseUrl,
    telegramApiUrl: v.telegramApiUrl,
    platformProxies:
      v.telegramProxy.length > 0
        ? { proxies: v.telegramProxy, exceptions: [], isUnusable: false }
        : { ...v.httpsProxy, exceptions: v.noProxy },
    telegramFiles: v.telegramFiles,
    telegramBotToken: v.telegramBotToken,
    publicUrl: v.publicUrl,
    adminKey: v.adminKey,
    secretKey: v.secretKey,
    previousSecretKeys: v.previousSecretKeys,
    sandbox: v.sandbox,
    backends: v.backends,
    llm: { url: v.llmUrl, key: v.llmKey, model: v.llmModel },
    rateLimits: {
      perKeyPerSecond: v.perKeyPerSecond,
      perAddressPerSecond: v.perAddressPerSecond,
    },
    retention: { maxAgeMs: v.retentionAgeMs, maxBytesPerBot: v.retentionBytesPerBot },
    mediaCacheBytes: v.mediaCacheBytes,
    exportDir: v.exportDir,
    backup: { directory: v.backupDir, everyMs: v.backupEveryMs, keep: v.backupKeep },
    push: { giveUpAfterMs: v.pushGiveUpAfterMs, maxConnections: v.pushMaxConnections },
    alerts: {
      appNotSeenMs: v.alertAppNotSeenMs,
      readerLag: v.alertReaderLag,
      backupAgeMs: v.alertBackupAgeMs,
    },
    sessionLifetimeMs: v.sessionLifetimeMs,
    trustProxy: v.trustProxy,
    logLevel: v.logLevel,
    metricsPort: v.metricsPort,
    metricsBots: v.metricsBots,
    otlpEndpoint: v.otlpEndpoint,
  };
}

function parseSetting(id: SettingId, given: { text: string; from: string } | undefined): unknown {
  const setting = settings[id] as Setting<unknown>;
  const text = given?.text.trim() ?? setting.byDefault;
  if (text === '' && setting.byDefault === '') return setting.unset;
  try {
    return setting.parse(text);
  } catch (error) {
    if (!(error instanceof SettingProblem)) throw error;
    const isSecret = setting.secret || text.includes('@');
    throw wrongSetting(id, error.why, given?.from, isSecret ? null : text);
  }
}

function wrongSetting(
  id: SettingId,
  problem: Reason,
  from: string = settings[id].name,
  value: string | null = null,
): RelayError {
  const example = settingExample(id, from);
  return badSetting(reason('setting_wrong', { setting: from, problem, value, example }));
}

/**
 * Writes a setting in the form in which it was given: a flag overrides the environment, which
 * overrides the file.
 */
export function settingExample(
  id: SettingId,
  from: string,
  value: string = settings[id].example,
): string {
  const { name, flag } = settings[id];
  if (from === flag) return `${flag} ${value}`;
  // A shell expands "$(…)", the file does not.
  const isInFile = from.includes(': ') && !value.includes('"$');
  return isInFile ? `${yamlKey(settings[id])}: ${value}` : `${name}=${value}`;
}

const badSetting = (why: Reason) => new RelayError('bad_setting', why);

/** Returns the environment for the CLI; settings are read by `readSettings`. */
export function readCommandEnvironment(): NodeJS.ProcessEnv {
  return process.env;
}
