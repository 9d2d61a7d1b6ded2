import type { Dispatcher } from 'undici';
import type { SandboxClock } from '../clock.ts';
import type { Random } from '../random.ts';
import type { BotRecord, QueuedUpdate } from '../world/bot-records.ts';
import { updateJson } from './queue.ts';

/*
 * Delivers updates to a bot's webhook. Updates about one chat (or one user's button presses) form a
 * queue; a queue has at most one request in flight and only its head is retried, while other queues
 * continue.
 */

const timeoutMs = 60_000;
const maxRetryAfterSeconds = 3600;
const slowestRetrySeconds = 60;
const maxAnswerBytes = 1024 * 1024;
const pruneEvery = 1024;

interface Lane {
  key: string;
  items: QueuedUpdate[];
  delaySeconds: number;
  failures: number;
  state: 'ready' | 'in flight' | 'waiting';
  timer?: unknown;
}

export interface WebhookOptions {
  clock: SandboxClock;
  random: Random;
  dispatcher: Dispatcher;
  /** Runs the method call that a response may contain. */
  execute(bot: BotRecord, contentType: string, body: Buffer): Promise<void>;
}

export interface WebhookDelivery {
  add(update: QueuedUpdate): void;
  stop(): void;
}

interface Outcome {
  error?: string;
  retryAfterSeconds: number;
}

export function startWebhook(bot: BotRecord, options: WebhookOptions): WebhookDelivery {
  const { clock, random, dispatcher } = options;
  const webhook = bot.webhook;
  const lanes = new Map<string, Lane>();
  const ready: Lane[] = [];
  const flights = new Set<AbortController>();
  let stopped = false;
  const nowSeconds = (): number => Math.floor(clock.now() / 1000);

  function makeReady(lane: Lane): void {
    lane.state = 'ready';
    ready.push(lane);
  }

  function pump(): void {
    while (!stopped && webhook && flights.size < webhook.maxConnections) {
      const lane = ready.shift();
      if (!lane) return;
      const update = lane.items[0];
      if (!update) lanes.delete(lane.key);
      else if (update.expiresAt <= nowSeconds() || !bot.updates.has(update.id))
        finish(lane, update);
      else void deliver(lane, update);
    }
  }

  /** The head is finished, delivered or dropped; the next one starts fresh. */
  function finish(lane: Lane, update: QueuedUpdate): void {
    lane.items.shift();
    bot.updates.delete(update.id);
    lane.delaySeconds = 1;
    lane.failures = 0;
    if (lane.items.length > 0) makeReady(lane);
    else lanes.delete(lane.key);
  }

  function retryLater(lane: Lane, update: QueuedUpdate, outcome: Outcome): void {
    if (webhook) {
      webhook.lastErrorDate = nowSeconds();
      webhook.lastErrorMessage = outcome.error ?? 'Unknown error';
    }
    let waitSeconds = outcome.retryAfterSeconds;
    if (waitSeconds === 0 && lane.failures > 0) {
      const ceiling = random.integer(slowestRetrySeconds, slowestRetrySeconds * 2);
      lane.delaySeconds = Math.min(ceiling, lane.delaySeconds * 2);
      waitSeconds = lane.delaySeconds;
    }
    lane.failures += 1;
    if (nowSeconds() + waitSeconds > update.expiresAt) {
      finish(lane, update);
      return;
    }
    lane.state = 'waiting';
    lane.timer = clock.setTimeout(() => {
      makeReady(lane);
      pump();
    }, waitSeconds * 1000);
  }

  async function deliver(lane: Lane, update: QueuedUpdate): Promise<void> {
    lane.state = 'in flight';
    const flight = new AbortController();
    flights.add(flight);
    const timer = clock.setTimeout(
      () => flight.abort(new Error('Read timeout expired')),
      timeoutMs,
    );
    const outcome = await post(update, flight.signal);
    clock.clearTimeout(timer);
    flights.delete(flight);
    if (stopped) return;
    if (outcome.error === undefined) {
      finish(lane, update);
    } else {
      retryLater(lane, update, outcome);
    }
    pump();
  }

  async function post(update: QueuedUpdate, signal: AbortSignal): Promise<Outcome> {
    try {
      const target = new URL(webhook?.url ?? '');
      const headers: Record<string, string> = { 'content-type': 'application/json' };
      if (target.username) {
        const pair = `${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`;
        headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
        target.username = '';
        target.password = '';
      }
      if (webhook?.secretToken) headers['x-telegram-bot-api-secret-token'] = webhook.secretToken;
      const response = await dispatcher.request({
        origin: target.origin,
        path: target.pathname + target.search,
        method: 'POST',
        headers,
        body: updateJson(update),
        signal,
      });
      const body = await readBody(response.body);
      if (response.statusCode >= 200 && response.statusCode < 300) {
        const contentType = String(response.headers['content-type'] ?? '');
        if (body.length > 0) await options.execute(bot, contentType, body);
        return { retryAfterSeconds: 0 };
      }
      const retryAfter = Math.floor(Number(response.headers['retry-after']));
      return {
        error:
          `Wrong response from the webhook: ${response.statusCode} ${response.statusText ?? ''}`.trim(),
        retryAfterSeconds: retryAfter > 0 ? Math.min(retryAfter, maxRetryAfterSeconds) : 0,
      };
    } catch (error) {
      return { error: explain(error, signal), retryAfterSeconds: 0 };
    }
  }

  /** Drops updates that the bot's queue no longer has; the head may be in flight. */
  function dropForgotten(lane: Lane): void {
    lane.items = lane.items.filter((item, at) => at === 0 || bot.updates.has(item.id));
  }

  function add(update: QueuedUpdate): void {
    const known = lanes.get(update.queue);
    if (known) {
      known.items.push(update);
      if (known.items.length % pruneEvery === 0) dropForgotten(known);
      return;
    }
    const lane: Lane = {
      key: update.queue,
      items: [update],
      delaySeconds: 1,
      failures: 0,
      state: 'ready',
    };
    lanes.set(update.queue, lane);
    makeReady(lane);
    pump();
  }

  for (const update of bot.updates.values()) add(update);
  return {
    add,
    stop() {
      stopped = true;
      for (const lane of lanes.values()) clock.clearTimeout(lane.timer);
      for (const flight of flights) flight.abort(new Error('Webhook was replaced'));
    },
  };
}

async function readBody(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new Error('Too big response from the webhook');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function explain(error: unknown, signal: AbortSignal): string {
  if (signal.aborted && signal.reason instanceof Error) return signal.reason.message;
  const code = (error as { code?: string }).code ?? '';
  if (code === 'ECONNREFUSED') return 'Connection refused';
  if (code === 'ENOTFOUND') return 'Failed to resolve host: Name or service not known';
  if (code.startsWith('UND_ERR_') || code === 'ECONNRESET') return 'Webhook connection closed';
  return error instanceof Error ? error.message : 'Webhook connection closed';
}
