import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSandbox } from '../../sandbox/src/sandbox.ts';

const chatterScript = fileURLToPath(new URL('support/chatter.ts', import.meta.url));

/** As docs/sandbox-reference.md says. */
const lostAtMostMs = 5_000;

async function chatter(file: string) {
  const child = spawn(process.execPath, [chatterScript, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  await once(child.stdout, 'data');
  child.stdout.resume();
  return kill;
}

async function world(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sandbox-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return path.join(folder, 'world.json');
}

test('killed at any moment, it leaves a world that is whole and recent', async () => {
  const file = await world();
  let known = 0;
  for (const waitMs of [0, 130, 290]) {
    const kill = await chatter(file);
    const talkingSince = Date.now();
    const isWritten = async () => expect((await stat(file)).mtimeMs).toBeGreaterThan(talkingSince);
    await vi.waitFor(isWritten, { interval: 10 });
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    await kill();
    const killedAt = Date.now();

    const sandbox = createSandbox();
    // The lock went with the process that held it.
    await sandbox.persistTo(file);
    const [bot] = sandbox.world.state.bots.values();
    const [ann] = sandbox.world.state.users.values();
    const messages = [
      ...(sandbox.world.state.rooms.values().next().value?.messages.values() ?? []),
    ];
    expect(messages.length).toBeGreaterThan(known);
    expect(Number(messages.at(-1)?.content.text)).toBeGreaterThan(killedAt - lostAtMostMs);
    // Every message in a pending update exists: writing during the talk left nothing incomplete.
    const ids = new Set(messages.map(({ id }) => id));
    const delivered = [...(bot?.updates.values() ?? [])].map(
      ({ body }) => (JSON.parse(`{${body}}`) as { message: { message_id: number } }).message,
    );
    expect(delivered.filter(({ message_id }) => !ids.has(message_id))).toEqual([]);
    expect(delivered).toHaveLength(ids.size);
    known = messages.length;
    sandbox.say(ann?.id ?? 0, bot?.id ?? 0, String(Date.now()));
    await sandbox.close();
  }
});

test('a second sandbox is refused while the first one runs, and does not touch the file', async () => {
  const file = await world();
  const kill = await chatter(file);
  const second = createSandbox();
  onTestFinished(() => second.close());
  second.createBot({ username: 'intruding_bot' });
  await expect(second.persistTo(file)).rejects.toThrow('another sandbox uses it');
  await second.close();
  await kill();
  expect(await readFile(file, 'utf8').catch(() => '')).not.toContain('intruding_bot');

  const third = createSandbox();
  await third.persistTo(file);
  await expect(createSandbox().persistTo(file)).rejects.toThrow('another sandbox');
  await third.close();
  const fourth = createSandbox();
  await fourth.persistTo(file);
  await fourth.close();
});
