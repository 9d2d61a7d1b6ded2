import { expect, it } from 'vitest';
import { createMachine } from '../support/command.ts';

it('replies adds, lists, updates and deletes saved replies', async () => {
  const { json, run, token } = await createMachine();
  await json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${token}\n`);
  const list = async (...options: string[]) =>
    (await json(['replies', 'list', ...options])) as unknown as object[];
  const change = async (...words: string[]) => (await run(['replies', ...words])).stdout.trim();
  expect((await run(['replies', 'list'])).stdout).toContain('No saved replies yet.');
  const added = await change('add', 'refund', 'Hello {first_name}', '--bot', '1');
  expect(added).toBe('Added saved reply 1: /refund');
  await change('add', 'bye', 'Goodbye');
  expect((await run(['replies', 'list'])).stdout).toMatch(/1 +refund +1 +0 .+Hello \{first_name\}/);

  expect(await change('update', '1', '--text', 'Hi')).toBe('Changed saved reply 1: /refund');
  expect(await list('--bot', '1')).toMatchObject([
    { id: 2, name: 'bye', bot_id: 0 },
    { id: 1, name: 'refund', bot_id: 1, text: 'Hi' },
  ]);
  expect(await change('update', '1', '--name', 'money', '--bot', 'all')).toBe(
    'Changed saved reply 1: /money',
  );
  expect((await list()).find((reply) => 'id' in reply && reply.id === 1)).toMatchObject({
    name: 'money',
    bot_id: 0,
    text: 'Hi',
  });

  for (const [words, problem] of [
    [['update', '1'], 'Nothing to change. Use --name, --text or --bot.'],
    [['update', '1', '--name', 'bye'], 'bye'],
    [['update', '9', '--text', 'x'], '"bot-relay replies list"'],
    [['update', '1', '--bot', 'none'], 'whole number'],
  ] as const) {
    const { code, stderr } = await run(['replies', ...words]);
    expect(code, words.join(' ')).toBeGreaterThan(0);
    expect(stderr).toContain(problem);
  }

  expect(await change('delete', '1')).toBe('Deleted saved reply 1: /money');
  expect(await list()).toMatchObject([{ id: 2 }]);
});
