/*
 * Measures the cost of the key check, the database and the serialiser: the same responses from the
 * service and from a bare Fastify route, in turns within one run, so that a busy machine slows
 * both. In addition to requests per second, it reports the server's processor time for each, which
 * hardly depends on the load of the machine.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ServerReady } from './api-server.ts';
import { load } from './load.ts';
import { quick } from './quick.ts';

interface BenchRow {
  name: string;
  value: number;
  unit: string;
  mark?: string;
  ok?: boolean;
}

interface Server {
  process: ChildProcess;
  ready: ServerReady;
}

interface Measured {
  perSecond: number;
  cpuMicros: number;
}

const rounds = quick(7, 3);
const durationMs = quick(1_500, 1_000);
const connections = 32;
const few = 10_000;
const many = quick(1_000_000, 300_000);

export async function run(): Promise<BenchRow[]> {
  const small = await startServer(few);
  const large = await startServer(many);
  try {
    const { bots, messages } = small.ready.paths;
    // There are so many different pages that none is still cached from the time before.
    const pages = Array.from({ length: 2_000 }, (_, offset) => `${messages}&offset=${offset}`);
    return [
      ...(await againstBare('GET /api/bots', small, [bots], true)),
      ...(await againstBare('GET /api/messages?limit=50', small, [messages], true)),
      ...(await againstBare('GET /api/messages, each page read again', small, pages, false)),
      await growth(small, large, pages),
    ];
  } finally {
    small.process.disconnect();
    large.process.disconnect();
  }
}

async function againstBare(
  name: string,
  server: Server,
  paths: string[],
  marked: boolean,
): Promise<BenchRow[]> {
  const { bare, service } = await alternately({
    bare: () => measure(server, server.ready.bare, paths),
    service: () => measure(server, server.ready.relay, paths),
  });
  const share = median(service.map((one, n) => one.perSecond / (bare[n]?.perSecond ?? 1))) * 100;
  const rate = (all: Measured[]) => Math.round(median(all.map((one) => one.perSecond)));
  return [
    { name: `${name}: bare Fastify`, value: rate(bare), unit: 'req/s' },
    { name: `${name}: service`, value: rate(service), unit: 'req/s' },
    { name: `${name}: bare Fastify, processor time`, value: cpu(bare), unit: 'µs' },
    { name: `${name}: service, processor time`, value: cpu(service), unit: 'µs' },
    {
      name: `${name}: share of bare`,
      value: Math.round(share),
      unit: '%',
      ...(marked ? { mark: '>= 60', ok: share >= 60 } : {}),
    },
  ];
}

async function growth(small: Server, large: Server, pages: string[]): Promise<BenchRow> {
  const measured = await alternately({
    small: () => measure(small, small.ready.relay, pages),
    large: () => measure(large, large.ready.relay, pages),
  });
  const times = cpu(measured.large) / cpu(measured.small);
  return {
    name: `GET /api/messages: cost with ${many.toLocaleString('en')} stored against 10,000, each page read again`,
    value: Math.round(times * 100) / 100,
    unit: '×',
    mark: '<= 1.3',
    ok: times <= 1.3,
  };
}

async function measure(server: Server, address: string, paths: string[]): Promise<Measured> {
  const headers = { authorization: `Bearer ${server.ready.key}` };
  const before = await cpuOf(server);
  const { requests, requestsPerSecond } = await load({
    address,
    paths,
    headers,
    connections,
    durationMs,
  });
  const cpuMicros = ((await cpuOf(server)) - before) / requests;
  return { perSecond: requestsPerSecond, cpuMicros };
}

/** Runs one round to warm up, then each side in turn. */
async function alternately<Name extends string>(
  sides: Record<Name, () => Promise<Measured>>,
): Promise<Record<Name, Measured[]>> {
  const names = Object.keys(sides) as Name[];
  const all = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    Measured[]
  >;
  for (let round = -1; round < rounds; round++) {
    for (const name of names) {
      const measured = await sides[name]();
      if (round >= 0) all[name].push(measured);
    }
  }
  return all;
}

/** Returns the least disturbed of the rounds. */
function cpu(all: Measured[]): number {
  return Math.round(Math.min(...all.map((one) => one.cpuMicros)) * 10) / 10;
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function cpuOf(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.process.once('message', (usage) => {
      const { user, system } = usage as NodeJS.CpuUsage;
      resolve(user + system);
    });
    server.process.send('cpu');
  });
}

async function startServer(messages: number): Promise<Server> {
  const file = fileURLToPath(new URL('./api-server.ts', import.meta.url));
  const child = fork(file, [String(messages)], { execArgv: [] });
  const ready = await new Promise<ServerReady>((resolve, reject) => {
    child.once('message', (message) => resolve(message as ServerReady));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { process: child, ready };
}
