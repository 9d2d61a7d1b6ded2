/*
 * Measures what a message costs where a feature is used, against bots of the same service that use
 * none: open questions, a delivery queue for each topic, and a desk. The groups take turns. A desk
 * comes last, as its topics open within Telegram's limits and so go on for long after a flood.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  addBots,
  adminKey,
  end,
  median,
  pause,
  startPlatform,
  startService,
  startSink,
} from './relay/parts.ts';
import { flood } from './relay/pipeline.ts';
import type { BenchOptions, BenchRow } from './run.ts';

const botsPerGroup = 10;
const group = (index: number) =>
  Array.from({ length: botsPerGroup }, (_, at) => index * botsPerGroup + at + 1);
const groups = {
  'nothing used': group(0),
  'with 100 open questions a bot': group(1),
  'with a queue for each topic': group(2),
  'with a desk': group(3),
};
type Group = keyof typeof groups;
const baseline: Group = 'nothing used';
const last: Group = 'with a desk';
const questionsPerBot = 100;
const perBot = 3_000;
const warmUpPerBot = 15_000;

export async function run(options: BenchOptions): Promise<BenchRow[]> {
  const rounds = Number(options.rounds ?? 9);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-bench-'));
  const platform = await startPlatform(1_000, groups['with a queue for each topic']);
  const sink = await startSink();
  try {
    await addBots(folder, Object.values(groups).flat(), sink.url);
    const { child, address } = await startService(folder, platform.url, {
      env: { RELAY_RATE_PER_KEY: '1000000' },
    });
    try {
      await turnOn(address);
      const micros = new Map<Group, number[]>();
      const measure = async (name: Group) => {
        const stage = { children: [child], platform, sink };
        const known = micros.get(name) ?? [];
        micros.set(name, [...known, (await flood(stage, groups[name], perBot)).micros]);
        await pause(1_000);
      };
      await flood({ children: [child], platform, sink }, groups[baseline], warmUpPerBot);
      const inTurns = (Object.keys(groups) as Group[]).filter((name) => name !== last);
      for (let round = 0; round < rounds; round++) {
        for (const name of inTurns) await measure(name);
      }
      for (let round = 0; round < rounds; round++) await measure(last);
      return rows(micros);
    } finally {
      await end(child, 'SIGKILL');
    }
  } finally {
    sink.close();
    platform.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the processor time of each group, and how much more that is than without any feature. */
function rows(micros: Map<Group, number[]>): BenchRow[] {
  const least = median(micros.get(baseline) ?? []);
  return [...micros].map(([name, values]) => ({
    name: `push, ${name}`,
    value: Math.round(median(values)),
    unit: `µs of processor an update (${Math.round((median(values) / least - 1) * 100)} % more)`,
  }));
}

async function turnOn(address: string): Promise<void> {
  const ask = async <T>(what: string, body?: object): Promise<T> => {
    const answer = await fetch(`${address}/api/${what}`, {
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    if (!answer.ok) throw new Error(`${what} gave ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const known = await ask<{ id: number; name: string }[]>('bots');
  const idsOf = (name: Group) =>
    groups[name].map((number) => known.find((bot) => bot.name === `Bot ${number}`)?.id ?? 0);
  for (const bot_id of idsOf('with 100 open questions a bot')) {
    for (let at = 0; at < questionsPerBot; at++) {
      // They wait in chats that nobody writes in.
      await ask('ask', { bot_id, chat_id: 5_000_000 + at, text: 'Which tea?' });
    }
  }
  for (const id of idsOf('with a queue for each topic')) {
    await ask('bots/update', { id, per_topic: true });
  }
  for (const id of idsOf('with a desk')) {
    const chat_id = -1_000_000_000_000 - id;
    await ask('desks/add', { name: `Desk ${id}`, desk_bot_id: id, chat_id, bot_ids: [id] });
  }
}
