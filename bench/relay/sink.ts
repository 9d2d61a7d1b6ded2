// The backend of the benchmark: it answers 200 to everything, counts, and measures how long ago
// each update was offered. It runs in its own process and is controlled over IPC.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type SinkNews =
  | { kind: 'ready'; port: number }
  | { kind: 'count'; received: number; distinct: number; p50: number; p99: number; max: number };

/*
 * Counts in place, without an object for each update: a sink that stops to collect garbage would
 * measure itself.
 */
const maxMs = 60_000;
const latencies = new Uint32Array(maxMs + 1);
/** For each address, 1 for the IDs that arrived, counted from one before the first. */
const seen = new Map<string, { from: number; ids: Uint8Array }>();
/** More than are in flight for a bot, because the first update to arrive may not have the lowest ID. */
const reorderedAtMost = 10_000;
let received = 0;
let measured = 0;
let distinct = 0;

function isNew(address: string, id: number): boolean {
  let known = seen.get(address);
  if (!known) {
    known = { from: id - reorderedAtMost, ids: new Uint8Array(2 * reorderedAtMost) };
    seen.set(address, known);
  }
  const at = id - known.from;
  if (at < 0) throw new Error(`update ${id} of ${address} came too late`);
  if (at >= known.ids.length) {
    const larger = new Uint8Array(2 * at);
    larger.set(known.ids);
    known.ids = larger;
  }
  if (known.ids[at] === 1) return false;
  known.ids[at] = 1;
  return true;
}

/** Returns the latency that this share of all updates did not exceed. */
function latencyOf(share: number): number {
  let left = Math.floor((measured - 1) * share);
  for (let ms = 0; ms <= maxMs; ms++) {
    left -= latencies[ms] ?? 0;
    if (left < 0) return ms;
  }
  return 0;
}

const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    received++;
    const offered = /"text":"offered (\d+)/.exec(body)?.[1];
    if (offered) {
      const ms = Math.min(Math.max(Date.now() - Number(offered), 0), maxMs);
      latencies[ms] = (latencies[ms] ?? 0) + 1;
      measured++;
    }
    const id = /"update_id":(\d+)/.exec(body)?.[1];
    if (id && isNew(request.url ?? '', Number(id))) distinct++;
    response.writeHead(200, { 'content-length': '0' });
    response.end();
  });
});

process.on('message', (order: 'count' | 'reset') => {
  if (order === 'reset') {
    received = 0;
    measured = 0;
    distinct = 0;
    latencies.fill(0);
    seen.clear();
  }
  const news: SinkNews = {
    kind: 'count',
    received,
    distinct,
    p50: latencyOf(0.5),
    p99: latencyOf(0.99),
    max: latencyOf(1),
  };
  process.send?.(news);
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', 1024, () =>
  process.send?.({ kind: 'ready', port: (server.address() as AddressInfo).port }),
);
