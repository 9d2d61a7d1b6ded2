/*
 * Manages a bot's webhook at the platform: sets it for webhook mode, removes it otherwise. Pending
 * updates are never dropped with it: the platform delivers them by whichever way is opened next.
 */
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { backoffMs } from '../../core/backoff.ts';
import { updateKinds } from '../../core/log/update-kinds.ts';
import type { BotRuntimeRepository, BotState } from '../../store/cluster/bot-runtime.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import { classifyFault } from './intake-faults.ts';

export interface WebhookDeps {
  telegram: TelegramClient;
  runtime: BotRuntimeRepository;
  clock: Clock;
  random: () => number;
  /** The address at which the platform reaches this relay; '' if it cannot. */
  publicUrl: string;
  maxConnections?: number;
  startSlot(signal: AbortSignal): Promise<() => void>;
}

export interface WebhookRun {
  botId: number;
  token: string;
  signal: AbortSignal;
  report(state: BotState, lastError: Reason | null): void;
}

interface WebhookInfo {
  url: string;
  last_error_date?: number;
  last_error_message?: string;
  allowed_updates?: string[];
}

const checkEveryMs = 300_000;
const firstWaitMs = 500;
const callTimeoutMs = 10_000;
const defaultMaxConnections = 40;

export function hookUrl(publicUrl: string, botId: number): string {
  return `${publicUrl.replace(/\/+$/, '')}/hooks/telegram/${botId}`;
}

/**
 * Registers the webhook and maintains it until the signal aborts; `refused` if that is pointless.
 */
export async function runWebhook(
  deps: WebhookDeps,
  run: WebhookRun,
): Promise<'stopped' | 'refused'> {
  const { clock, random } = deps;
  const { signal, report } = run;
  if (deps.publicUrl === '') {
    report('refused', reason('webhook_needs_address'));
    return 'refused';
  }
  const server: ServerKinds = { known: '' };
  let failures = 0;
  let isFirst = true;
  while (!signal.aborted) {
    try {
      const open = isFirst ? await deps.startSlot(signal) : undefined;
      try {
        report('webhook', isFirst ? await takeOver(deps, run) : await check(deps, run, server));
      } finally {
        open?.();
      }
      isFirst = false;
      failures = 0;
      await clock.sleep(checkEveryMs * (0.8 + random() * 0.4), signal);
    } catch (error) {
      if (signal.aborted) break;
      const fault = classifyFault(error);
      if (fault.action === 'stop') {
        report('refused', fault.explanation);
        return 'refused';
      }
      // A webhook that is set keeps working while its check fails; one that is not set does not.
      report(isFirst ? 'waiting' : 'webhook', fault.explanation);
      failures++;
      const waitMs =
        fault.action === 'pause'
          ? fault.waitMs
          : backoffMs(failures, { random, firstMs: firstWaitMs, maxMs: fault.maxWaitMs });
      await clock.sleep(waitMs, signal).catch(() => {});
    }
  }
  return 'stopped';
}

/** Someone else may have set a webhook while the bot did not run here, so it is saved first. */
async function takeOver(deps: WebhookDeps, run: WebhookRun): Promise<Reason | null> {
  const replaced = await keepForeign(deps, run.botId, await webhookInfo(deps, run, run.signal));
  await register(deps, run);
  return replaced;
}

async function register(deps: WebhookDeps, run: WebhookRun): Promise<void> {
  const { runtime, telegram } = deps;
  const { botId, token, signal } = run;
  const guard = await runtime.hookGuard(botId);
  // The secret survives restarts, so that calls in flight stay valid; it is replaced after a
  // removal. It is stored first, as the platform may call before it has answered.
  const secret =
    guard?.secret || (await runtime.makeHookSecret(botId, randomBytes(32).toString('base64url')));
  const url = hookUrl(deps.publicUrl, botId);
  await telegram.call(
    token,
    'setWebhook',
    {
      url,
      secret_token: secret,
      allowed_updates: updateKinds,
      max_connections: deps.maxConnections ?? defaultMaxConnections,
    },
    { signal, timeoutMs: callTimeoutMs },
  );
  // The address is stored last, because until then the platform may still have the previous one.
  if ((await runtime.registeredHook(botId)) !== url) await runtime.setRegisteredHook(botId, url);
}

interface ServerKinds {
  /**
   * The kinds that the server reported after it was asked for every kind: an older server leaves
   * out those it does not know.
   */
  known: string;
}

/** Sets the webhook again if someone else changed it; returns what the platform complains about. */
async function check(
  deps: WebhookDeps,
  run: WebhookRun,
  server: ServerKinds,
): Promise<Reason | null> {
  const { signal, botId } = run;
  const info = await webhookInfo(deps, run, signal);
  if (info.url !== hookUrl(deps.publicUrl, botId)) {
    // The webhook from before the relay is worth more than one that was set by mistake.
    if (!(await deps.runtime.previousWebhook(botId))) await keepForeign(deps, botId, info);
    await register(deps, run);
    return info.url === ''
      ? reason('webhook_was_removed')
      : reason('webhook_was_changed', { origin: originOf(info.url) });
  }
  const missing =
    updateKinds.some((kind) => info.allowed_updates?.includes(kind) === false) &&
    allowedKinds(info) !== server.known;
  const recentMs = deps.clock.now() - (info.last_error_date ?? 0) * 1000;
  const complaint = recentMs > checkEveryMs * 2 ? undefined : info.last_error_message;
  // This relay answers 401 if the secret is wrong: the platform then has another secret than the
  // stored one.
  const isRefused = complaint !== undefined && /\b401\b/.test(complaint);
  if (missing || isRefused) await register(deps, run);
  if (missing) server.known = allowedKinds(await webhookInfo(deps, run, signal));
  return complaint === undefined
    ? null
    : reason('webhook_not_delivered', { description: complaint });
}

const allowedKinds = (info: WebhookInfo): string => info.allowed_updates?.toSorted().join() ?? '';

/** Removes our own webhook and keeps pending updates; leaves one that someone else set since. */
export async function removeOwnWebhook(
  deps: WebhookDeps,
  bot: { botId: number; token: string },
  timeoutMs: number,
): Promise<void> {
  const guard = await deps.runtime.hookGuard(bot.botId);
  if (!guard?.secret) return;
  const endsAt = deps.clock.monotonic() + timeoutMs;
  const call = (method: string) => {
    const leftMs = Math.max(1, endsAt - deps.clock.monotonic());
    return deps.telegram.call(bot.token, method, {}, { timeoutMs: leftMs });
  };
  const { url } = (await call('getWebhookInfo')) as WebhookInfo;
  if (await isOurs(deps, bot.botId, url)) await call('deleteWebhook');
  await deps.runtime.removeHookSecret(bot.botId);
}

/**
 * Recognizes our own webhook. The public address may have changed since it was registered. If the
 * address was not stored, the webhook is recognized by its path, as long as there is a secret for
 * it.
 */
async function isOurs({ publicUrl, runtime }: WebhookDeps, botId: number, url: string) {
  const registered = await runtime.registeredHook(botId);
  if (url === registered || (publicUrl !== '' && url === hookUrl(publicUrl, botId))) return true;
  if (registered !== undefined || !URL.canParse(url)) return false;
  if (!new URL(url).pathname.endsWith(hookUrl('', botId))) return false;
  return Boolean((await runtime.hookGuard(botId))?.secret);
}

/** Removes any webhook that keeps a bot from being polled. */
export async function removeForeignWebhook(
  deps: WebhookDeps,
  bot: { botId: number; token: string },
  signal: AbortSignal,
): Promise<Reason | null> {
  const replaced = await keepForeign(deps, bot.botId, await webhookInfo(deps, bot, signal));
  const options = { signal, timeoutMs: callTimeoutMs };
  await deps.telegram.call(bot.token, 'deleteWebhook', {}, options);
  await deps.runtime.removeHookSecret(bot.botId);
  return replaced;
}

/**
 * Stores someone else's webhook before it is removed, so that it can be put back. The returned
 * reason omits its path, which may hold secrets.
 */
async function keepForeign(
  deps: WebhookDeps,
  botId: number,
  info: WebhookInfo,
): Promise<Reason | null> {
  const { url } = info;
  if (url === '' || (await isOurs(deps, botId, url))) return null;
  await deps.runtime.setPreviousWebhook(botId, { ...info, removed_at: deps.clock.now() });
  return reason('webhook_replaced', { origin: originOf(url) });
}

async function webhookInfo(
  { telegram }: WebhookDeps,
  { token }: { token: string },
  signal: AbortSignal,
): Promise<WebhookInfo> {
  const options = { signal, timeoutMs: callTimeoutMs };
  const info = (await telegram.call(token, 'getWebhookInfo', {}, options)) as WebhookInfo;
  return { ...info, url: typeof info.url === 'string' ? info.url : '' };
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'an unreadable address';
}
