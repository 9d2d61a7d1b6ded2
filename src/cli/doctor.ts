import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from './command.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { settings } from '../config/settings.ts';
import { defaultApp } from '../core/apps/app.ts';
import { isShortSecret, safeSecretLength } from '../core/bots/bot-token.ts';
import { RelayError } from '../errors.ts';
import {
  examineBackend,
  examineDataDir,
  examinePlatform,
  type CheckResult,
  checkResult,
  networkAdvice,
} from '../manage/service/doctor.ts';
import { readServiceFile, type RunningService } from '../manage/service/service-file.ts';
import type { ApiClient } from '../api.ts';
import type { Backend, Bot } from '../api-types.ts';
import { chatArgument, idArgument } from './arguments.ts';
import { asTyped } from './as-typed.ts';
import { UsageError } from './ask.ts';
import { unreachedCodes } from '../core/reasons/reason.ts';
import { backendTrouble } from './bots.ts';
import type { CommandContext } from './context.ts';
import { examineOneBot, practiceTokens } from './doctor-bot.ts';
import { type Output, paint, printResult } from './output.ts';

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check settings, data, database, Telegram and backends')
    .option(
      '--bot <bot>',
      'ID of a bot to try: sends, edits, uploads, downloads, deletes',
      idArgument,
    )
    .option('--send-to <chat>', 'with --bot: chat ID that the bot may write to', chatArgument)
    .addHelpText(
      'after',
      `
Each problem comes with a fix. The exit code is 1 if a check fails.

Examples:
  bot-relay doctor
  bot-relay doctor --bot 1 --send-to 123456
`,
    )
    .run(async (context, options: { bot?: number; sendTo?: number }) => {
      const { bot, sendTo } = options;
      if ((bot === undefined) !== (sendTo === undefined)) {
        throw new UsageError('Use --bot and --send-to together.');
      }
      const results =
        bot !== undefined && sendTo !== undefined
          ? await examineOneBot(context, bot, sendTo)
          : await examine(context);
      if (context.output.json) printResult(context.output, results, '');
      else for (const line of results) context.output.line(lineOf(context.output, line));
      if (results.some(({ state }) => state === 'fail')) context.fail();
    });
}

async function examine(context: CommandContext): Promise<CheckResult[]> {
  if (context.isRemote) return await examineRemote(context);
  let config: Config;
  try {
    config = context.config();
  } catch (error) {
    return [checkResult('settings', 'fail', (error as Error).message, 'correct the setting')];
  }
  const running = readServiceFile(config.dataDir);
  const own = config.telegramApiUrl;
  // Examine the running service with its own settings, not those of this shell.
  config = { ...config, telegramApiUrl: running?.telegramApiUrl ?? own };
  const { results, needsPlatform } = await examineService(context, config);
  return [
    checkResult('settings', 'ok', 'all valid'),
    ...(config.telegramApiUrl === own ? [] : [differentServer(config.telegramApiUrl, own)]),
    examineRun(running),
    ...examineDataDir(config),
    ...(await examinePlatform(config, systemClock.now, needsPlatform)),
    ...results,
  ];
}

function differentServer(used: string, own: string): CheckResult {
  return checkResult(
    'settings',
    'warn',
    `the service uses TELEGRAM_API_URL ${used}, here it is ${own}`,
    'restart the service if it should use the latter',
  );
}

function examineRun(running: RunningService | undefined): CheckResult {
  return running
    ? checkResult('service', 'ok', `running at ${running.url}`)
    : checkResult('service', 'warn', 'not running', 'bot-relay start');
}

/** Examines only the API: settings, data and network of this machine say nothing about a remote service. */
async function examineRemote(context: CommandContext): Promise<CheckResult[]> {
  try {
    return await context.withApi(async (api) => {
      const bots = await api.get('/api/bots');
      const platformOf = await platforms(api);
      const results = await Promise.all(
        bots.map((bot) => examineBot(api, bot, platformOf(bot), false)),
      );
      return [checkResult('service', 'ok', `answers (bots: ${bots.length})`), ...results.flat()];
    });
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    return [checkResult('service', 'fail', error.message)];
  }
}

interface ServiceResults {
  results: CheckResult[];
  /** False if there are only practice bots: their platform is the service itself. */
  needsPlatform: boolean;
}

/**
 * Examines the service through the API, running or on the data itself, which also opens database
 * and secrets.
 */
async function examineService(context: CommandContext, config: Config): Promise<ServiceResults> {
  const embedded = config.databaseUrl === '';
  if (embedded && !existsSync(path.join(config.dataDir, 'relay.db'))) {
    const results = [checkResult('database', 'ok', 'created at the first start')];
    return { results, needsPlatform: false };
  }
  try {
    return await context.withApi(async (api) => {
      const bots = await api.get('/api/bots');
      const platformOf = await platforms(api, config);
      const results = await Promise.all(
        bots.map((bot) => examineBot(api, bot, platformOf(bot), true)),
      );
      return {
        results: [
          checkResult('database', 'ok', embedded ? 'embedded, opened' : 'PostgreSQL, connected'),
          checkResult('master key', 'ok', `decrypts all secrets (bots: ${bots.length})`),
          ...(await examineBackups(api)),
          ...results.flat(),
        ],
        needsPlatform: bots.some((bot) => !bot.disabled && platformOf(bot) === 'Telegram'),
      };
    });
  } catch (error) {
    const { message, code, reason: why } = error as RelayError;
    if (why?.code === 'no_data_in_database') {
      const results = [checkResult('database', 'ok', 'PostgreSQL, created at the first start')];
      return { results, needsPlatform: false };
    }
    const area = code === 'secret_key_mismatch' ? 'master key' : 'database';
    return { results: [checkResult(area, 'fail', message)], needsPlatform: true };
  }
}

/** Reports nothing if no backups are scheduled. */
async function examineBackups(api: ApiClient): Promise<CheckResult[]> {
  const { backup } = await api.get('/api/service');
  if (!backup) return [];
  const { directory, error, last_at, last_bytes, last_file } = backup;
  if (error !== '') return [checkResult('backup', 'fail', error)];
  if (last_at === '') {
    return [checkResult('backup', 'warn', `none in ${directory} yet`, 'keep the service running')];
  }
  const ageMs = systemClock.now() - Date.parse(last_at);
  const text = `${last_file}, ${(last_bytes / 1e6).toFixed(1)} MB, ${Math.round(ageMs / 3_600_000)} h old`;
  return ageMs > 2_000 * backup.every_seconds
    ? [checkResult('backup', 'warn', text, 'keep the service running, and see its log')]
    : [checkResult('backup', 'ok', text)];
}

type Platform = 'Telegram' | 'the sandbox' | 'a missing sandbox' | 'a disabled sandbox';

/** Returns the platform of a bot. A bot whose token is hidden from this key counts as a real one. */
async function platforms(api: ApiClient, config?: Config): Promise<(bot: Bot) => Platform> {
  const practice = await practiceTokens(api);
  const { isPracticeToken } = await import('../../sandbox/src/index.ts');
  // Another Bot API server may be a sandbox.
  const isTelegram = config?.telegramApiUrl === settings.telegramApiUrl.byDefault;
  return ({ token }) => {
    if (practice.has(token)) return 'the sandbox';
    if (!isTelegram || !isPracticeToken(token)) return 'Telegram';
    return config.sandbox ? 'a missing sandbox' : 'a disabled sandbox';
  };
}

async function examineBot(
  api: ApiClient,
  bot: Bot,
  platform: Platform,
  here: boolean,
): Promise<CheckResult[]> {
  const area = `bot ${bot.id}`;
  const name = bot.name || (bot.username ? `@${bot.username}` : 'unnamed');
  if (bot.disabled) {
    return [checkResult(area, 'warn', `${name} is disabled`, `bot-relay bots toggle ${bot.id}`)];
  }
  const results = [await askPlatform(api, bot, platform, area, name)];
  // This cannot be checked for a remote service, which may reach other backends than this machine.
  if (bot.secret_token !== '***' && isShortSecret(bot.secret_token)) {
    results.push(
      checkResult(
        area,
        'warn',
        `${name}: secret token under ${safeSecretLength} characters can be guessed`,
        `bot-relay bots update ${bot.id} --secret-stdin`,
      ),
    );
  }
  const apps = await api.get('/api/bots/apps', { bot_id: bot.id });
  for (const backend of await api.get('/api/backends', { bot_id: bot.id })) {
    const app = apps.find((one) => one.name === backend.app);
    results.push(
      ...(await examineTarget(area, name, backend, here ? (app?.backend_url ?? '') : '')),
      ...(await examineLetters(api, area, name, backend)),
    );
  }
  return results;
}

async function examineLetters(
  api: ApiClient,
  area: string,
  botName: string,
  { bot_id, app }: Backend,
): Promise<CheckResult[]> {
  const { dead_letters } = await api.get('/api/deliveries/queues', { bot_id, app });
  if (dead_letters === 0) return [];
  const ofApp = app === defaultApp ? '' : ` --app ${app}`;
  return [
    checkResult(
      area,
      'warn',
      `${botName}: ${app === defaultApp ? '' : `app ${app}: `}dead letters: ${dead_letters}`,
      `"bot-relay deliveries dead ${bot_id}${ofApp}", then replay or discard them`,
    ),
  ];
}

/** Examines a backend of the bot or of an app; without an address, no connection is made from here. */
async function examineTarget(
  area: string,
  botName: string,
  backend: Backend,
  address: string,
): Promise<CheckResult[]> {
  const ofApp = backend.app === defaultApp ? '' : `app ${backend.app}: `;
  const results: CheckResult[] = [];
  if (address !== '') {
    const reached = await examineBackend(area, address);
    results.push({ ...reached, text: `${ofApp}${reached.text}` });
    if (reached.state === 'fail') return results;
  }
  const trouble = backendTrouble(backend);
  if (trouble === '') return results;
  const reason = backend.backend_error === '' ? '' : `: ${backend.backend_error}`;
  // As far as is known, nothing is delivered.
  const isUnreached = unreachedCodes.has(backend.backend_error_detail?.code ?? '');
  const isDown = backend.backend_status === 'paused' || (isUnreached && results.length === 0);
  return [
    ...results,
    checkResult(
      area,
      isDown ? 'fail' : 'warn',
      `${botName}: ${ofApp}${trouble}${reason} (waiting: ${backend.pending_updates})`,
      'fix the backend, its address or the secret token; the service retries',
    ),
  ];
}

async function askPlatform(
  api: ApiClient,
  bot: Bot,
  platform: Platform,
  area: string,
  name: string,
): Promise<CheckResult> {
  if (platform === 'a missing sandbox' || platform === 'a disabled sandbox') {
    const wayOut =
      platform === 'a disabled sandbox'
        ? 'set RELAY_SANDBOX=on'
        : 'with the service stopped, copy sandbox.json and sandbox.json.files from its former data directory';
    return checkResult(
      area,
      'warn',
      `${name} is a practice bot of ${platform}`,
      `${wayOut}, or "bot-relay bots delete ${bot.id}"`,
    );
  }
  try {
    const health = await api.get('/api/bots/health', { id: bot.id });
    if (health.platform_ok) {
      return checkResult(area, 'ok', `${name}: ${platform} accepts the token`);
    }
    const { last_error, last_error_detail: detail } = health;
    // This is Telegram's own text: Telegram was reached and refused.
    if (detail?.code === 'verbatim') {
      const advice = `copy the token from @BotFather, then "bot-relay bots update ${bot.id} --token-stdin"`;
      return checkResult(
        area,
        'fail',
        `${name}: ${platform} rejects the token (${last_error})`,
        advice,
      );
    }
    return checkResult(area, 'fail', `${name}: ${last_error}`, networkAdvice);
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    return checkResult(area, 'fail', `${name}: ${error.message}`);
  }
}

const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

function lineOf(output: Output, { area, state, text, advice }: CheckResult): string {
  const mark = paint(output, colours[state], state.padEnd(4));
  return `${mark}  ${area.padEnd(14)}  ${asTyped(text)}${advice === '' ? '' : ` → ${asTyped(advice, output.command)}`}`;
}
