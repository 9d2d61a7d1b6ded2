/*
 * Measures searches in a million messages of one bot, Russian, English and Chinese, on both
 * engines: rare and common words, parts of words, several words, with and without a chat. It also
 * measures the indexing of a message, and storing one with and without search.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { systemClock } from '../src/clock.ts';
import { localCaller } from '../src/core/access/access.ts';
import { createVault } from '../src/core/access/vault.ts';
import { createMessageLookup } from '../src/manage/messages/message-lookup.ts';
import type { Engine } from '../src/store/engine.ts';
import { openSqlite } from '../src/store/sqlite/engine.ts';
import { createStore } from '../src/store/store.ts';
import { quick } from './quick.ts';
import type { BenchRow } from './run.ts';
import { withPostgres } from './with-postgres.ts';

const messages = Number(process.env['SEARCH_MESSAGES'] ?? quick(1_000_000, 100_000));
const portion = 2_000;
const rounds = 10;
const limitMs = 50;

export async function run(): Promise<BenchRow[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-bench-'));
  try {
    const sqlite = await openSqlite(folder);
    const rows = await measure('SQLite', sqlite);
    await sqlite.close();
    return [...rows, ...(await withPostgres((engine) => measure('PostgreSQL', engine)))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(name: string, engine: Engine): Promise<BenchRow[]> {
  const store = createStore(engine, createVault(['a master key for the benchmark only, 32+']));
  const bot = await store.bots.insert({ token: '1:bench', source: 'cli' }, Date.now());
  await fill(engine, bot.id);
  await store.bots.update(bot.id, { manage_enabled: true }, Date.now());
  const search = store.messageSearch;
  const startedAt = performance.now();
  while ((await search.index(portion)) === 'more');
  const indexedMs = performance.now() - startedAt;
  // Autovacuum would do this within a minute.
  if (engine.dialect === 'postgres') await engine.readRaw('analyze message_search', []);
  const lookup = createMessageLookup({ store, clock: systemClock });

  const times: number[] = [];
  let empty = 0;
  for (let round = -1; round < rounds; round++) {
    for (const question of questions(round)) {
      const askedAt = performance.now();
      const query = { bot_id: bot.id, limit: 50, ...question };
      const { messages: found } = await lookup.search(localCaller, query);
      // The first round warms up.
      if (round < 0) continue;
      times.push(performance.now() - askedAt);
      if (found.length === 0) empty++;
    }
  }
  times.sort((a, b) => a - b);
  const p95 = times[Math.floor(times.length * 0.95)] ?? 0;
  const ok = p95 < limitMs && empty === 0;
  return [
    { name: `${name}: ${messages} messages, p50`, value: round2(median(times)), unit: 'ms' },
    { name: `${name}: p95`, value: round2(p95), unit: 'ms', mark: `< ${limitMs}`, ok },
    { name: `${name}: slowest`, value: round2(times.at(-1) ?? 0), unit: 'ms' },
    { name: `${name}: indexing`, value: round2((indexedMs * 1000) / messages), unit: 'µs/message' },
  ];
}

/** Returns different queries in every round; each finds something. */
function questions(round: number): { q: string; chat_id?: number }[] {
  const order = String(orderOf((Math.abs(round * 7_919 + 13) * 37) % messages));
  const chat_id = -1_000 - Math.abs(round);
  return [
    { q: `заказ${order}` },
    { q: 'деньги' },
    { q: 'пожалуйста доставка' },
    { q: 'ставк' },
    { q: 'refund' },
    { q: 'refund деньги' },
    { q: 'deliv', chat_id },
    { q: `город${10 + (Math.abs(round) % 30)}` },
    { q: `товар${100 + ((Math.abs(round) * 31) % 300)}` },
    { q: '北京' },
    { q: '退款申请' },
    { q: order, chat_id: -1_000 - (Number(order) % 200) },
  ];
}

const vocabulary =
  'деньги пожалуйста доставка возврат магазин вчера сегодня завтра помогите спасибо курьер адрес вопрос ответ работает телефон refund delivery order please thanks shop question answer yesterday tomorrow broken phone screen battery 北京 上海 退款申请 明天 谢谢 我们 商店 地址 电话'.split(
    ' ',
  );

/** Writes rows in bulk as the archive stores them, because a million sends would take the day. */
async function fill(engine: Engine, botId: number): Promise<void> {
  for (let from = 0; from < messages; from += portion) {
    const ids = Array.from({ length: Math.min(portion, messages - from) }, (_, i) => from + i + 1);
    await engine.write(function* () {
      const columns = 'bot_id, chat_id, id, user_id, text, date, origin';
      if (engine.dialect === 'postgres') {
        yield {
          sql: `insert into messages (${columns})
            select $1, c, i, u, t, d, 'received' from unnest(
              $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[]) as r (c, i, u, t, d)`,
          parameters: [
            botId,
            ids.map(chatOf),
            ids,
            ids.map((id) => 1 + (id % 5_000)),
            ids.map(textOf),
            ids.map(dateOf),
          ],
        };
        return;
      }
      for (const id of ids) {
        yield {
          sql: `insert into messages (${columns}) values ($1, $2, $3, $4, $5, $6, 'received')`,
          parameters: [botId, chatOf(id), id, 1 + (id % 5_000), textOf(id), dateOf(id)],
        };
      }
    });
  }
}

const orderOf = (id: number) => 100_000 + (id % 900_000);
const chatOf = (id: number) => -1_000 - (orderOf(id) % 200);
const dateOf = (id: number) => 1_700_000_000 + id * 3;

/** Makes about ten words, the same for the same ID. */
function textOf(id: number): string {
  let state = Math.imul(id, 2_654_435_761) >>> 0;
  const words = [`заказ${orderOf(id)}`];
  // About a hundred messages have one of these words, and about a thousand the other.
  if (state % 10 < 3) words.push(`город${10 + (Math.floor(state / 10) % 30)}`);
  if (state % 10 > 6) words.push(`товар${100 + (Math.floor(state / 10) % 300)}`);
  for (let index = 0; index < 9; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // Squared, so that some words are common and some are rare.
    const at = Math.floor((state / 2 ** 32) ** 2 * vocabulary.length);
    words.push(vocabulary[at] ?? '', ...(state % 11 === 0 ? [`x${state.toString(36)}`] : []));
  }
  return words.join(' ');
}

function median(sorted: number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function round2(value: number): number {
  return Math.round(value * 100) / 100;
}
