/*
 * Measures the statistics of a chat with 5,000,000 messages: requests, and counting.
 *
 * The messages of two years by 20,000 people, of whom 4,000 are present at a time, pass the code
 * that counts messages in the service (fold and saveFolded), in larger batches and without storing
 * their texts first: the resulting counters are the same as if each message had been received. A
 * smaller number goes the whole way, through the archive and the counting of waiting messages, to
 * measure that cost and to compare the sums. PostgreSQL gets the same counters and the same
 * requests.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { systemClock } from '../src/clock.ts';
import { localCaller } from '../src/core/access/access.ts';
import { addMessageFacts, emptyFacts } from '../src/core/messages/message-facts.ts';
import { createVault } from '../src/core/access/vault.ts';
import { createLogger } from '../src/logger.ts';
import { createStatsCounter, createStatsService } from '../src/manage/stats/stats.ts';
import type { Engine } from '../src/store/engine.ts';
import { openSqlite } from '../src/store/sqlite/engine.ts';
import { type CountedMessage, fold, saveFolded } from '../src/store/stats/stats-fold.ts';
import { createStore, type Store } from '../src/store/store.ts';
import { quick } from './quick.ts';
import type { BenchRow } from './run.ts';
import { withPostgres } from './with-postgres.ts';

const messages = quick(5_000_000, 1_000_000);
/** The number of people present at a time, and of those who come and go each day. */
const present = 4_000;
const newPerDay = 22;
const days = 730;
const batch = 250_000;
const wholeWay = quick(20_000, 5_000);
const chatId = -1_001;
/** The length of a range in days that begins and ends in the middle of years. */
const middle = 500;
// The last day is in the middle of a month, so that a range has odd days at both ends.
const lastDay = Math.floor(Date.UTC(2026, 0, 16) / 86_400_000);
const firstSecond = (lastDay - days) * 86_400;

export async function run(): Promise<BenchRow[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-bench-'));
  const engine = await openSqlite(folder);
  const store = createStore(engine, createVault(['a master key for the benchmark only, 32+']));
  try {
    const bot = await store.bots.insert(
      { token: '1:bench', source: 'cli', manage_enabled: true },
      Date.now(),
    );
    const feedSeconds = await feed(store, bot.id);
    const rows = await ask('SQLite', store, bot.id);
    const small = await store.bots.insert(
      { token: '2:bench', source: 'cli', manage_enabled: true },
      Date.now(),
    );
    return [
      {
        name: `${messages.toLocaleString('en')} messages folded into counters`,
        value: Math.round(feedSeconds),
        unit: 's',
      },
      ...rows,
      ...(await goTheWholeWay(store, small.id)),
      ...(await withPostgres((postgres) => askCopy(engine, postgres))),
    ];
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Makes a message. The n-th most talkative person writes an n-th as much as the first; the bot
 * answers every twentieth.
 */
function messageAt(botId: number, index: number): CountedMessage {
  const noise = (Math.imul(index + 1, 2_654_435_761) >>> 0) / 2 ** 32;
  const day = Math.floor((index / messages) * days);
  return {
    bot_id: botId,
    chat_id: chatId,
    user_id: 1 + day * newPerDay + Math.floor(present ** noise),
    date: firstSecond + Math.floor((index / messages) * days * 86_400),
    is_media: index % 7 === 0 ? 1 : 0,
    is_own: index % 20 === 19 ? 1 : 0,
  };
}

async function feed(store: Store, botId: number): Promise<number> {
  const startedAt = performance.now();
  const waiting = new Map<string, number>();
  for (let from = 0; from < messages; from += batch) {
    const portion = Array.from({ length: batch }, (_, index) => messageAt(botId, from + index));
    const folded = fold(portion, waiting);
    await store.engine.write(() => saveFolded('sqlite', folded));
  }
  return (performance.now() - startedAt) / 1000;
}

async function ask(name: string, store: Store, botId: number): Promise<BenchRow[]> {
  const clock = systemClock;
  const counter = createStatsCounter({ store, clock, logger: createLogger({ level: 'silent' }) });
  const service = createStatsService({ store, counter, clock });
  const dayText = (day: number) => new Date(day * 86_400_000).toISOString();
  const query = { bot_id: botId, chat_id: chatId, to: dayText(lastDay) };
  const rangeOf = (length: number) => {
    const end = length === middle ? lastDay - 100 : lastDay;
    return { from: dayText(end - length), to: dayText(end) };
  };
  const whole = await service.of(localCaller, { ...query, from: dayText(lastDay - days) });
  const total = whole.days.reduce((sum, { received, sent }) => sum + received + sent, 0);
  const rows: BenchRow[] = [
    {
      name: `${name}: messages told of the chat`,
      value: total,
      unit: 'messages',
      mark: `exactly ${messages.toLocaleString('en')}`,
      ok: total === messages,
    },
  ];
  const ranges = [
    ['30 days', 30],
    ['a year', 365],
    ['500 days in the middle', middle],
    ['all but a day of two years', days - 1],
    ['everything', days],
  ] as const;
  for (const [range, length] of ranges) {
    const times: number[] = [];
    const usedBefore = process.cpuUsage();
    for (let round = 0; round < 20; round++) {
      const startedAt = performance.now();
      await service.of(localCaller, { ...query, ...rangeOf(length) });
      times.push(performance.now() - startedAt);
    }
    const used = process.cpuUsage(usedBefore);
    const p95 = times.sort((a, b) => a - b)[18] ?? 0;
    rows.push({
      name: `${name}: statistics of ${range}, p95 of 20`,
      value: Math.round(p95 * 10) / 10,
      unit: 'ms',
      mark: 'under 100',
      ok: p95 < 100,
    });
    if (store.engine.dialect === 'postgres') continue;
    // Processor time is more reliable than the clock if other programs run on the machine as well.
    rows.push({
      name: `${name}: statistics of ${range}, processor time each`,
      value: Math.round((used.user + used.system) / times.length / 100) / 10,
      unit: 'ms',
    });
  }
  return rows;
}

/** Copies the counters of the chat, and makes the same requests. */
async function askCopy(from: Engine, to: Engine): Promise<BenchRow[]> {
  const store = createStore(to, createVault(['a master key for the benchmark only, 32+']));
  const bot = await store.bots.insert(
    { token: '1:bench', source: 'cli', manage_enabled: true },
    Date.now(),
  );
  for (const { table, columns, pages } of copied) {
    const names = ['bot_id', 'chat_id', ...columns];
    const marks = names.map((_, index) => `$${index + 1}::bigint[]`);
    for (const { where } of await from.readRaw<{ where: string }>(pages, [])) {
      const rows = await from.readRaw<Record<string, number>>(
        `select ${columns.join(', ')} from ${table}
         where bot_id = 1 and chat_id = ${chatId} and ${where}`,
        [],
      );
      const values = columns.map((column) => rows.map((row) => row[column]));
      const keys = [bot.id, chatId].map((id) => rows.map(() => id));
      await to.write(function* () {
        yield {
          sql: `insert into ${table} (${names.join(', ')})
                select * from unnest(${marks.join(', ')})`,
          parameters: [...keys, ...values],
        };
      });
    }
    // Autovacuum would do this within a minute.
    await to.readRaw(`vacuum analyze ${table}`, []);
  }
  return ask('PostgreSQL', store, bot.id);
}

const copied = [
  {
    table: 'stats_hours',
    columns: ['hour', 'received', 'sent', 'media'],
    pages: 'select \'1 = 1\' as "where"',
  },
  {
    table: 'stats_sums',
    columns: ['grain', 'bucket', 'received', 'sent', 'media'],
    pages: 'select \'1 = 1\' as "where"',
  },
  {
    table: 'stats_people',
    columns: ['grain', 'bucket', 'user_id', 'messages'],
    // The pages cover twenty days, or any longer unit, at a time.
    pages: `select 'grain = ' || grain || ' and bucket between ' || min(bucket) || ' and '
        || max(bucket) as "where" from stats_people
      where bot_id = 1 and chat_id = ${chatId}
      group by grain, bucket / (case grain when 0 then 20 else 1 end)`,
  },
  {
    table: 'stats_responses',
    columns: ['day', 'bucket', 'answers'],
    pages: 'select \'1 = 1\' as "where"',
  },
];

async function goTheWholeWay(store: Store, botId: number): Promise<BenchRow[]> {
  for (let from = 0; from < wholeWay; from += 500) {
    const entries = Array.from({ length: 500 }, (_, index) => {
      const { user_id, date } = messageAt(botId, from + index);
      const facts = emptyFacts();
      addMessageFacts(facts, {
        message_id: from + index + 1,
        date,
        chat: { id: chatId, type: 'supergroup', title: 'Bench' },
        from: { id: user_id, first_name: 'Someone' },
        text: 'hello',
      });
      return { botId, facts, origin: 'received' as const, position: 0 };
    });
    await store.messages.archive(entries, Date.now());
  }
  const startedAt = performance.now();
  while ((await store.stats.countMessages(300)) > 0);
  const perSecond = Math.round(wholeWay / ((performance.now() - startedAt) / 1000));
  const hours = await store.stats.hours({ botId, chatId }, [0, 1_000_000]);
  const counted = hours.reduce((sum, { received }) => sum + received, 0);
  return [
    { name: 'waiting messages counted in portions', value: perSecond, unit: 'messages/s' },
    {
      name: 'received and counted the whole way',
      value: counted,
      unit: 'messages',
      mark: `exactly ${wholeWay.toLocaleString('en')}`,
      ok: counted === wholeWay,
    },
  ];
}
