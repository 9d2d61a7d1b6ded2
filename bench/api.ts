/*
 * What the key check, the database and the serialiser cost: the same answers from the service and
 * from a bare Fastify route, in turns within one run, so that a busy machine slows both.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ServerReady } from './api-server.ts';
import { load } from './load.ts';

interface BenchRow {
  name: string;
  value: number;
  unit: string;
  mark?: string;
  ok?: boolean;
}

const rounds = 5;
const durationMs = 2_000;
const connections = 32;
const few = 10_000;
const many = 1_000_000;

export async function run(): Promise<BenchRow[]> {
  const small = await startServer(few);
  const large = await startServer(many);
  try {
    const headers = { authorization: `Bearer ${small.ready.key}` };
    const rows: BenchRow[] = [];
    for (const [name, path] of Object.entries(small.ready.paths)) {
      const ask = (address: string) => measure(address, path, headers);
      const rates = await inTurns(
        () => ask(small.ready.bare),
        () => ask(small.ready.relay),
      );
      const share = rates.shareOfFirst * 100;
      const title = name === 'bots' ? 'GET /api/bots' : 'GET /api/messages?limit=50';
      rows.push(
        { name: `${title}, bare Fastify`, value: Math.round(rates.first), unit: 'req/s' },
        { name: `${title}, service`, value: Math.round(rates.second), unit: 'req/s' },
        {
          name: `${title}, share of bare`,
          value: Math.round(share),
          unit: '%',
          mark: '>= 60',
          ok: share >= 60,
        },
      );
    }
    const path = small.ready.paths.messages;
    const rates = await inTurns(
      () => measure(small.ready.relay, path, headers),
      () => measure(large.ready.relay, path, { authorization: `Bearer ${large.ready.key}` }),
    );
    const times = 1 / rates.shareOfFirst;
    rows.push({
      name: 'GET /api/messages, cost with 1,000,000 messages against 10,000',
      value: Math.round(times * 100) / 100,
      unit: '×',
      mark: '<= 1.3',
      ok: times <= 1.3,
    });
    return rows;
  } finally {
    small.process.disconnect();
    large.process.disconnect();
  }
}

async function measure(address: string, path: string, headers: Record<string, string>) {
  const { requestsPerSecond } = await load({ address, path, headers, connections, durationMs });
  return requestsPerSecond;
}

/** Medians of both, and of the share of each round, after one round to warm up. */
async function inTurns(first: () => Promise<number>, second: () => Promise<number>) {
  await first();
  await second();
  const firsts: number[] = [];
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) {
    firsts.push(await first());
    seconds.push(await second());
  }
  const shares = seconds.map((rate, round) => rate / (firsts[round] ?? rate));
  return { first: median(firsts), second: median(seconds), shareOfFirst: median(shares) };
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function startServer(
  messages: number,
): Promise<{ process: ChildProcess; ready: ServerReady }> {
  const file = fileURLToPath(new URL('./api-server.ts', import.meta.url));
  const child = fork(file, [String(messages)], { execArgv: [] });
  const ready = await new Promise<ServerReady>((resolve, reject) => {
    child.once('message', (message) => resolve(message as ServerReady));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { process: child, ready };
}
