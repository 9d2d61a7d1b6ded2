/*
 * Sends notifications between nodes through LISTEN and NOTIFY, on a separate connection.
 *
 * Invariant: nothing here runs inside a write's transaction, because a NOTIFY there takes a lock at
 * commit that the whole database shares. Notifications that gather while one NOTIFY is in flight,
 * or shortly after, go out together with the next.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Clock } from '../../clock.ts';
import { backoffMs } from '../../core/backoff.ts';
import {
  echoedTopics,
  type NotificationPayloads,
  type NotificationTopic,
  type Notifications,
} from '../cluster/notifications.ts';

interface NotificationOptions {
  url: string;
  clock: Clock;
  random: () => number;
  onError?: (error: unknown) => void;
}

const channel = 'bot_relay';
// PostgreSQL refuses payloads of 8,000 bytes.
const maxPayloadBytes = 7_900;
const maxPending = 10_000;
const answerTimeoutMs = 10_000;
const farewellMs = 1_000;
/** The pause between two NOTIFYs, as each wakes every node. */
const gatherMs = 10;

type Item = [NotificationTopic, unknown];

export async function listenForNotifications(options: NotificationOptions): Promise<Notifications> {
  const { url, clock, random, onError = () => {} } = options;
  const self = randomBytes(6).toString('base64url');
  const closing = new AbortController();
  const listeners = new Map<NotificationTopic, Set<(payload: never) => void>>();
  const gapListeners = new Set<() => void>();
  // The key is the subject: a newer notification replaces an older one that has not been sent yet.
  let pending = new Map<string, Item>();
  let client: pg.Client | undefined;
  let flushing: Promise<void> | undefined;
  let unkeyed = 0;

  async function connect(): Promise<void> {
    const fresh = new pg.Client({
      connectionString: url,
      application_name: 'bot-relay hints',
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
      connectionTimeoutMillis: 10_000,
    });
    let ended = false;
    const onEnd = (reason?: Error) => {
      if (ended) return;
      ended = true;
      if (reason) onError(reason);
      if (client !== fresh) return;
      client = undefined;
      fresh.end().catch(() => {});
      void reconnect();
    };
    fresh.on('error', onEnd);
    fresh.on('end', () => onEnd());
    fresh.on('notification', (message) => receive(message.payload ?? ''));
    try {
      await fresh.connect();
      await withTimeout(fresh, fresh.query(`listen ${channel}`));
    } catch (error) {
      ended = true;
      fresh.end().catch(() => {});
      throw error;
    }
    if (closing.signal.aborted) await fresh.end();
    else client = fresh;
  }

  async function reconnect(): Promise<void> {
    for (let failures = 0; !closing.signal.aborted && !client; failures++) {
      try {
        if (failures > 0) {
          const waitMs = backoffMs(failures, { random, firstMs: 250, maxMs: 5_000 });
          await clock.sleep(waitMs, closing.signal);
        }
        await connect();
      } catch (error) {
        if (!closing.signal.aborted) onError(error);
      }
    }
    if (closing.signal.aborted) return;
    for (const listener of gapListeners) listener();
    void flush();
  }

  /** Any database client may notify this channel, with any payload. */
  function receive(message: string): void {
    const [sender, ...items] = itemsIn(message);
    for (const item of items) {
      if (!isItem(item)) continue;
      const [topic, payload] = item;
      if (sender === self && !echoedTopics.has(topic)) continue;
      for (const listener of listeners.get(topic) ?? []) {
        try {
          listener(payload as never);
        } catch (error) {
          onError(error);
        }
      }
    }
  }

  function flush(): Promise<void> {
    flushing ??= sendPending().finally(() => {
      flushing = undefined;
      // Notifications that arrived while a NOTIFY failed would wait forever, because only the first
      // one starts a flush.
      if (client && pending.size > 0) setImmediate(() => void flush());
    });
    return flushing;
  }

  async function flushAll(): Promise<void> {
    do await flush();
    while (client && pending.size > 0);
  }

  async function sendPending(): Promise<void> {
    try {
      while (client && pending.size > 0) {
        const items = [...pending.values()];
        pending = new Map();
        for (const payload of payloads(self, items)) {
          await withTimeout(client, client.query('select pg_notify($1, $2)', [channel, payload]));
        }
        await pause(gatherMs);
      }
    } catch (error) {
      // The other nodes look by themselves within a second; repeating old notifications would not
      // help them.
      onError(error);
    }
  }

  await connect();
  return {
    publish(topic, payload) {
      if (closing.signal.aborted) return;
      const key = keyOf(topic, payload);
      // Keyed notifications are bounded by the number of bots and readers; those without a key have
      // no bound.
      if (key === undefined && pending.size >= maxPending) return;
      const first = pending.size === 0;
      pending.set(key ?? `${topic} ${++unkeyed}`, [topic, payload]);
      if (first) setImmediate(() => void flush());
    },
    subscribe(topic, listener) {
      const known = listeners.get(topic) ?? new Set();
      listeners.set(topic, known.add(listener as (payload: never) => void));
      return () => known.delete(listener as (payload: never) => void);
    },
    onGap(listener) {
      gapListeners.add(listener);
      return () => gapListeners.delete(listener);
    },
    async close() {
      await Promise.race([flushAll(), pause(farewellMs, undefined, { ref: false })]);
      closing.abort(new Error('closed'));
      const last = client;
      client = undefined;
      if (last) await withTimeout(last, last.end(), farewellMs).catch(() => {});
    },
  };
}

/** Closes a connection that went silent, which makes room for a new one. */
async function withTimeout<T>(
  client: pg.Client,
  answer: Promise<T>,
  ms = answerTimeoutMs,
): Promise<T> {
  const silent = new Error('no answer from PostgreSQL');
  const timer = setTimeout(() => client.connection.stream.destroy(silent), ms);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}

/** Parses the array that a node sent; empty for anything else. */
function itemsIn(payload: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(payload);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

function isItem(item: unknown): item is Item {
  return (
    Array.isArray(item) &&
    typeof item[0] === 'string' &&
    typeof item[1] === 'object' &&
    item[1] !== null
  );
}

/** Returns the subject of the notification; undefined if no two are alike. */
function keyOf<T extends NotificationTopic>(
  topic: T,
  payload: NotificationPayloads[T],
): string | undefined {
  if (topic === 'event' || topic === 'liveMetrics') return undefined;
  if ('id' in payload) return `${topic} ${payload.id}`;
  if (topic === 'listening' || topic === 'released') return topic;
  if (topic === 'settings') return `settings ${(payload as NotificationPayloads['settings']).name}`;
  if (topic === 'floodWait') {
    const { botId, chat, pacedClass } = payload as NotificationPayloads['floodWait'];
    return `${topic} ${botId} ${chat} ${pacedClass}`;
  }
  if (topic === 'reader' || topic === 'poll') {
    const { botId, reader, consumer } = payload as NotificationPayloads['reader'] &
      NotificationPayloads['poll'];
    return `${topic} ${botId} ${reader ?? consumer}`;
  }
  return `${topic} ${(payload as NotificationPayloads['bot']).botId}`;
}

/**
 * Uses as few payloads as the server's limit allows; a single notification beyond it is left out.
 */
export function payloads(sender: string, items: readonly Item[]): string[] {
  const head = `[${JSON.stringify(sender)}`;
  const texts: string[] = [];
  let text = head;
  for (const item of items) {
    const part = `,${JSON.stringify(item)}`;
    if (Buffer.byteLength(part) + Buffer.byteLength(head) >= maxPayloadBytes) continue;
    if (Buffer.byteLength(text) + Buffer.byteLength(part) >= maxPayloadBytes) {
      texts.push(`${text}]`);
      text = head;
    }
    text += part;
  }
  if (text !== head) texts.push(`${text}]`);
  return texts;
}
