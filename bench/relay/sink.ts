// The backend of the benchmark: answers 200 to everything, counts, and measures how long ago each
// update was offered. Its own process; spoken to over IPC.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type SinkNews =
  | { kind: 'ready'; port: number }
  | { kind: 'count'; received: number; distinct: number; p50: number; p99: number; max: number };

const latencies: number[] = [];
const seen = new Set<string>();
let received = 0;

const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    received++;
    const offered = /"text":"offered (\d+)/.exec(body)?.[1];
    if (offered) latencies.push(Date.now() - Number(offered));
    const id = /"update_id":(\d+)/.exec(body)?.[1];
    if (id) seen.add(`${request.url} ${id}`);
    response.writeHead(200, { 'content-length': '0' });
    response.end();
  });
});

process.on('message', (order: 'count' | 'reset') => {
  if (order === 'reset') {
    received = 0;
    latencies.length = 0;
    seen.clear();
  }
  const sorted = [...latencies].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  const news: SinkNews = {
    kind: 'count',
    received,
    distinct: seen.size,
    p50: at(0.5),
    p99: at(0.99),
    max: at(1),
  };
  process.send?.(news);
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', 1024, () =>
  process.send?.({ kind: 'ready', port: (server.address() as AddressInfo).port }),
);
