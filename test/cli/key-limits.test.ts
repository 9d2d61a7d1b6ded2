import { expect, it } from 'vitest';
import { command, createMachine } from '../support/command.ts';

it('creates a key for some chats and a number of changes per day', async () => {
  const machine = await createMachine();
  await machine.json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${machine.token}\n`);
  const { address } = await machine.startService();
  const create = (...more: string[]) => ['keys', 'create', 'agent', ...more];
  const limits = ['--read-chats', '42,-1001', '--write-chats', '-1001', '--daily-writes', '1'];
  const { key } = await machine.json<{ key: string }>(create('--scope', 'send', ...limits));
  const keys = await machine.json<{ name: string }[]>(['keys', 'list']);
  expect(keys.filter(({ name }) => name === 'agent')).toMatchObject([
    { read_chats: [-1001, 42], write_chats: [-1001], daily_writes: 1 },
  ]);
  const as = { env: { RELAY_URL: address, RELAY_API_KEY: key } };
  const refused = await command(['send', '1', '42', 'Hello', '--json'], as);
  expect(JSON.parse(refused.stderr)).toMatchObject({ code: 'chat_not_allowed' });
  const manages = await machine.run(create('--scope', 'manage', ...limits));
  expect(manages).toMatchObject({ code: 2, stderr: expect.stringContaining('scope') });
  const wrong = await machine.run(create('--read-chats', 'team'));
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--read-chats') });
});
