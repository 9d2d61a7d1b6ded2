/*
 * Measures how long turns of the event loop are while 100 bots have an app each that is 1,000
 * updates behind: the service has just started, updates go on coming, and the page asks how far the
 * apps are.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  adminKey,
  addBots,
  end,
  median,
  pause,
  startPlatform,
  startService,
} from './relay/parts.ts';
import type { BenchRow } from './run.ts';

const bots = Array.from({ length: 100 }, (_, index) => index + 1);
const behind = 1_000;
const perSecond = 500;
const seconds = 20;
const watchTurns = new URL('watch-turns.ts', import.meta.url).href;

export async function run(): Promise<BenchRow[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-bench-'));
  const platform = await startPlatform();
  try {
    await addBots(folder, bots, '');
    const first = await startService(folder, platform.url, unlimited);
    for (const botId of bots) {
      const body = { bot_id: botId, name: 'slow', filter: { regex: 'refund|money +back' } };
      const { token } = (await ask(first.address, 'api/bots/apps/add', body)) as { token: string };
      await ask(first.address, `bot${token}/getUpdates?timeout=0`);
    }
    const confirmed = platform.news((news) => news.kind === 'confirmed');
    platform.order({ kind: 'flood', bots, perBot: behind });
    await confirmed;
    await end(first.child, 'SIGTERM');
    const file = path.join(folder, 'turns');
    const { child, address } = await startService(folder, platform.url, {
      env: { ...unlimited.env, TURNS_FILE: file, NODE_OPTIONS: `--import=${watchTurns}` },
    });
    /** Returns the longest turn since the last call. */
    const longestTurn = async () => {
      rmSync(file, { force: true });
      child.kill('SIGUSR2');
      while (!existsSync(file) || readFileSync(file, 'utf8') === '') await pause(10);
      return Number(readFileSync(file, 'utf8'));
    };
    try {
      await longestTurn();
      // The first answers load and compile code, once; the others show what is behind.
      await ask(address, 'api/bots/apps?bot_id=1');
      await ask(address, 'api/attention');
      const first = Math.round(await longestTurn());
      platform.order({ kind: 'rate', bots, perSecond, seconds });
      const longest: number[] = [];
      for (let second = 0; second < seconds; second++) {
        const from = performance.now();
        for (const botId of bots) await ask(address, `api/bots/apps?bot_id=${botId}`);
        await ask(address, 'api/attention');
        await pause(Math.max(0, 1_000 - (performance.now() - from)));
        longest.push(await longestTurn());
      }
      const most = Math.round(Math.max(...longest));
      return [
        { name: 'longest turn of the first answers', value: first, unit: 'ms' },
        {
          name: 'longest turn of a second, median',
          value: Math.round(median(longest)),
          unit: 'ms',
        },
        { name: 'longest turn', value: most, unit: 'ms', mark: '<= 50', ok: most <= 50 },
      ];
    } finally {
      await end(child, 'SIGKILL');
    }
  } finally {
    platform.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const unlimited = { env: { RELAY_RATE_PER_KEY: '1000000' } };

async function ask(address: string, what: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${address}/${what}`, {
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${what} gave ${answer.status}: ${text}`);
  return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text;
}
