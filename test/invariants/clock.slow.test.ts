import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { message } from './support/held-platform.ts';
import { addBot, createStage } from './support/stage.ts';

const token = '7901:AAclock';
const preload = new URL('./support/shifted-clock.mjs', import.meta.url).href;
// Far below the smallest step, and far above the delays of a slow machine.
const soonMs = 15_000;

describe.each(dialects)('a wall clock that is set back on %s', { timeout: 60_000 }, (dialect) => {
  it('stops neither intake nor delivery, sending and heartbeats', async () => {
    const { database, platform, sink, start } = await createStage(dialect);
    const file = path.join(database.dataDir, 'clock-shift');
    writeFileSync(file, '0');
    const service = await start({ NODE_OPTIONS: `--import ${preload}`, CLOCK_SHIFT_FILE: file });
    const until = (check: () => Promise<void> | void) =>
      vi.waitFor(check, { timeout: soonMs, interval: 20 });
    const bot = await addBot(service, { token, proxy_enabled: true, backend_url: sink.url });
    let dealt = 0;
    async function receive(): Promise<void> {
      platform.deal(token, message(++dealt, 5));
      await until(() => expect(sink.arrivals.length).toBe(dealt));
    }
    const send = () =>
      service.call('/api/messages/send', { bot_id: bot.id, chat_id: 5, text: 'hello' });
    const engine = dialect === 'postgres' ? await database.open() : undefined;
    onTestFinished(async () => engine?.close());
    async function heartbeats(): Promise<number> {
      const [node] = (await engine?.readRaw<{ beat: number }>('select beat from nodes', [])) ?? [];
      return node?.beat ?? 0;
    }

    await receive();
    for (let count = 0; count < 3; count++) await send();
    for (const shiftMs of [-60_000, -3 * 3_600_000]) {
      await until(() => expect(platform.isPolled(token)).toBe(true));
      writeFileSync(file, String(shiftMs));
      await until(() => expect(readFileSync(`${file}.seen`, 'utf8')).toBe(String(shiftMs)));
      const before = await heartbeats();
      const startedAt = performance.now();
      // The first ends the poll that spans the step, the next needs another poll.
      await receive();
      await receive();
      await send();
      expect(performance.now() - startedAt).toBeLessThan(soonMs);
      if (engine) await until(async () => expect(await heartbeats()).toBeGreaterThan(before));
    }
    expect((await service.request('/readyz')).status).toBe(200);
  });
});
