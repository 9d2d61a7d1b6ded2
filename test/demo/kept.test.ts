import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDemo } from '../../src/demo/demo.ts';
import { createMachine } from '../support/command.ts';
import { temporaryFolder } from '../support/relay-process.ts';

const start = (dataDir: string, port = 0) =>
  startDemo({ settings: { port, logLevel: 'silent' }, dataDir, pauseMs: 0 });

describe('the directory of a demo', () => {
  it('is none that holds the data of a service', async () => {
    const machine = await createMachine();
    const dataDir = machine.env['RELAY_DATA_DIR'] ?? '';
    await machine.json(['bots', 'add', '--token-stdin'], `${machine.token}\n`);
    await expect(start(dataDir)).rejects.toMatchObject({
      code: 'bad_setting',
      message: expect.stringMatching(/^--data: .* contains data of a service, not of a demo\. /),
    });
    expect(await machine.json<unknown[]>(['bots', 'list'])).toHaveLength(1);
  });

  it('is known again after a first start that failed', async () => {
    const folder = temporaryFolder();
    const busy = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => busy.once('listening', resolve));
    onTestFinished(() => {
      busy.close();
      folder.remove();
    });
    const dataDir = path.join(folder.path, 'kept');
    const { port } = busy.address() as { port: number };
    await expect(start(dataDir, port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    const demo = await start(dataDir);
    demo.filled.catch(() => {});
    await demo.close();
    expect(demo.signIn.password).toHaveLength(12);
  });
});
