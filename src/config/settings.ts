/*
 * Every setting, once: this table feeds the reading of flags, environment and file, the error
 * messages, `bot-relay --help` and docs/configuration.md.
 */
import * as parse from './parse.ts';

export interface Setting<T> {
  /** The environment variable. */
  name: string;
  /** The command's flag. A secret has none: it would show in the process list. */
  flag: string;
  /** As text, read by `parse`; '' means unset, which `unset` stands for. */
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
    meaning: 'The one HTTP port that serves everything; 0 takes any free one.',
    example: '8080',
    parse: parse.wholeNumber(0, 65_535),
  }),
  host: setting({
    name: 'HOST',
    flag: '--host',
    byDefault: '127.0.0.1',
    meaning: 'The address to listen on; 0.0.0.0 for every one of this machine.',
    example: '0.0.0.0',
    parse: parse.hostName,
  }),
  dataDir: setting({
    name: 'RELAY_DATA_DIR',
    flag: '--data-dir',
    byDefault: './data',
    meaning: 'Where the embedded database and generated secrets are kept.',
    example: '/var/lib/bot-relay',
    parse: parse.plainText,
  }),
  databaseUrl: setting({
    name: 'DATABASE_URL',
    flag: '--database-url',
    byDefault: '',
    unset: '',
    meaning:
      'A PostgreSQL that several nodes may share, in place of the embedded database; needs RELAY_SECRET_KEY.',
    example: 'postgres://relay:password@db.internal:5432/relay',
    secret: true,
    parse: parse.postgresUrl,
  }),
  telegramApiUrl: setting({
    name: 'TELEGRAM_API_URL',
    flag: '--telegram-api-url',
    byDefault: 'https://api.telegram.org',
    meaning: 'The Bot API server to use.',
    example: 'http://127.0.0.1:8081',
    parse: parse.httpUrl,
  }),
  telegramBotToken: setting({
    name: 'TELEGRAM_BOT_TOKEN',
    flag: '--telegram-bot-token',
    byDefault: '',
    unset: '',
    meaning: 'Registers this bot at start, once.',
    example: '123456:ABC-DEF',
    secret: true,
    parse: parse.botToken,
  }),
  publicUrl: setting({
    name: 'RELAY_PUBLIC_URL',
    flag: '--public-url',
    byDefault: '',
    unset: '',
    meaning:
      'The base address of this service that Telegram can reach, https; needed for webhook mode only.',
    example: 'https://relay.example.org',
    parse: parse.httpUrl,
  }),
  adminKey: setting({
    name: 'RELAY_ADMIN_KEY',
    flag: '--admin-key',
    byDefault: '',
    unset: '',
    meaning: 'Installs this API key as an admin key at start, for automation.',
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
      'Master key of what is encrypted at rest, any text of at least 32 characters; unset, one is generated in the data directory.',
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
      'Earlier master keys, separated by commas: what they encrypted is re-encrypted with RELAY_SECRET_KEY at start.',
    example: '"$OLD_KEY"',
    secret: true,
    parse: parse.masterKeys,
  }),
  sandbox: setting({
    name: 'RELAY_SANDBOX',
    flag: '--sandbox',
    byDefault: 'on',
    meaning: 'The built-in Telegram sandbox, for practice bots: on or off.',
    example: 'off',
    parse: parse.onOff,
  }),
  backends: setting({
    name: 'RELAY_BACKENDS',
    flag: '--backends',
    byDefault: 'private-ok',
    meaning:
      'Which addresses updates may be forwarded to and models asked at. private-ok: all but link-local, cloud metadata, multicast and unspecified ones; public: public ones only. Networks that follow are allowed as well.',
    example: '"public, 10.1.0.0/16"',
    parse: parse.backendPolicy,
  }),
  llmUrl: setting({
    name: 'RELAY_LLM_URL',
    flag: '--llm-url',
    byDefault: '',
    unset: '',
    meaning: 'An OpenAI-compatible endpoint for routing by description.',
    example: 'http://127.0.0.1:11434/v1',
    parse: parse.httpUrl,
  }),
  llmKey: setting({
    name: 'RELAY_LLM_KEY',
    flag: '--llm-key',
    byDefault: '',
    unset: '',
    meaning: 'The key for that endpoint.',
    example: 'sk-…',
    secret: true,
    parse: parse.plainText,
  }),
  llmModel: setting({
    name: 'RELAY_LLM_MODEL',
    flag: '--llm-model',
    byDefault: '',
    unset: '',
    meaning: 'The model to ask there.',
    example: 'gpt-4o-mini',
    parse: parse.plainText,
  }),
  perKeyPerSecond: setting({
    name: 'RELAY_RATE_PER_KEY',
    flag: '--rate-per-key',
    byDefault: '200',
    meaning: "Requests a second for one key, with bursts of ten seconds' worth.",
    example: '500',
    parse: parse.wholeNumber(1, 1_000_000),
  }),
  perAddressPerSecond: setting({
    name: 'RELAY_RATE_PER_ADDRESS',
    flag: '--rate-per-address',
    byDefault: '20',
    meaning:
      "Requests a second for one address that shows neither a key nor a known bot token, with bursts of ten seconds' worth.",
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
    meaning: 'How much of the log one bot may fill before its oldest updates go.',
    example: '250MB',
    parse: parse.bytes,
  }),
  mediaCacheBytes: setting({
    name: 'RELAY_MEDIA_CACHE',
    flag: '--media-cache',
    byDefault: '1GB',
    meaning:
      'How much of the data directory files of messages may fill before those not asked for longest go.',
    example: '5GB',
    parse: parse.bytes,
  }),
  exportDir: setting({
    name: 'RELAY_EXPORT_DIR',
    flag: '--export-dir',
    byDefault: '',
    unset: '',
    meaning:
      'Where the updates of every bot are also written, as files of JSON lines; unset, they are not.',
    example: '/var/lib/bot-relay/export',
    parse: parse.plainText,
  }),
  pushGiveUpAfterMs: setting({
    name: 'RELAY_PUSH_GIVE_UP',
    flag: '--push-give-up',
    byDefault: '24h',
    meaning: 'How long a delivery to a backend is tried before it is set aside.',
    example: '2h',
    parse: parse.durationMs,
  }),
  pushMaxConnections: setting({
    name: 'RELAY_PUSH_CONNECTIONS',
    flag: '--push-connections',
    byDefault: '40',
    meaning:
      'Deliveries under way at once to one backend, unless it asks for a number by setWebhook.',
    example: '100',
    parse: parse.wholeNumber(1, 10_000),
  }),
  sessionLifetimeMs: setting({
    name: 'RELAY_SESSION_LIFETIME',
    flag: '--session-lifetime',
    byDefault: '7d',
    meaning: 'How long someone stays signed in to the web page.',
    example: '12h',
    parse: parse.durationMs,
  }),
  trustProxy: setting({
    name: 'RELAY_TRUST_PROXY',
    flag: '--trust-proxy',
    byDefault: 'off',
    meaning:
      'Networks of the reverse proxies whose X-Forwarded-* headers are believed, or off; without it every caller behind a proxy shares one address.',
    example: '127.0.0.1,10.0.0.0/8',
    parse: parse.trustedProxies,
  }),
  logLevel: setting({
    name: 'RELAY_LOG_LEVEL',
    flag: '--log-level',
    byDefault: 'info',
    meaning:
      'How much is logged to the error output: silent, fatal, error, warn, info, debug or trace.',
    example: 'warn',
    parse: parse.oneOf(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const),
  }),
  metricsPort: setting({
    name: 'RELAY_METRICS_PORT',
    flag: '--metrics-port',
    byDefault: '0',
    meaning:
      'Serves /metrics without a key on this port of the same address; 0 keeps it on the main port, with an admin key.',
    example: '9464',
    parse: parse.wholeNumber(0, 65_535),
  }),
};

export type SettingId = keyof typeof settings;
export const settingIds = Object.keys(settings) as SettingId[];
export type SettingValues = { [K in SettingId]: ReturnType<(typeof settings)[K]['parse']> };

/** The key in bot-relay.yaml. */
export function yamlKey(setting: Pick<Setting<unknown>, 'name'>): string {
  return setting.name.toLowerCase().replace(/^relay_/, '');
}
