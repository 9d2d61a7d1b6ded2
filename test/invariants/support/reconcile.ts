import type { Engine } from '../../../src/store/engine.ts';
import type { Database } from '../../support/database/engines.ts';
import { idOf } from './held-platform.ts';
import type { Arrival } from './sink.ts';

/** Looks into the database of a service that does not run. */
export async function inspect<T>(
  database: Database,
  look: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = await database.open();
  try {
    return await look(engine);
  } finally {
    await engine.close();
  }
}

/** The logs of all bots, in order, by token. */
export async function readLog(database: Database) {
  const rows = await inspect(database, (engine) =>
    engine.readRaw<{ platform_id: number; position: number; update_id: number }>(
      `select b.platform_id, l.position, l.update_id from log l join bots b on b.id = l.bot_id
       order by l.bot_id, l.position`,
      [],
    ),
  );
  const of = (token: string) => rows.filter((row) => row.platform_id === idOf(token));
  return {
    positions: (token: string) => of(token).map((row) => row.position),
    updateIds: (token: string) => of(token).map((row) => row.update_id),
  };
}

/**
 * How much of one bot a crash may repeat: what is in flight, one for each chat, and what is
 * answered but not yet on disk.
 */
export const mostRepeated = (chats: number, connections: number) =>
  Math.min(chats, connections) + connections;

const nameOf = ({ path, updateId }: Arrival) => `${path} ${updateId}`;

/** First arrivals that came after a later update of their chat. */
export function checkOrder(arrivals: readonly Arrival[]): string[] {
  const seen = new Set<string>();
  const newest = new Map<string, number>();
  const wrong: string[] = [];
  for (const arrival of arrivals) {
    if (seen.has(nameOf(arrival))) continue;
    seen.add(nameOf(arrival));
    const chat = `${arrival.path} ${arrival.chatId}`;
    if (arrival.updateId < (newest.get(chat) ?? 0)) wrong.push(nameOf(arrival));
    newest.set(chat, arrival.updateId);
  }
  return wrong;
}

/**
 * What came again; `lives` are the numbers of arrivals at which a new process began. A repeat is
 * put down to the process that delivered the update before and did not write it down.
 */
export function duplicatesOf(arrivals: readonly Arrival[], lives: readonly number[]) {
  const lastLife = new Map<string, number>();
  const repeats = new Map<string, number>();
  let total = 0;
  let withinOneLife = 0;
  arrivals.forEach((arrival, index) => {
    const name = nameOf(arrival);
    const life = lives.findLastIndex((from) => from <= index);
    const before = lastLife.get(name);
    lastLife.set(name, life);
    if (before === undefined) return;
    total++;
    if (before === life) withinOneLife++;
    const cause = `${arrival.path} ${before}`;
    repeats.set(cause, (repeats.get(cause) ?? 0) + 1);
  });
  return { total, withinOneLife, mostOfOneBot: Math.max(0, ...repeats.values()) };
}

/** How often something came again, by the bot's path; bots of which nothing did are left out. */
export function repeatsByPath(arrivals: readonly Arrival[]): Map<string, number> {
  const seen = new Set<string>();
  const repeats = new Map<string, number>();
  for (const arrival of arrivals) {
    const name = nameOf(arrival);
    if (seen.has(name)) repeats.set(arrival.path, (repeats.get(arrival.path) ?? 0) + 1);
    seen.add(name);
  }
  return repeats;
}
