import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { embedSandbox } from '../../src/main/sandbox.ts';
import { createDatabase } from '../support/database/engines.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

it('a practice bot hears on after the service was killed', async () => {
  const database = await createDatabase('sqlite');
  onTestFinished(() => database.drop());
  const start = () => startServiceProcess(database, { RELAY_SANDBOX: 'on' });
  const say = (service: ServiceProcess, text: string) =>
    service.call('/api/sandbox/say', { user: 'ann', chat: 'deaf_bot', text });
  let chatQuery = '';
  const received = (service: ServiceProcess, texts: string[]) =>
    vi.waitFor(
      async () => {
        const messages = await service.call<{ text: string }[]>(`/api/messages?${chatQuery}`);
        expect(messages.map(({ text }) => text).toSorted()).toEqual(texts);
      },
      { interval: 20 },
    );

  const first = await start();
  const bot = await first.call<{ token: string }>('/api/sandbox/bots', { username: 'deaf_bot' });
  const ann = await first.call<{ id: number }>('/api/sandbox/users/create', {
    first_name: 'Ann',
    username: 'ann',
  });
  const added = await first.call<{ id: number }>('/api/bots/add', { token: bot.token });
  chatQuery = `bot_id=${added.id}&chat_id=${ann.id}`;
  const kept = path.join(database.dataDir, 'sandbox.json');
  await vi.waitFor(async () => expect(await readFile(kept, 'utf8')).toContain('ann'), {
    interval: 20,
  });
  await say(first, 'before the crash');
  // The relay has it, but the sandbox has not written it yet.
  await received(first, ['before the crash']);
  await first.crash();

  const second = await start();
  await say(second, 'after the crash');
  await received(second, ['after the crash', 'before the crash']);
});

it('a world that cannot be read is named, with the ways out', async () => {
  const database = await createDatabase('sqlite');
  onTestFinished(() => database.drop());
  const { dataDir } = database;
  const file = path.join(dataDir, 'sandbox.json');
  await writeFile(file, '{"version":1,"random":');
  const backends = { mode: 'private-ok' as const, allow: [] };
  const embedding = embedSandbox({ dataDir, backends }, { ownPort: false });
  await expect(embedding).rejects.toThrow(
    /sandbox\.json: .+ Move the file away .+ RELAY_SANDBOX=off/u,
  );
  await expect(embedding).rejects.toMatchObject({ reason: { code: 'sandbox_file_unreadable' } });
  expect(await readFile(file, 'utf8')).toBe('{"version":1,"random":');
});
