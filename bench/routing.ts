/*
 * Measures the cost of a thousand routes: the router with one route and with a thousand, on the
 * same updates, each of which matches exactly one route. Only the platform is fake: log, decisions,
 * sends in the outbox and cursor are committed as always.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { systemClock } from '../src/clock.ts';
import { type IncomingUpdate, readUpdate } from '../src/core/log/update-facts.ts';
import { createVault } from '../src/core/access/vault.ts';
import { storesForRouters } from '../src/main/routing.ts';
import { startRouter } from '../src/relay/routing/router.ts';
import { createUpdateLog } from '../src/relay/log/update-log.ts';
import { openSqlite } from '../src/store/sqlite/engine.ts';
import { createStore } from '../src/store/store.ts';
import { quick } from './quick.ts';
import type { BenchRow } from './run.ts';
import { routingReader } from '../src/core/log/reader-kinds.ts';

const updates = 5_000;
const rounds = quick(5, 3);

export async function run(): Promise<BenchRow[]> {
  const ones: number[] = [];
  const thousands: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const one = await route(1);
    const thousand = await route(1_000);
    // The first round warms up.
    if (round === 0) continue;
    ones.push(one);
    thousands.push(thousand);
  }
  const times = median(thousands) / median(ones);
  return [
    { name: 'one route, time per update', value: round2(median(ones)), unit: 'µs' },
    { name: '1,000 routes, time per update', value: round2(median(thousands)), unit: 'µs' },
    {
      name: '1,000 routes against one',
      value: round2(times),
      unit: '×',
      mark: '<= 2',
      ok: times <= 2,
    },
  ];
}

/** Microseconds per update. */
async function route(count: number): Promise<number> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-bench-'));
  const engine = await openSqlite(folder);
  const store = createStore(engine, createVault(['a master key for the benchmark only, 32+']));
  try {
    const now = Date.now();
    const source = await store.bots.insert({ token: '1:bench', source: 'cli' }, now);
    const target = await store.bots.insert({ token: '2:bench', source: 'cli' }, now);
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        store.routes.insert(
          {
            source_bot_id: source.id,
            target_bot_id: target.id,
            ...condition(index),
            action: 'copy',
            target_chat_id: -100,
            enabled: true,
            description: '',
            priority: 0,
            source_chat_id: 0,
            source_thread_id: 0,
            target_thread_id: 0,
            return_mode: 'reply',
          },
          now,
        ),
      ),
    );
    const log = createUpdateLog(store.log);
    await store.log.openReader(source.id, routingReader, now);
    for (let from = 0; from < updates; from += 500) {
      await log.append(source.id, makeUpdates(from, 500), { receivedAt: now });
    }
    const startedAt = performance.now();
    const router = startRouter(
      {
        ...storesForRouters(store),
        clock: systemClock,
        log,
        onQueued: () => {},
        isForumAdmin: async () => false,
        onQuestion: () => {},
        onError: (error) => {
          throw error;
        },
      },
      source.id,
    );
    for (;;) {
      const [reader] = await store.log.readers(source.id);
      if ((reader?.position ?? 0) >= updates) break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const elapsedMs = performance.now() - startedAt;
    await router.stop();
    return (elapsedMs * 1000) / updates;
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns all kinds of conditions; the first of them matches every message of the benchmark. */
function condition(index: number): { condition_type: string; condition_value: string } {
  if (index === 0) return { condition_type: 'keyword', condition_value: 'benchmark' };
  const kinds = [
    { condition_type: 'keyword', condition_value: `word${index}, other${index}` },
    { condition_type: 'chat_id', condition_value: String(-index) },
    { condition_type: 'user_id', condition_value: String(9_000_000 + index) },
    { condition_type: 'command', condition_value: `/command${index}` },
    { condition_type: 'regex', condition_value: `order-${index}\\b` },
  ];
  return kinds[index % kinds.length] as { condition_type: string; condition_value: string };
}

function makeUpdates(from: number, count: number): IncomingUpdate[] {
  return Array.from({ length: count }, (_, index) => {
    const id = from + index + 1;
    const chat = 1_000 + (id % 200);
    const update = {
      update_id: id,
      message: {
        message_id: id,
        date: 1_700_000_000,
        chat: { id: chat, type: 'private', first_name: 'Ann' },
        from: { id: chat, is_bot: false, first_name: 'Ann' },
        text: `message ${id} of the benchmark, about as long as people write them to a bot`,
      },
    };
    return readUpdate(JSON.stringify(update), update, 0) as IncomingUpdate;
  });
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function round2(value: number): number {
  return Math.round(value * 100) / 100;
}
