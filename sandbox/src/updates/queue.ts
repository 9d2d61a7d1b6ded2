import type { Random } from '../random.ts';
import { keep } from '../world/bounded.ts';
import type { BotRecord, QueuedUpdate, UpdateKind } from '../world/bot-records.ts';
import { lifetimeSeconds, wants } from './kinds.ts';

const weekSeconds = 7 * 86_400;
const pruneEvery = 256;
const lastUpdateId = 2_000_000_000;

/**
 * IDs are sequential, but after a week without updates they restart at a random number, which may
 * be lower. They restart only while nothing is pending, so a queue never spans a jump.
 */
function nextUpdateId(bot: BotRecord, random: Random, now: number): number {
  const empty = bot.updates.size === 0;
  const quiet = now - bot.lastUpdateAt > weekSeconds || bot.nextUpdateId > lastUpdateId;
  if (empty && bot.jumpPending) {
    delete bot.jumpPending;
    bot.nextUpdateId = random.integer(1, Math.max(1, Math.floor(bot.nextUpdateId / 2)));
  } else if (empty && quiet) {
    bot.nextUpdateId = random.integer(100_000_000, 999_999_999);
  }
  bot.lastUpdateAt = now;
  return bot.nextUpdateId++;
}

/** Drops updates that Telegram would have dropped. Lifetimes differ by kind, so all are checked. */
export function dropExpired(bot: BotRecord, now: number): void {
  for (const [id, update] of bot.updates) if (update.expiresAt <= now) bot.updates.delete(id);
}

export interface Enqueue {
  bot: BotRecord;
  kind: UpdateKind;
  payload: unknown;
  queue: string;
  now: number;
  random: Random;
  limit: number;
}

export const isWanted = (bot: BotRecord, kind: UpdateKind): boolean =>
  wants(bot.allowedUpdates, kind);

export function enqueue({ bot, kind, payload, queue, now, random, limit }: Enqueue): QueuedUpdate {
  const update: QueuedUpdate = {
    id: nextUpdateId(bot, random, now),
    kind,
    body: `"${kind}":${JSON.stringify(payload)}`,
    expiresAt: now + lifetimeSeconds(kind),
    queue,
  };
  keep(bot.updates, update.id, update, limit);
  // Prune now and then: a bot that never polls must not collect updates forever, and pruning on
  // each update would be slow.
  if (update.id % pruneEvery === 0) dropExpired(bot, now);
  return update;
}

export const updateJson = (update: QueuedUpdate): string =>
  `{"update_id":${update.id},${update.body}}`;
