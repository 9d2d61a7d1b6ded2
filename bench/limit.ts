// The simplest possible pipeline that does the same work, written by hand: poll, parse, commit the
// same log and message rows durably, POST over 64 connections. It has no order, no retries, no
// settings. The relay is measured against this limit, in the same run and on the same machine.
// Arguments: platform address, sink address ('' for ingest only), SQLite file or address of a
// PostgreSQL, bot ids.
import { type Dispatcher, Pool } from 'undici';
import { sliceArray } from '../src/core/log/json-slices.ts';
import type { Batch, Update } from './limit/batch.ts';
import { openPostgresLimit } from './limit/postgres.ts';
import { openSqliteLimit } from './limit/sqlite.ts';

const [platform = '', sink = '', database = '', ids = ''] = process.argv.slice(2);
const bots = ids.split(',').map(Number);
const acknowledgeEveryMs = 10;

const store = database.startsWith('postgres')
  ? await openPostgresLimit(database)
  : openSqliteLimit(database);
const polls = new Pool(platform, { connections: bots.length, pipelining: 1 });
const posts = sink === '' ? undefined : new Pool(sink, { connections: 64, pipelining: 1 });
let waiting: { batch: Batch; done: () => void }[] = [];
let isCommitting = false;

function commit(batch: Batch): Promise<void> {
  return new Promise((done) => {
    waiting.push({ batch, done });
    if (isCommitting) return;
    isCommitting = true;
    setImmediate(() => void commitAll());
  });
}

async function commitAll(): Promise<void> {
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    await store.commit(group.map(({ batch }) => batch));
    for (const { done } of group) done();
  }
  isCommitting = false;
}

const pushed = new Map<number, number>();
let isAcknowledging = false;

function acknowledge(bot: number): void {
  pushed.set(bot, (pushed.get(bot) ?? 0) + 1);
  if (isAcknowledging || !store.acknowledge) return;
  isAcknowledging = true;
  setTimeout(() => {
    void store.acknowledge?.(pushed).then(() => {
      isAcknowledging = false;
    });
  }, acknowledgeEveryMs);
}

/** Uses undici's callbacks, because a promise and a stream for each response would cost more. */
function push(pool: Pool, bot: number, raw: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart() {},
      onResponseData() {},
      onResponseEnd() {
        acknowledge(bot);
        resolve();
      },
      onResponseError(_, error) {
        reject(error);
      },
    };
    pool.dispatch(
      {
        path: `/b/${bot}`,
        method: 'POST',
        headers: ['content-type', 'application/json'],
        body: raw,
      },
      handler,
    );
  });
}

async function serve(bot: number): Promise<void> {
  let offset = 0;
  for (;;) {
    const query = `limit=100&timeout=50${offset ? `&offset=${offset}` : ''}`;
    const response = await polls.request({
      path: `/bot${bot}:benchbenchbench/getUpdates?${query}`,
      method: 'GET',
      headersTimeout: 0,
    });
    const text = await response.body.text();
    const { result: updates } = JSON.parse(text) as { result: Update[] };
    if (updates.length === 0) continue;
    const raws = sliceArray(text, 'result') ?? [];
    await commit({ bot, updates, raws });
    offset = (updates.at(-1)?.update_id ?? 0) + 1;
    // Waiting here bounds the updates in memory.
    if (posts) await Promise.all(raws.map((raw) => push(posts, bot, raw)));
  }
}

process.on('disconnect', () => process.exit(0));
for (const bot of bots) void serve(bot);
process.send?.('ready');
