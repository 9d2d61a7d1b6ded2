export interface Config {
  host: string;
  port: number;
  dataDir: string;
  /** '' means the embedded database in the data dir. */
  databaseUrl: string;
  telegramApiUrl: string;
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
  push: { giveUpAfterMs: number; maxConnections: number };
  logLevel: string;
  /** 0 means metrics are served on the main port, with a key. */
  metricsPort: number;
}

export interface BackendPolicy {
  mode: 'private-ok' | 'public';
  /** Networks allowed beyond the mode, as CIDR. */
  allow: string[];
}
