import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { seeded } from '../support/seeded.ts';
import { message } from './support/held-platform.ts';
import { addBot, createStage } from './support/stage.ts';

interface Line {
  bot_id: number;
  position: number;
  update: { update_id: number };
}

const seed = Number(process.env['SIGKILL_SEED'] ?? 20_260_714);
const kills = 3;
const tokens = ['7501:AAexport_one', '7502:AAexport_two'];

describe.each(dialects)('invariant 4 for the export on %s', (dialect) => {
  it('killed in the middle of a line or before its commit: none is missing', async () => {
    const { platform, start } = await createStage(dialect);
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const random = seeded(seed);
    const dealt = new Map(tokens.map((token) => [token, 0]));
    let isDealing = true;
    platform.beforePoll = (token) => {
      for (let count = 0; isDealing && platform.held(token) < 50 && count < 50; count++) {
        const id = (dealt.get(token) as number) + 1;
        dealt.set(token, id);
        platform.deal(token, message(id, 11, 'x'.repeat(Math.floor(random() * 3_000))));
      }
    };
    const files = () =>
      readdirSync(folder.path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath, entry.name));
    const size = () => files().reduce((sum, file) => sum + statSync(file).size, 0);

    let service = await start({ RELAY_EXPORT_DIR: folder.path });
    const bots = new Map<number, string>();
    for (const token of tokens) {
      bots.set((await addBot(service, { token, source: 'web', name: token })).id, token);
    }
    for (let killed = 0; killed < kills; killed++) {
      const before = size();
      await vi.waitFor(() => expect(size()).toBeGreaterThan(before + 100_000), {
        interval: 20,
      });
      await pause(random() * 50);
      await service.crash();
      service = await start({ RELAY_EXPORT_DIR: folder.path });
    }
    isDealing = false;
    await vi.waitFor(
      async () => {
        for (const [id, token] of bots) {
          const { log_end, readers } = await service.call<{
            log_end: number;
            readers: { reader: string; position: number; active: boolean }[];
          }>(`/api/bots/readers?bot_id=${id}`);
          expect(log_end).toBe(dealt.get(token));
          expect(readers).toMatchObject([{ reader: 'export', position: log_end, active: true }]);
        }
      },
      { interval: 100 },
    );

    for (const [id, token] of bots) {
      const own = files().filter(
        (file) => path.dirname(file) === path.join(folder.path, String(id)),
      );
      const lines = own
        .flatMap((file) => readFileSync(file, 'utf8').split('\n').filter(Boolean))
        .map((line) => JSON.parse(line) as Line);
      expect(lines.every(({ bot_id }) => bot_id === id)).toBe(true);
      const byPosition = new Map(lines.map(({ position, update }) => [position, update.update_id]));
      const all = Array.from({ length: dealt.get(token) as number }, (_, index) => index + 1);
      expect([...byPosition.keys()].sort((a, b) => a - b)).toEqual(all);
      expect(all.map((position) => byPosition.get(position))).toEqual(all);
    }

    // Switched off, it leaves no reader behind.
    await service.stop();
    service = await start();
    for (const id of bots.keys()) {
      expect(await service.call(`/api/bots/readers?bot_id=${id}`)).toMatchObject({ readers: [] });
    }
    expect((await service.stop()).code).toBe(0);
  });
});
