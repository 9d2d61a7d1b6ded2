import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Measured } from './api-watch.ts';
import { watchProcessors } from './processor-time.ts';

const { address, pid, key, reads } = workerData as {
  address: string;
  pid: number;
  key: string;
  reads: readonly string[];
};
const statusFile = `/proc/${pid}/status`;
const everyMs = 100;
/** Every so many requests one is a send, to a chat of its own. */
const turnsPerSend = 5;
const turnsPerSample = 10;
const slowMs = 1_000;

const slowest = { path: '', ms: 0 };
const measured: Measured = {
  memory: [],
  reads: [],
  sends: [],
  failed: 0,
  slowest,
  slowMinutes: [],
  blockedMs: 0,
  cpuSeconds: 0,
};
let isOver = false;
let cpuBefore: number | undefined;
const startedAt = performance.now();
const minuteOf = (at: number) => Math.floor((at - startedAt) / 60_000);
/** By minute: slow requests, and the share of the processors' time. */
const slow = new Map<number, number>();
const busy = new Map<number, number>();
let watched = { minute: 0, busy: watchProcessors() };
parentPort?.once('message', () => (isOver = true));

async function ask(path: string, body?: object): Promise<{ isOk: boolean; text: string }> {
  try {
    const answer = await fetch(address + path, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    return { text: await answer.text(), isOk: answer.status === 200 };
  } catch {
    return { text: '', isOk: false };
  }
}

const send = { path: '/api/messages/send', body: { bot_id: 1, text: 'watched' } };

/** Measured from when it was due: a service that answers nobody is slow to all who come meanwhile. */
async function measure(turn: number, dueAt: number): Promise<void> {
  const isSend = turn % turnsPerSend === 0;
  const path = isSend ? send.path : (reads[turn % reads.length] as string);
  const body = isSend ? { ...send.body, chat_id: 1_000_000 + turn } : undefined;
  const { isOk } = await ask(path, body);
  const ms = performance.now() - dueAt;
  measured[isSend ? 'sends' : 'reads'].push(ms);
  if (ms > slowest.ms) Object.assign(slowest, { path, ms });
  const minute = minuteOf(dueAt);
  if (ms > slowMs) slow.set(minute, (slow.get(minute) ?? 0) + 1);
  if (!isOk) measured.failed++;
}

function privateMb(): number | undefined {
  if (!existsSync(statusFile)) return undefined;
  const kilobytes = /^RssAnon:\s+(\d+)/m.exec(readFileSync(statusFile, 'utf8'))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024;
}

function watchMinute(minute: number): void {
  if (minute === watched.minute) return;
  busy.set(watched.minute, watched.busy()?.busy ?? 0);
  watched = { minute, busy: watchProcessors() };
}

async function sample(): Promise<void> {
  watchMinute(minuteOf(performance.now()));
  const { text, isOk } = await ask('/metrics');
  if (!isOk) return;
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? 0);
  const at = (performance.now() - startedAt) / 3_600_000;
  // Where the system does not tell what is private, all of it counts.
  const residentMb = value('process_resident_memory_bytes') / 2 ** 20;
  measured.memory.push({ at, mb: privateMb() ?? residentMb, residentMb });
  const blockedMs = value('nodejs_eventloop_lag_max_seconds') * 1_000;
  measured.blockedMs = Math.max(measured.blockedMs, blockedMs);
  const cpu = value('process_cpu_seconds_total');
  cpuBefore ??= cpu;
  measured.cpuSeconds = cpu - cpuBefore;
}

const open = new Set<Promise<void>>();
function begin(request: Promise<void>): void {
  open.add(request);
  void request.then(() => open.delete(request));
}

for (let turn = 0; !isOver; turn++) {
  const dueAt = startedAt + turn * everyMs;
  await pause(Math.max(0, dueAt - performance.now()));
  begin(measure(turn, dueAt));
  if (turn % turnsPerSample === 0) begin(sample());
}
await Promise.all(open);
await sample();
watchMinute(Number.POSITIVE_INFINITY);
measured.slowMinutes = [...slow].map(([minute, requests]) => ({
  minute,
  requests,
  busyPercent: Math.round((busy.get(minute) ?? 0) * 100),
}));
parentPort?.postMessage(measured);
