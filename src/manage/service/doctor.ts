/*
 * Examines the machine around the service. Each result says what was found and, if that is a
 * problem, what to do. Nothing here changes anything.
 */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { Agent } from 'undici';
import type { Config } from '../../config.ts';
import { createPlatformConnector } from '../../telegram/platform-connector.ts';
import { databaseFileName } from '../../store/sqlite/database-file.ts';

export interface CheckResult {
  area: string;
  state: 'ok' | 'warn' | 'fail';
  text: string;
  /** '' if nothing needs to be done. */
  advice: string;
}

export function checkResult(
  area: string,
  state: CheckResult['state'],
  text: string,
  advice = '',
): CheckResult {
  return { area, state, text, advice };
}

const othersMask = 0o077;
const scarceBytes = 1e9;
const tooFewBytes = 1e8;

export function examineDataDir({ dataDir }: Pick<Config, 'dataDir'>): CheckResult[] {
  if (!existsSync(dataDir)) {
    return [checkResult('data directory', 'ok', `${dataDir} is created at the first start`)];
  }
  if (!statSync(dataDir).isDirectory()) {
    const advice = 'set RELAY_DATA_DIR to a directory';
    return [checkResult('data directory', 'fail', `${dataDir} is a file`, advice)];
  }
  const results: CheckResult[] = [];
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK);
    results.push(privacyOf('data directory', dataDir, '700'));
  } catch {
    results.push(
      checkResult(
        'data directory',
        'fail',
        `this user cannot write to ${dataDir}`,
        'chown it to the user of the service, or set RELAY_DATA_DIR',
      ),
    );
  }
  const files = ['master.key', databaseFileName].filter((name) =>
    existsSync(path.join(dataDir, name)),
  );
  const open = files
    .map((name) => privacyOf('file access', path.join(dataDir, name), '600'))
    .filter(({ state }) => state !== 'ok');
  if (open.length > 0) results.push(...open);
  else if (files.length > 0) {
    const text = `only this user can read ${files.join(' and ')}`;
    results.push(checkResult('file access', 'ok', text));
  }
  results.push(diskSpace(dataDir));
  return results;
}

function privacyOf(area: string, file: string, mode: string): CheckResult {
  // Windows stores permissions in another way.
  const open = process.platform !== 'win32' && (statSync(file).mode & othersMask) !== 0;
  return open
    ? checkResult(area, 'warn', `other users can read ${file}`, `chmod ${mode} ${file}`)
    : checkResult(area, 'ok', file);
}

function diskSpace(dataDir: string): CheckResult {
  const { bavail, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  const text = `${(free / 1e9).toFixed(1)} GB free`;
  const advice = 'free some space, or lower RELAY_RETENTION_AGE or RELAY_RETENTION_BYTES';
  if (free < tooFewBytes) return checkResult('disk', 'fail', text, advice);
  return free < scarceBytes
    ? checkResult('disk', 'warn', text, advice)
    : checkResult('disk', 'ok', text);
}

export const networkAdvice = 'check the network, DNS, the proxy and TELEGRAM_API_URL';

const skewMs = { warn: 5_000, fail: 300_000 };

/** Checks that Telegram can be reached, and that its clock and ours agree. */
export async function examinePlatform(
  { telegramApiUrl, platformProxies }: Pick<Config, 'telegramApiUrl' | 'platformProxies'>,
  now: () => number,
  needed: boolean,
): Promise<CheckResult[]> {
  let date: unknown;
  const before = now();
  const agent = new Agent({ connect: createPlatformConnector(platformProxies) });
  try {
    const { origin, pathname: path } = new URL(telegramApiUrl);
    const { headers } = await agent.request({
      origin,
      path,
      method: 'HEAD',
      signal: AbortSignal.timeout(5_000),
    });
    date = headers['date'];
  } catch (error) {
    const { code, name } = error as Error & { code?: unknown };
    return [
      checkResult(
        'Telegram',
        needed ? 'fail' : 'warn',
        `${telegramApiUrl} cannot be reached (${typeof code === 'string' ? code : name})${needed ? '' : '; practice bots do not need it'}`,
        `${needed ? '' : 'for real bots, '}${networkAdvice}`,
      ),
    ];
  } finally {
    await agent.close();
  }
  const reached = checkResult('Telegram', 'ok', `${telegramApiUrl} answers`);
  const theirs = Date.parse(typeof date === 'string' ? date : '');
  if (Number.isNaN(theirs)) return [reached];
  // The header has whole seconds, and the request took time.
  const tolerance = 1_000 + (now() - before);
  const apart = Math.max(0, Math.abs(now() - theirs) - tolerance);
  const text = `differs from Telegram's by ${Math.round(apart / 1_000)} s`;
  const advice = 'synchronize the system clock (NTP)';
  if (apart < skewMs.warn) return [reached, checkResult('clock', 'ok', "matches Telegram's")];
  return [reached, checkResult('clock', apart < skewMs.fail ? 'warn' : 'fail', text, advice)];
}

/** Asks Telegram whether it sends updates to where the bot expects them. */
export async function examineWebhook(
  { telegramApiUrl, platformProxies }: Pick<Config, 'telegramApiUrl' | 'platformProxies'>,
  bot: { token: string; webhook_mode: boolean },
): Promise<CheckResult> {
  const agent = new Agent({ connect: createPlatformConnector(platformProxies) });
  try {
    const { origin, pathname: path } = new URL(`${telegramApiUrl}/bot${bot.token}/getWebhookInfo`);
    const { body } = await agent.request({
      origin,
      path,
      method: 'GET',
      signal: AbortSignal.timeout(5_000),
    });
    const { result } = (await body.json()) as {
      result?: { url: string; last_error_message?: string };
    };
    if (!result) return checkResult('webhook', 'fail', 'getWebhookInfo failed', networkAdvice);
    const isSet = result.url !== '';
    if (isSet !== bot.webhook_mode) {
      const text = isSet ? 'is set at Telegram, but the bot polls' : 'is not set at Telegram';
      return checkResult('webhook', 'fail', text, 'disable and enable the bot');
    }
    const problem = isSet && result.last_error_message;
    if (problem) {
      return checkResult('webhook', 'warn', `Telegram: ${problem}`, 'check RELAY_PUBLIC_URL');
    }
    return checkResult('webhook', 'ok', `${isSet ? 'set' : 'none'} at Telegram, as expected`);
  } catch (error) {
    // The error message may contain the address with the token, so only its code is shown.
    const { code, name } = error as Error & { code?: unknown };
    const cause = typeof code === 'string' ? code : name;
    return checkResult('webhook', 'fail', `Telegram cannot be asked (${cause})`, networkAdvice);
  } finally {
    await agent.close();
  }
}

/** Checks that something listens where updates are forwarded to; nothing is sent there. */
export function examineBackend(area: string, backendUrl: string): Promise<CheckResult> {
  const url = URL.parse(backendUrl);
  if (!url) {
    return Promise.resolve(
      checkResult(
        area,
        'fail',
        'invalid backend address',
        'correct it with "bot-relay bots update"',
      ),
    );
  }
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 3_000 });
    const end = (result: CheckResult) => {
      socket.destroy();
      resolve(result);
    };
    const failed = (why: string) =>
      checkResult(
        area,
        'fail',
        `backend ${host}:${port} is unreachable (${why})`,
        'start the backend, or correct backend_url',
      );
    socket.once('connect', () =>
      end(checkResult(area, 'ok', `backend ${host}:${port} accepts connections`)),
    );
    socket.once('timeout', () => end(failed('no answer')));
    socket.once('error', (error: NodeJS.ErrnoException) => end(failed(error.code ?? 'error')));
  });
}
