/*
 * Tests a bot on its platform, through the relay as an app would: token, webhook, send, edit, file
 * and delete, with the time that each takes. It deletes what it sends.
 */
import type { ApiClient } from '../api.ts';
import { maskToken } from '../core/bots/bot-token.ts';
import { reason } from '../core/reasons/reason.ts';
import { RelayError } from '../errors.ts';
import { type CheckResult, checkResult, examineWebhook } from '../manage/service/doctor.ts';
import { UsageError } from './ask.ts';
import type { CommandContext } from './context.ts';

interface Answer {
  ok: boolean;
  description?: string;
  result?: unknown;
}

interface SentMessage {
  message_id: number;
  document?: { file_id: string };
}

/** The timeout of each check; all together take at most two minutes. */
const timeoutMs = 20_000;
const fileText = 'Bot Relay checks that files arrive whole.\n'.repeat(100);
const slowMs = 3_000;

export async function examineOneBot(
  context: CommandContext,
  botId: number,
  chatId: number,
): Promise<CheckResult[]> {
  const { bot, receiving, isPractice } = await context.withApi(async (api, isServed) => {
    if (!isServed) throw new UsageError('No service is running. Start it with "bot-relay start".');
    const bot = (await api.get('/api/bots')).find(({ id }) => id === botId);
    if (!bot) throw new RelayError('bot_not_found', reason('unknown_bot', { bot_id: botId }));
    if (bot.token === maskToken(bot.token)) {
      const { scope } = await api.get('/api/auth/session');
      throw new RelayError(
        'insufficient_scope',
        reason('scope_too_low', { needed: 'manage', scope }),
      );
    }
    const health = await api.get('/api/bots/health', { id: botId });
    const state = health.running
      ? checkResult('receiving', 'ok', bot.webhook_mode ? 'by webhook' : 'by polling')
      : checkResult('receiving', 'fail', health.last_error || 'the bot does not run');
    const isPractice = (await practiceTokens(api)).has(bot.token);
    return { bot, receiving: state, isPractice };
  });
  const { token } = bot;
  const results: CheckResult[] = [];
  const base = context.address();

  /** Calls a method; ends the whole check if it fails. */
  async function call<T>(area: string, method: string, body: object | FormData): Promise<T> {
    const startedAt = performance.now();
    const isForm = body instanceof FormData;
    const response = await fetch(`${base}/bot${token}/${method}`, {
      method: 'POST',
      ...(isForm ? {} : { headers: { 'content-type': 'application/json' } }),
      body: isForm ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const answer = (await response.json()) as Answer;
    const ms = Math.round(performance.now() - startedAt);
    if (!answer.ok) throw new Failed(checkResult(area, 'fail', `${method}: ${answer.description}`));
    const state = ms > slowMs ? 'warn' : 'ok';
    const advice = state === 'warn' ? 'check the connection to Telegram' : '';
    results.push(checkResult(area, state, `${method} in ${ms} ms`, advice));
    return answer.result as T;
  }

  async function download(filePath: string): Promise<void> {
    const startedAt = performance.now();
    const response = await fetch(`${base}/file/bot${token}/${filePath}`, {
      signal: AbortSignal.timeout(timeoutMs),
    });
    const isWhole = (await response.text()) === fileText;
    const ms = Math.round(performance.now() - startedAt);
    results.push(
      isWhole
        ? checkResult('file', 'ok', `downloaded whole in ${ms} ms`)
        : checkResult('file', 'fail', `the download differs (status ${response.status})`),
    );
  }

  const sent: number[] = [];
  const to = { chat_id: chatId };
  try {
    await call('token', 'getMe', {});
    results.push(receiving);
    // The settings of the service are known only on its own machine.
    if (!context.isRemote && !isPractice) {
      results.push(await examineWebhook(context.config(), bot));
    }
    const message = await call<SentMessage>('send', 'sendMessage', {
      ...to,
      text: 'Bot Relay checks this bot. This message is deleted in a moment.',
      disable_notification: true,
    });
    sent.push(message.message_id);
    const edited = {
      ...to,
      message_id: message.message_id,
      text: 'Bot Relay edited this message.',
    };
    await call('edit', 'editMessageText', edited);
    const form = new FormData();
    form.set('chat_id', String(chatId));
    form.set('disable_notification', 'true');
    form.set('document', new Blob([fileText]), 'check.txt');
    const file = await call<SentMessage>('file', 'sendDocument', form);
    sent.push(file.message_id);
    const fileId = file.document?.file_id ?? '';
    const { file_path = '' } = await call<{ file_path?: string }>('file', 'getFile', {
      file_id: fileId,
    });
    await download(file_path);
  } catch (error) {
    results.push(resultOf(error));
  }
  for (const message_id of sent) {
    await call('delete', 'deleteMessage', { ...to, message_id }).catch((error: unknown) =>
      results.push(resultOf(error)),
    );
  }
  return results;
}

/** Tokens of bots whose platform is the service itself. */
export async function practiceTokens(api: ApiClient): Promise<Set<string>> {
  try {
    const world = await api.get('/api/sandbox/snapshot');
    return new Set(world.bots.map(({ token }) => token));
  } catch (error) {
    // The sandbox is off, or not allowed for this key.
    if (!(error instanceof RelayError)) throw error;
    return new Set();
  }
}

class Failed extends Error {
  readonly result: CheckResult;

  constructor(result: CheckResult) {
    super(result.text);
    this.result = result;
  }
}

function resultOf(error: unknown): CheckResult {
  if (error instanceof Failed) return error.result;
  const { name, message } = error as Error;
  const text = name === 'TimeoutError' ? `no answer within ${timeoutMs / 1000} s` : message;
  return checkResult('service', 'fail', text, 'look into the log of the service');
}
