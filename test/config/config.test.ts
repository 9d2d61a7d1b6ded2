import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { afterAll, describe, expect, it } from 'vitest';
import { addSharedOptions } from '../../src/cli/context.ts';
import { settingIds, settings } from '../../src/config/settings.ts';
import { readSettings, type SettingSources, toConfig } from '../../src/config.ts';
import { redactText } from '../../src/logger.ts';
import { temporaryFolder } from '../support/relay-process.ts';

const { path: workingDir, remove } = temporaryFolder();
afterAll(remove);

function configOf(sources: SettingSources = {}) {
  return toConfig(readSettings({ env: {}, workingDir, ...sources }));
}

function file(name: string, text: string): string {
  writeFileSync(path.join(workingDir, name), text);
  return name;
}

function problemOf(sources: SettingSources): string {
  try {
    configOf(sources);
  } catch (error) {
    expect(error).toMatchObject({ code: 'bad_setting' });
    return (error as Error).message;
  }
  throw new Error('it was accepted');
}

describe('settings', () => {
  it('have the documented defaults', () => {
    expect(configOf()).toEqual({
      host: '127.0.0.1',
      port: 8080,
      dataDir: './data',
      databaseUrl: '',
      telegramApiUrl: 'https://api.telegram.org',
      platformProxies: { proxies: [], exceptions: [], isUnusable: false },
      telegramFiles: '',
      telegramBotToken: '',
      publicUrl: '',
      adminKey: '',
      secretKey: '',
      previousSecretKeys: [],
      sandbox: true,
      backends: { mode: 'private-ok', allow: [] },
      llm: { url: '', key: '', model: '' },
      rateLimits: { perKeyPerSecond: 200, perAddressPerSecond: 20 },
      retention: { maxAgeMs: 7 * 86_400_000, maxBytesPerBot: 1e9 },
      alerts: { appNotSeenMs: 1_800_000, readerLag: 10_000, backupAgeMs: 0 },
      push: { giveUpAfterMs: 86_400_000, maxConnections: 40 },
      mediaCacheBytes: 1e9,
      exportDir: '',
      sessionLifetimeMs: 7 * 86_400_000,
      trustProxy: [],
      logLevel: 'info',
      metricsPort: 0,
      metricsBots: false,
      otlpEndpoint: '',
      backup: { directory: '', everyMs: 86_400_000, keep: 7 },
    });
  });

  it('take the proxy of other programs as those do, and start without it if it is none', () => {
    const proxiesOf = (env: Record<string, string>) => configOf({ env }).platformProxies;
    const exceptions = ['localhost', '10.0.0.0/8'];
    expect(
      proxiesOf({ https_proxy: 'proxy.example.org:3128', no_proxy: 'localhost,10.0.0.0/8' }),
    ).toEqual({ proxies: ['http://proxy.example.org:3128'], exceptions, isUnusable: false });
    expect(proxiesOf({ HTTPS_PROXY: 'socks5h://a:1080', https_proxy: 'http://b' })).toMatchObject({
      proxies: ['socks5h://a:1080'],
    });
    for (const text of ['ftp://proxy', 'http://', '://']) {
      expect(proxiesOf({ HTTPS_PROXY: text })).toMatchObject({ proxies: [], isUnusable: true });
    }
    const strict = problemOf({ env: { RELAY_TELEGRAM_PROXY: 'proxy.example.org:3128' } });
    expect(strict).toMatch(/^RELAY_TELEGRAM_PROXY: /);
  });

  it('have flags that the command line reads', () => {
    const program = new Command();
    addSharedOptions(program);
    const flags = program.options.filter(({ flags: text }) => / <(value|path)>$/.test(text));
    expect(flags).toHaveLength(settingIds.length);
    expect(flags.filter(({ negate }) => negate).map(({ long }) => long)).toEqual([]);
    const names = flags.map(({ long }) => `${long}`);
    program.parse(
      names.flatMap((name) => [name, `of ${name}`]),
      { from: 'user' },
    );
    expect(Object.values(program.opts()).sort()).toEqual(names.map((name) => `of ${name}`).sort());
  });

  it('are taken from flags before the environment before the file', () => {
    const yamlFile = file('order.yaml', 'port: 1\nhost: file.example\nlog_level: debug\n');
    const env = { PORT: '2', HOST: 'env.example' };
    expect(configOf({ yamlFile, env, flags: { port: '3' } })).toMatchObject({
      port: 3,
      host: 'env.example',
      logLevel: 'debug',
    });
  });

  it('treat an empty variable as unset', () => {
    expect(configOf({ env: { PORT: '', DATABASE_URL: '' } })).toMatchObject({
      port: 8080,
      databaseUrl: '',
    });
  });

  it('find bot-relay.yaml in the working directory by itself', () => {
    file('bot-relay.yaml', 'PORT: 4\nRELAY_SANDBOX: off\nbackends: [public, 10.0.0.0/8]\n');
    try {
      expect(configOf()).toMatchObject({
        port: 4,
        sandbox: false,
        backends: { mode: 'public', allow: ['10.0.0.0/8'] },
      });
    } finally {
      rmSync(path.join(workingDir, 'bot-relay.yaml'));
    }
  });

  it('read secrets from files named in the environment or by flag', () => {
    const secret = 'x'.repeat(40);
    file('secret', `${secret}\n`);
    expect(configOf({ env: { RELAY_SECRET_KEY_FILE: 'secret' } }).secretKey).toBe(secret);
    expect(configOf({ flags: { secretKey: 'secret' } }).secretKey).toBe(secret);
    expect(problemOf({ env: { RELAY_SECRET_KEY_FILE: 'gone' } })).toMatch(
      /^RELAY_SECRET_KEY_FILE: cannot read .*gone \(ENOENT\)\.$/,
    );
  });

  it('accept their own examples and refuse nonsense, each in one line', () => {
    for (const id of settingIds) {
      const { name, example, parse } = settings[id];
      if (!example.includes('"$')) {
        expect(() => parse(example.replaceAll('"', '')), name).not.toThrow();
      }
      // The CLI redacts keys and tokens: an example must not look like one.
      expect(redactText(`${name}=${example}`), name).not.toMatch(/\[(key|token)\]/);
    }
    const longKey = 'k'.repeat(40);
    const bad: [NodeJS.ProcessEnv, RegExp][] = [
      [{ PORT: 'eighty' }, /^PORT: .*whole number.*"eighty".*PORT=8080$/],
      [{ PORT: '65536' }, /^PORT: /],
      [{ PORT: '-1' }, /^PORT: /],
      [{ PORT: '80.5' }, /^PORT: /],
      [{ HOST: 'http://x' }, /^HOST: .*HOST=0\.0\.0\.0$/],
      [{ DATABASE_URL: 'mysql://root:hush@x/y' }, /^DATABASE_URL: .*postgres:\/\//],
      [
        { DATABASE_URL: 'postgres://a@b/c' },
        /^RELAY_SECRET_KEY: must be set together with DATABASE_URL/,
      ],
      [{ TELEGRAM_API_URL: 'api.telegram.org' }, /^TELEGRAM_API_URL: .*http/],
      [{ TELEGRAM_BOT_TOKEN: 'hush' }, /^TELEGRAM_BOT_TOKEN: .*bot token/],
      [{ RELAY_PUBLIC_URL: 'http://me.example' }, /^RELAY_PUBLIC_URL: .*https/],
      [{ RELAY_ADMIN_KEY: 'hush' }, /^RELAY_ADMIN_KEY: .*brs_/],
      [{ RELAY_SECRET_KEY: 'hush' }, /^RELAY_SECRET_KEY: .*32/],
      [{ RELAY_SECRET_KEY: longKey, RELAY_SECRET_KEY_PREVIOUS: 'hush' }, /PREVIOUS: .*32/],
      [{ RELAY_SANDBOX: 'perhaps' }, /^RELAY_SANDBOX: must be on or off/],
      [{ RELAY_BACKENDS: 'all' }, /^RELAY_BACKENDS: .*private-ok or public/],
      [{ RELAY_BACKENDS: 'public,10.0.0.0/99' }, /^RELAY_BACKENDS: .*10\.0\.0\.0\/99/],
      [{ RELAY_RATE_PER_KEY: '0' }, /^RELAY_RATE_PER_KEY: /],
      [{ RELAY_RETENTION_AGE: '7' }, /^RELAY_RETENTION_AGE: .*unit/],
      [{ RELAY_RETENTION_BYTES: '0' }, /^RELAY_RETENTION_BYTES: /],
      [{ RELAY_TRUST_PROXY: 'everyone' }, /^RELAY_TRUST_PROXY: /],
      [{ RELAY_LOG_LEVEL: 'loud' }, /^RELAY_LOG_LEVEL: must be one of/],
      [{ RELAY_METRICS_PORT: '8080' }, /^RELAY_METRICS_PORT: must differ from PORT/],
    ];
    for (const [env, expected] of bad) {
      const problem = problemOf({ env });
      expect(problem).toMatch(expected);
      expect(problem).toMatch(/Example: /);
      expect(problem).not.toContain('hush');
      expect(problem).not.toContain('\n');
    }
    expect(problemOf({ flags: { port: 'http' } })).toMatch(/^--port: .*Example: --port 8080$/);
  });

  it('are named as they were given where they contradict each other', () => {
    expect(problemOf({ flags: { publicUrl: 'http://me.example' } })).toMatch(
      /^--public-url: .*Example: --public-url https:/,
    );
    const yamlFile = file('ports.yaml', 'metrics_port: 9000\n');
    expect(problemOf({ yamlFile, flags: { port: '9000' } })).toBe(
      'ports.yaml: metrics_port: must differ from --port (9000). Example: metrics_port: 9464',
    );
    const env = { DATABASE_URL: 'postgres://a@b/c', RELAY_SECRET_KEY: 'k'.repeat(40) };
    expect(problemOf({ env, flags: { backupDir: '/backups' } })).toMatch(
      /^--backup-dir: works with the embedded database only/,
    );
  });

  it('accept an http public address where Telegram is not the real one', () => {
    const env = {
      RELAY_PUBLIC_URL: 'http://127.0.0.1:8080/',
      TELEGRAM_API_URL: 'http://127.0.0.1:1',
    };
    expect(configOf({ env }).publicUrl).toBe('http://127.0.0.1:8080');
  });

  it.each([
    ['RELAY_ALERT_READER_BEHIND', 'RELAY_ALERT_READER_LAG'],
    ['RELAY_ALERT_APP_SILENT', 'RELAY_ALERT_APP_NOT_SEEN'],
  ])('refuse %s and name %s, in the environment and in the file', (old, name) => {
    expect(problemOf({ env: { [old]: 'off', [name]: '5m' } })).toBe(
      `${old}: this setting was renamed. Use ${name} instead.`,
    );
    expect(configOf({ env: { [old]: '' } })).toEqual(configOf());
    const key = old.replace('RELAY_', '').toLowerCase();
    const instead = name.replace('RELAY_', '').toLowerCase();
    for (const written of [key, key.replaceAll('_', '-'), old]) {
      expect(problemOf({ yamlFile: file('old.yaml', `${written}: 5\n`) })).toBe(
        `old.yaml: ${written}: this setting was renamed. Use ${instead} instead.`,
      );
    }
  });

  it('refuse unknown, nested and unreadable things in the file', () => {
    expect(problemOf({ yamlFile: file('a.yaml', 'prot: 80\n') })).toMatch(
      /^a\.yaml: unknown setting "prot"/,
    );
    expect(problemOf({ yamlFile: file('b.yaml', 'port: {a: 1}\n') })).toMatch(/^b\.yaml: port/);
    expect(problemOf({ yamlFile: file('c.yaml', '- 1\n') })).toMatch(/^c\.yaml: must contain/);
    expect(problemOf({ yamlFile: file('d.yaml', '\n\na: [\n') })).toMatch(
      /^--config: .*d\.yaml is not valid YAML: .* at line 4, column 1\. Example: "port: 8080"$/,
    );
    expect(problemOf({ yamlFile: 'gone.yaml' })).toMatch(
      /^--config: cannot read .*gone\.yaml \(ENOENT\)\.$/,
    );
    expect(problemOf({ yamlFile: file('e.yaml', 'PORT: x\n') })).toMatch(
      /^e\.yaml: PORT: must be .* Example: port: 8080$/,
    );
    expect(problemOf({ yamlFile: file('e.yaml', 'secret_key: x\n') })).toContain(
      ' Example: RELAY_SECRET_KEY=',
    );
    expect(configOf({ yamlFile: file('f.yaml', '# nothing\n') }).port).toBe(8080);
  });
});
