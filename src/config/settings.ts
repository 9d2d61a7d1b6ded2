/*
 * Declares every setting once: this table feeds the reading of flags, environment and file, the
 * error messages, `bot-relay --help` and docs/configuration.md.
 */
import * as parse from './parse.ts';

export interface Setting<T> {
  /** The environment variable. */
  name: string;
  /** The command-line flag. A secret has none, because it would show in the process list. */
  flag: string;
  /** The environment variable before 1.0; a start that still sets it fails. */
  formerly?: string;
  /** Set for variables that other programs share, which also read them in lower case. */
  inherited?: true;
  /** The default as text, read by `parse`; '' means unset, for which `unset` is the value. */
  byDefault: string;
  unset?: T;
  meaning: string;
  example: string;
  /** Never echoed, not even in an error. It may also come from a file: NAME_FILE, --name-file. */
  secret?: true;
  parse(text: string): T;
}

function setting<T>(definition: Setting<T>): Setting<T> {
  return definition;
}

export const settings = {
  port: setting({
    name: 'PORT',
    flag: '--port',
    byDefault: '8080',
    meaning: 'HTTP port for everything; 0 picks a free port.',
    example: '8080',
    parse: parse.wholeNumber(0, 65_535),
  }),
  host: setting({
    name: 'HOST',
    flag: '--host',
    byDefault: '127.0.0.1',
    meaning: 'Address to listen on; 0.0.0.0 for all addresses of this machine.',
    example: '0.0.0.0',
    parse: parse.hostName,
  }),
  dataDir: setting({
    name: 'RELAY_DATA_DIR',
    flag: '--data-dir',
    byDefault: './data',
    meaning: 'Directory for the embedded database and generated secrets.',
    example: '/var/lib/bot-relay',
    parse: parse.plainText,
  }),
  databaseUrl: setting({
    name: 'DATABASE_URL',
    flag: '--database-url',
    byDefault: '',
    unset: '',
    meaning:
      'PostgreSQL database to use instead of the embedded one, for several nodes; needs RELAY_SECRET_KEY.',
    example: 'postgres://relay:password@db.internal:5432/relay',
    secret: true,
    parse: parse.postgresUrl,
  }),
  telegramApiUrl: setting({
    name: 'TELEGRAM_API_URL',
    flag: '--telegram-api-url',
    byDefault: 'https://api.telegram.org',
    meaning: 'Bot API server.',
    example: 'http://127.0.0.1:8081',
    parse: parse.httpUrl,
  }),
  telegramProxy: setting<string[]>({
    name: 'RELAY_TELEGRAM_PROXY',
    flag: '--telegram-proxy',
    byDefault: '',
    unset: [],
    meaning:
      'Proxies for connections to Telegram, http:// or socks5://, in this order; default: HTTPS_PROXY. Backends and the model never use them.',
    example: 'socks5://user:password@127.0.0.1:1080',
    secret: true,
    parse: parse.proxies,
  }),
  httpsProxy: setting({
    name: 'HTTPS_PROXY',
    inherited: true,
    flag: '--https-proxy',
    byDefault: '',
    unset: { proxies: [], isUnusable: false },
    meaning: 'Proxy for connections to Telegram if RELAY_TELEGRAM_PROXY is not set.',
    example: 'http://127.0.0.1:3128',
    secret: true,
    parse: parse.inheritedProxies,
  }),
  noProxy: setting<string[]>({
    name: 'NO_PROXY',
    inherited: true,
    flag: '--proxy-exceptions',
    byDefault: '',
    unset: [],
    meaning:
      'Hosts that HTTPS_PROXY is not used for: names, ends of names, addresses, networks, each with or without a port.',
    example: 'localhost,.example.org',
    parse: parse.hosts,
  }),
  telegramFiles: setting({
    name: 'RELAY_TELEGRAM_FILES',
    flag: '--telegram-files',
    byDefault: '',
    unset: '',
    meaning:
      'Directory (`--dir`) of a Bot API server in local mode, readable by this service: files in the folders of a bot are read from disk.',
    example: '/var/lib/telegram-bot-api',
    parse: parse.plainText,
  }),
  telegramBotToken: setting({
    name: 'TELEGRAM_BOT_TOKEN',
    flag: '--telegram-bot-token',
    byDefault: '',
    unset: '',
    meaning: 'Bot token to register at start.',
    example: '123456:ABC-DEF',
    secret: true,
    parse: parse.botToken,
  }),
  publicUrl: setting({
    name: 'RELAY_PUBLIC_URL',
    flag: '--public-url',
    byDefault: '',
    unset: '',
    meaning: 'Public https address of this service; required for webhook mode only.',
    example: 'https://relay.example.org',
    parse: parse.httpUrl,
  }),
  adminKey: setting({
    name: 'RELAY_ADMIN_KEY',
    flag: '--admin-key',
    byDefault: '',
    unset: '',
    meaning: 'Admin API key to create at start, for automation.',
    example: 'brs_"$(openssl rand -hex 24)"',
    secret: true,
    parse: parse.adminKey,
  }),
  secretKey: setting({
    name: 'RELAY_SECRET_KEY',
    flag: '--secret-key',
    byDefault: '',
    unset: '',
    meaning:
      'Master key that encrypts stored secrets, at least 32 characters; default: generated in the data directory.',
    example: '"$(openssl rand -base64 48)"',
    secret: true,
    parse: parse.masterKey,
  }),
  previousSecretKeys: setting<string[]>({
    name: 'RELAY_SECRET_KEY_PREVIOUS',
    flag: '--secret-key-previous',
    byDefault: '',
    unset: [],
    meaning:
      'Earlier master keys, separated by commas; their secrets are re-encrypted with RELAY_SECRET_KEY at start.',
    example: '"$OLD_KEY"',
    secret: true,
    parse: parse.masterKeys,
  }),
  sandbox: setting({
    name: 'RELAY_SANDBOX',
    flag: '--sandbox',
    byDefault: 'on',
    meaning: 'Built-in Telegram sandbox for practice bots: on or off.',
    example: 'off',
    parse: parse.onOff,
  }),
  backends: setting({
    name: 'RELAY_BACKENDS',
    flag: '--backends',
    byDefault: 'private-ok',
    meaning:
      'Addresses allowed for backends and language models. private-ok: all except link-local, cloud metadata, multicast and unspecified; public: public addresses only. Add networks to allow them too.',
    example: '"public, 10.1.0.0/16"',
    parse: parse.backendPolicy,
  }),
  llmUrl: setting({
    name: 'RELAY_LLM_URL',
    flag: '--llm-url',
    byDefault: '',
    unset: '',
    meaning: 'OpenAI-compatible endpoint for routing by meaning.',
    example: 'http://127.0.0.1:11434/v1',
    parse: parse.httpUrl,
  }),
  llmKey: setting({
    name: 'RELAY_LLM_KEY',
    flag: '--llm-key',
    byDefault: '',
    unset: '',
    meaning: 'API key for RELAY_LLM_URL.',
    example: 'sk-…',
    secret: true,
    parse: parse.plainText,
  }),
  llmModel: setting({
    name: 'RELAY_LLM_MODEL',
    flag: '--llm-model',
    byDefault: '',
    unset: '',
    meaning: 'Model name at RELAY_LLM_URL.',
    example: 'gpt-4o-mini',
    parse: parse.plainText,
  }),
  perKeyPerSecond: setting({
    name: 'RELAY_RATE_PER_KEY',
    flag: '--rate-per-key',
    byDefault: '200',
    meaning: 'Requests per second for one API key; bursts up to ten times that.',
    example: '500',
    parse: parse.wholeNumber(1, 1_000_000),
  }),
  perAddressPerSecond: setting({
    name: 'RELAY_RATE_PER_ADDRESS',
    flag: '--rate-per-address',
    byDefault: '20',
    meaning:
      'Requests per second for one IP address without an API key or known bot token; bursts up to ten times that.',
    example: '50',
    parse: parse.wholeNumber(1, 1_000_000),
  }),
  retentionAgeMs: setting({
    name: 'RELAY_RETENTION_AGE',
    flag: '--retention-age',
    byDefault: '7d',
    meaning: 'How long updates stay in the log.',
    example: '30d',
    parse: parse.durationMs,
  }),
  retentionBytesPerBot: setting({
    name: 'RELAY_RETENTION_BYTES',
    flag: '--retention-bytes',
    byDefault: '1GB',
    meaning: 'Maximum log size per bot; the oldest updates are deleted first.',
    example: '250MB',
    parse: parse.bytes,
  }),
  mediaCacheBytes: setting({
    name: 'RELAY_MEDIA_CACHE',
    flag: '--media-cache',
    byDefault: '1GB',
    meaning: 'Maximum size of cached media files; the least recently used are deleted first.',
    example: '5GB',
    parse: parse.bytes,
  }),
  exportDir: setting({
    name: 'RELAY_EXPORT_DIR',
    flag: '--export-dir',
    byDefault: '',
    unset: '',
    meaning: 'Directory for a copy of all updates as JSON Lines files; default: none.',
    example: '/var/lib/bot-relay/export',
    parse: parse.plainText,
  }),
  backupDir: setting({
    name: 'RELAY_BACKUP_DIR',
    flag: '--backup-dir',
    byDefault: '',
    unset: '',
    meaning:
      'Directory for scheduled backups of the embedded database, each verified; default: none. Not with DATABASE_URL.',
    example: '/var/lib/bot-relay-backups',
    parse: parse.plainText,
  }),
  backupEveryMs: setting({
    name: 'RELAY_BACKUP_EVERY',
    flag: '--backup-every',
    byDefault: '24h',
    meaning: 'Time between scheduled backups.',
    example: '6h',
    parse: parse.durationMs,
  }),
  backupKeep: setting({
    name: 'RELAY_BACKUP_KEEP',
    flag: '--backup-keep',
    byDefault: '7',
    meaning: 'Number of scheduled backups to keep; older ones are deleted.',
    example: '14',
    parse: parse.wholeNumber(1, 1_000),
  }),
  pushGiveUpAfterMs: setting({
    name: 'RELAY_PUSH_GIVE_UP',
    flag: '--push-give-up',
    byDefault: '24h',
    meaning: 'How long a delivery is retried before it becomes a dead letter.',
    example: '2h',
    parse: parse.durationMs,
  }),
  pushMaxConnections: setting({
    name: 'RELAY_PUSH_CONNECTIONS',
    flag: '--push-connections',
    byDefault: '40',
    meaning: 'Deliveries in flight to one backend, unless setWebhook sets max_connections.',
    example: '100',
    parse: parse.wholeNumber(1, 10_000),
  }),
  alertAppNotSeenMs: setting({
    name: 'RELAY_ALERT_APP_NOT_SEEN',
    formerly: 'RELAY_ALERT_APP_SILENT',
    flag: '--alert-app-not-seen',
    byDefault: '30m',
    meaning:
      'Alert when an app with its own token that polls has made no call for this long, or off.',
    example: '10m',
    parse: (text) => (text.toLowerCase() === 'off' ? 0 : parse.durationMs(text)),
  }),
  alertBackupAgeMs: setting({
    name: 'RELAY_ALERT_BACKUP_AGE',
    flag: '--alert-backup-age',
    byDefault: '',
    unset: 0,
    meaning:
      'Alert when the last scheduled backup is older than this; default: twice RELAY_BACKUP_EVERY.',
    example: '3d',
    parse: parse.durationMs,
  }),
  alertReaderLag: setting({
    name: 'RELAY_ALERT_READER_LAG',
    formerly: 'RELAY_ALERT_READER_BEHIND',
    flag: '--alert-reader-lag',
    byDefault: '10000',
    meaning: 'Alert when a reader is more than this many updates behind; 0 for never.',
    example: '1000',
    parse: parse.wholeNumber(0, 1_000_000_000),
  }),
  sessionLifetimeMs: setting({
    name: 'RELAY_SESSION_LIFETIME',
    flag: '--session-lifetime',
    byDefault: '7d',
    meaning: 'How long users stay signed in to the web UI.',
    example: '12h',
    parse: parse.durationMs,
  }),
  trustProxy: setting({
    name: 'RELAY_TRUST_PROXY',
    flag: '--trust-proxy',
    byDefault: 'off',
    meaning:
      'Networks of reverse proxies whose X-Forwarded-* headers are trusted, or off; without it, all clients behind a proxy share one address.',
    example: '127.0.0.1,10.0.0.0/8',
    parse: parse.trustedProxies,
  }),
  logLevel: setting({
    name: 'RELAY_LOG_LEVEL',
    flag: '--log-level',
    byDefault: 'info',
    meaning: 'Log level on standard error: silent, fatal, error, warn, info, debug or trace.',
    example: 'warn',
    parse: parse.oneOf(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const),
  }),
  metricsPort: setting({
    name: 'RELAY_METRICS_PORT',
    flag: '--metrics-port',
    byDefault: '0',
    meaning: 'Separate port for /metrics without a key; 0 serves it on PORT with an admin key.',
    example: '9464',
    parse: parse.wholeNumber(0, 65_535),
  }),
  metricsBots: setting({
    name: 'RELAY_METRICS_BOTS',
    flag: '--metrics-bots',
    byDefault: 'off',
    meaning:
      'Metrics per bot, with the label bot_id, for the first 200 active bots; the others share bot_id="other". on or off.',
    example: 'on',
    parse: parse.onOff,
  }),
  otlpEndpoint: setting({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    flag: '--otel-exporter-otlp-endpoint',
    byDefault: '',
    unset: '',
    meaning:
      'OpenTelemetry collector (OTLP over HTTP) to send metrics and traces to; default: none. The SDK is loaded only with it.',
    example: 'http://127.0.0.1:4318',
    parse: parse.httpUrl,
  }),
};

export type SettingId = keyof typeof settings;
export const settingIds = Object.keys(settings) as SettingId[];
export type SettingValues = { [K in SettingId]: ReturnType<(typeof settings)[K]['parse']> };

export const renamedSettings = Object.values<Setting<unknown>>(settings).flatMap(
  ({ flag, formerly, name }) => (formerly === undefined ? [] : [{ flag, formerly, name }]),
);

/** The key in bot-relay.yaml. */
export function yamlKey(setting: Pick<Setting<unknown>, 'name'>): string {
  return setting.name.toLowerCase().replace(/^relay_/, '');
}
