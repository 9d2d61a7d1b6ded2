/*
 * Measures the cost of apps: one bot, its updates stored and delivered by the service as shipped,
 * with 0 to 100 apps. Costs are processor time of the service, as differences between setups of the
 * same run.
 */
import type { ChildProcess } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  adminKey,
  end,
  median,
  pause,
  startPlatform,
  startService,
  startSink,
} from './relay/parts.ts';
import { quick } from './quick.ts';
import type { BenchRow } from './run.ts';

const botId = 1;
/** Many short rounds: differences between neighbours cancel out the other load of the machine. */
const rounds = 6;
const costlyRounds = quick(3, 1);
const warmUp = 20_000;
/** These updates are sent first, so that starting the apps is not counted. */
const settling = 500;

interface Setup {
  /** Apps with a backend whose filter lets everything through. */
  matching: number;
  /** Apps with a backend whose filter lets nothing through. */
  others: number;
  /** Apps like `matching`, each with a client that waits in getUpdates. */
  polling: number;
  updates: number;
}

const setups = {
  none: { matching: 0, others: 0, polling: 0, updates: 5_000 },
  one: { matching: 1, others: 0, polling: 0, updates: 5_000 },
  tenOthers: { matching: 1, others: 10, polling: 0, updates: 5_000 },
  tenPolling: { matching: 1, others: 0, polling: 10, updates: 5_000 },
  manyOthers: { matching: 1, others: 99, polling: 0, updates: 5_000 },
  ten: { matching: 10, others: 0, polling: 0, updates: 1_000 },
  hundred: { matching: 100, others: 0, polling: 0, updates: 200 },
} satisfies Record<string, Setup>;
const costly: readonly string[] = ['manyOthers', 'ten', 'hundred'] satisfies SetupName[];
type SetupName = keyof typeof setups;

export async function run(): Promise<BenchRow[]> {
  const names = Object.keys(setups) as SetupName[];
  const measured = new Map(names.map((name) => [name, [] as number[]]));
  const relay = await startRelay();
  try {
    await relay.flood({ ...setups.one, updates: warmUp });
    for (let round = 0; round < rounds; round++) {
      // Setups run in turns and in one process, so that other load of the machine affects all of
      // them.
      for (const name of names) {
        if (round >= costlyRounds && costly.includes(name)) continue;
        measured.get(name)?.push(await relay.flood(setups[name]));
      }
    }
  } finally {
    await relay.close();
  }
  const cost = (name: SetupName) => median(measured.get(name) ?? []);
  /** Returns the extra cost of `name` over `base`, round by round. */
  const more = (name: SetupName, base: SetupName) => {
    const bases = measured.get(base) ?? [];
    return median((measured.get(name) ?? []).map((value, round) => value - (bases[round] ?? 0)));
  };
  const delivery = more('one', 'none');
  const row = (name: string, microseconds: number): BenchRow => ({
    name,
    value: Math.round(microseconds * 10) / 10,
    unit: 'µs/update',
  });
  const share = (name: string, microseconds: number): BenchRow => {
    const value = Math.round((microseconds / delivery) * 1_000) / 10;
    return { name, value, unit: '% of a delivery', mark: '< 20', ok: value < 20 };
  };
  const othersCost = more('tenOthers', 'one');
  const pollingCost = more('tenPolling', 'one');
  return [
    row('no app', cost('none')),
    row('1 app', cost('one')),
    row('10 apps, all matching', cost('ten')),
    row('100 apps, all matching', cost('hundred')),
    row('1 app matching, 10 not', cost('tenOthers')),
    row('1 app matching, 99 not', cost('manyOthers')),
    row('one delivery', delivery),
    row('a matching app, of 10', more('ten', 'none') / 10),
    row('a matching app, of 100', more('hundred', 'none') / 100),
    row('an app that does not match, of 10', othersCost / 10),
    row('an app that does not match, of 99', more('manyOthers', 'one') / 99),
    share('ten apps that do not match', othersCost),
    share('ten polling apps that do not match', pollingCost),
  ];
}

async function startRelay() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-bench-'));
  const platform = await startPlatform();
  const sink = await startSink();
  const { child, address } = await startService(folder, platform.url);
  await call(address, 'bots/add', { token: `${botId}:benchbenchbench` });
  return {
    /**
     * Measures the service's processor time per update, from the poll that receives it to the last
     * delivery.
     */
    async flood(setup: Setup): Promise<number> {
      const apps = await addApps(address, setup, sink.url);
      const deal = async (count: number) => {
        await sink.reset();
        const confirmed = platform.news((news) => news.kind === 'confirmed');
        platform.order({ kind: 'flood', bots: [botId], perBot: count });
        await confirmed;
        while ((await sink.count()).distinct < count * setup.matching) await pause(20);
      };
      await deal(settling);
      const before = processorMicroseconds(child);
      await deal(setup.updates);
      const spent = processorMicroseconds(child) - before;
      await apps.remove();
      return spent / setup.updates;
    },
    async close() {
      await end(child, 'SIGKILL');
      platform.close();
      sink.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function addApps(
  address: string,
  { matching, others, polling }: Setup,
  sink: string,
): Promise<{ remove(): Promise<void> }> {
  const ids: number[] = [];
  const clients = new AbortController();
  const add = async (name: string, settings: object) => {
    const app = await call<{ id: number; token: string }>(address, 'bots/apps/add', {
      bot_id: botId,
      name,
      ...settings,
    });
    ids.push(app.id);
    return app.token;
  };
  const webhook = (name: string) => ({ mode: 'webhook', backend_url: `${sink}/${name}` });
  for (let index = 0; index < matching; index++) {
    await add(`every-${index}`, webhook(`every-${index}`));
  }
  for (let index = 0; index < others; index++) {
    await add(`none-${index}`, { ...webhook(`none-${index}`), filter: nothing(index) });
  }
  for (let index = 0; index < polling; index++) {
    const token = await add(`poll-${index}`, { filter: nothing(index) });
    void poll(`${address}/bot${token}/getUpdates?timeout=50`, clients.signal);
  }
  return {
    async remove() {
      clients.abort();
      for (const id of ids) await call(address, `bots/apps/delete?id=${id}`);
    },
  };
}

/** Returns realistic filters that match none of the benchmark's updates. */
function nothing(index: number): object {
  const filters = [
    { commands: ['/order', '/cancel'] },
    { chat_ids: [-1_001_234_567_890 - index] },
    { keywords: ['refund', 'money back'] },
    { callback_prefixes: [`buy:${index}`] },
    { kinds: ['message'], chat_types: ['group', 'supergroup'] },
  ];
  return filters[index % filters.length] as object;
}

async function poll(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await fetch(url, { signal }).catch(() => undefined);
    await answer?.text().catch(() => '');
  }
}

async function call<T>(address: string, action: string, body: object = {}): Promise<T> {
  const answer = await fetch(`${address}/api/${action}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${action} gave ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Sums up all threads; finer than the hundredths of a second that `cpuSeconds` reads. */
function processorMicroseconds({ pid }: ChildProcess): number {
  const nanoseconds = globSync(`/proc/${pid}/task/*/schedstat`).map((file) =>
    Number(readFileSync(file, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, value) => sum + value, 0) / 1_000;
}
