/*
 * The queue of an app: what waits for its push reader or its consumer. An app has one queue, and a
 * change of its mode hands over what waits.
 */
import { randomInt } from 'node:crypto';
import type { AppMode, AppRecord } from '../../core/apps/app.ts';
import { readerOf } from '../../core/log/reader-kinds.ts';
import { handToPull, handToPush } from '../delivery/hand-over-queue.ts';
import {
  allowedUpdatesHistoryFor,
  removeWebhook,
  saveWebhook,
  type WebhookOptions,
} from '../delivery/webhooks.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { findOrMakeReader } from '../log/log.ts';
import type { AppRow } from './app-rows.ts';

/** Opens the queue of an app, so that updates from then on wait for it. */
export function* openQueue({ bot_id: botId, name, mode }: AppRow, nowMs: number): Step<void> {
  if (mode === 'send') return;
  const reader = readerOf(mode === 'webhook' ? 'push' : 'pull', name);
  yield* findOrMakeReader(botId, reader, nowMs);
  yield* renewReader(botId, reader);
}

interface ModeChange {
  dialect: DialectName;
  options: WebhookOptions | undefined;
  dropsPending: boolean;
  nowMs: number;
}

/** Hands the queue to the reader of the new mode, which continues where the other one was. */
export function* changeMode(
  { bot_id: botId, name, mode: from }: AppRecord,
  to: AppMode,
  { dialect, options, dropsPending, nowMs }: ModeChange,
): Step<void> {
  const reader = readerOf('push', name);
  const context = { dialect, nowMs, dropsPending };
  if (to === 'webhook') {
    // An app that received nothing has no queue, so it begins at the log's end.
    if (from === 'send') yield* findOrMakeReader(botId, reader, nowMs);
    const wasForwarding = from !== 'poll';
    if (options) {
      const asked = { ...options, dropsPending };
      yield* saveWebhook(botId, asked, { reader, dialect, wasForwarding, nowMs });
    } else if (!wasForwarding) yield* handToPush(botId, reader, context);
    yield* findOrMakeReader(botId, reader, nowMs);
    if (from !== 'webhook') yield* renewReader(botId, reader);
  } else if (to === 'poll') {
    if (from === 'webhook') {
      const history = yield* allowedUpdatesHistoryFor(botId, reader);
      yield* handToPull(botId, reader, history, context);
      yield* removeWebhook(botId, reader);
      yield* raw('delete from readers where bot_id = $1 and name = $2', [botId, reader]);
    }
    yield* findOrMakeReader(botId, readerOf('pull', name), nowMs);
  } else if (from !== 'send') yield* removeReadersOf(botId, name, 'keep history');
}

/**
 * Gives a reader a new generation, so that a node that delivered through an earlier reader of this
 * name writes nothing into it.
 */
export function* renewReader(botId: number, reader: string): Step<void> {
  yield* raw('update readers set generation = $3 where bot_id = $1 and name = $2', [
    botId,
    reader,
    randomInt(1, 2 ** 30),
  ]);
}

/**
 * Removes the readers of an app with what waits for them; an app that only pauses keeps its dead
 * letters and attempts.
 */
export function* removeReadersOf(
  botId: number,
  name: string,
  history: 'keep history' | 'remove history',
): Step<void> {
  const push = readerOf('push', name);
  // The readers are locked first, as in their owner's commits.
  yield* raw('delete from readers where bot_id = $1 and name in ($2, $3)', [
    botId,
    readerOf('pull', name),
    push,
  ]);
  const tables = history === 'keep history' ? queueTables : [...queueTables, ...historyTables];
  for (const table of tables) {
    yield* raw(`delete from ${table} where bot_id = $1 and reader = $2`, [botId, push]);
  }
}

const queueTables = ['retry_positions', 'retry_queues', 'backend_health', 'webhooks'];
const historyTables = ['dead_letters', 'delivery_attempts'];
