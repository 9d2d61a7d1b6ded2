import { expect, it, vi } from 'vitest';
import { createMachine } from '../support/command.ts';

interface Broadcast {
  id: number;
  state: string;
  recipients: number;
  stars: number;
  task: string;
}

it('the command drafts, tests, starts, pauses, edits and deletes broadcasts', async () => {
  const machine = await createMachine();
  const { json, run, sandbox, token } = machine;
  await machine.startService();
  const addBot = ['bots', 'add', '--name', 'Shop', '--manage', 'on', '--token-stdin'];
  expect(await run(addBot, `${token}\n`)).toMatchObject({ code: 0, stderr: '' });
  const [ann, ben] = ['Ann', 'Ben'].map((first_name) => sandbox.createUser({ first_name }).id);
  for (const person of [ann, ben]) sandbox.say(person as number, 'shop_bot', '/start');
  await vi.waitFor(async () =>
    expect((await run(['broadcasts', 'count', '1'])).stdout).toBe(
      '2 chats; 0 more are left out.\n',
    ),
  );
  const [shop = 0] = token.split(':').map(Number);
  const texts = (person = 0) =>
    sandbox
      .history(person, shop)
      .flatMap(({ message }) => (message.from?.is_bot ? [message.text] : []));
  const list = () => json<Broadcast[]>(['broadcasts', 'list', '--bot', '1']);
  const ended = (task: string) =>
    vi.waitFor(async () => expect((await list())[0]).toMatchObject({ state: 'done', task }));

  const add = ['broadcasts', 'add', '1', 'News', 'We open at **nine**', '--markdown'];
  const options = ['--opt-out-word', 'stop', '--stop-at', '10', '--seen-days', '30'];
  expect((await run([...add, ...options])).stdout).toBe(
    'Added broadcast 1 for 2 chats. Start it with "broadcasts start 1 --recipients 2".\n',
  );
  expect((await run(['broadcasts', 'test', '1', String(ann)])).stdout).toMatch(
    /^Sent message \d+\.\n$/,
  );
  expect(texts(ann)).toEqual(['We open at nine']);
  const few = await run(['broadcasts', 'start', '1', '--recipients', '1']);
  expect(few).toMatchObject({ code: 1, stderr: expect.stringContaining('2') });
  expect((await run(['broadcasts', 'start', '1', '--recipients', '2'])).stdout).toBe(
    'Started broadcast 1.\n',
  );
  await ended('send');
  expect(texts(ben)).toEqual(['We open at nine']);
  const results = await run(['broadcasts', 'results', '1', '--state', 'sent']);
  expect(results.stdout.split('\n')).toHaveLength(4);
  expect(await run(['broadcasts', 'edit', '1', 'We open at ten'])).toMatchObject({ code: 0 });
  await ended('edit');
  expect(texts(ben)).toEqual(['We open at ten']);
  expect(await run(['broadcasts', 'delete', '1'])).toMatchObject({ code: 2 });
  expect(await run(['broadcasts', 'delete', '1', '--yes'])).toMatchObject({ code: 0 });
  await ended('delete');
  expect(texts(ben)).toEqual([]);

  const paid = await json<Broadcast>(['broadcasts', 'add', '1', 'Sale', 'Sale', '--paid']);
  expect(paid).toMatchObject({ id: 2, stars: 1 });
  const free = ['broadcasts', 'start', '2', '--recipients', '2'];
  expect((await run(free)).stderr).toContain('up to 1 Star');
  expect((await run([...free, '--stars', '1'])).stderr).toContain('needs 10001');
  expect((await run(['broadcasts', 'pause', '2'])).code).toBe(1);
  expect((await run(['broadcasts', 'cancel', '2'])).stdout).toBe('Canceled broadcast 2.\n');
  const media = await run(['broadcasts', 'add', '1', 'Photo', 'Look', '--type', 'photo']);
  expect(media.stderr).toContain('--file-id');
});
