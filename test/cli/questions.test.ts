import { expect, it, vi } from 'vitest';
import { createMachine } from '../support/command.ts';
import { createJumpingClock } from '../support/rigs/jumping-clock.ts';

it('asks a person, waits, and tells the answer by the exit code', async () => {
  const { json, run, sandbox, startService, token } = await createMachine();
  await json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${token}\n`);
  const asleep = await run(['ask', '1', '42', 'Deploy?']);
  expect(asleep).toMatchObject({ code: 2, stderr: expect.stringContaining('No service runs') });
  await startService();
  const anna = sandbox.createUser({ first_name: 'Anna' });
  sandbox.say(anna.id, 'shop_bot', '/start');
  /** Asks, does something when the question is there, and returns what the command printed. */
  async function ask(text: string, more: string[], then: (messageId: number) => unknown) {
    const asking = run(['ask', '1', String(anna.id), text, ...more]);
    await vi.waitFor(
      async () => {
        const last = sandbox.history(anna.id, 'shop_bot').at(-1)?.message;
        expect(last?.text).toBe(text);
        const [open] = await json<{ send_state: string }[]>(['questions', 'list']);
        expect(open?.send_state).toBe('sent');
        await then(last?.message_id ?? 0);
      },
      { interval: 20 },
    );
    return asking;
  }
  const buttons = ['--option', 'Yes', '--option', 'No', '--option', 'Later'];
  const press = (name: string) => (id: number) => sandbox.press(anna.id, 'shop_bot', id, name);
  const yes = await ask('Deploy?', buttons, press('Yes'));
  expect(yes).toMatchObject({ code: 0, stdout: 'Yes\n' });
  expect(yes.stderr).toMatch(/^Question \d+ is open\. Waiting for the answer\.\n$/);
  expect(await ask('Sure?', buttons, press('No'))).toMatchObject({ code: 12, stdout: 'No\n' });
  expect(await ask('Really?', buttons, press('Later'))).toMatchObject({
    code: 13,
    stdout: 'Later\n',
  });
  const free = await ask('Why?', [], () => sandbox.say(anna.id, 'shop_bot', 'Because.'));
  expect(free).toMatchObject({ code: 0, stdout: 'Because.\n' });

  const cancelled = await ask('Now?', buttons, async () => {
    const [open] = await json<{ id: number }[]>(['questions', 'list', '--bot', '1']);
    const id = String(open?.id);
    expect((await run(['questions', 'cancel', id])).stdout).toBe(`Question ${id} is cancelled.\n`);
  });
  expect(cancelled).toMatchObject({ code: 4, stdout: expect.stringMatching(/is cancelled\.\n$/) });
  const asked = await run(['ask', '1', String(anna.id), 'Soon?', ...buttons, '--no-wait']);
  expect(asked).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\n$/) });
  const waiting = run(['questions', 'wait', asked.stdout.trim()]);
  await run(['questions', 'cancel', asked.stdout.trim()]);
  expect(await waiting).toMatchObject({ code: 4 });
  const table = (await run(['questions', 'list', '--all'])).stdout.split('\n');
  expect(table[0]).toMatch(/^ID +BOT +CHAT +STATE +EXPIRES +QUESTION +ANSWER$/);
  expect(table[2]).toMatch(/cancelled .* Now\?$/);
  expect(table[4]).toMatch(/answered .* Really\? +Later$/);
  // She never started the other chat.
  const failed = await run(['ask', '1', '-4242', 'Anybody?']);
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('is not sent: ') });
});

it('asks once for each idempotency key, waits over a restart, and tells that a question expired', async () => {
  const { env, json, run, sandbox, startService, token } = await createMachine();
  await json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${token}\n`);
  const clock = createJumpingClock();
  const service = await startService({ clock });
  const anna = sandbox.createUser({ first_name: 'Anna' });
  sandbox.say(anna.id, 'shop_bot', '/start');
  const chat = String(anna.id);
  const options = ['--option', 'Yes', '--option', 'No'];
  const once = (...more: string[]) =>
    run(['ask', '1', chat, 'Deploy?', ...options, '--idempotency-key', 'deploy-1', ...more]);
  const asked = await once('--no-wait');
  expect((await once('--expires', '2h', '--no-wait')).stdout).toBe(asked.stdout);
  const id = asked.stdout.trim();
  const sent = () => json<{ id: number; send_state: string }[]>(['questions', 'list']);
  await expect.poll(sent).toMatchObject([{ id: Number(id), send_state: 'sent' }]);
  const shown = () => sandbox.history(anna.id, 'shop_bot').at(-1)?.message.message_id ?? 0;
  sandbox.press(anna.id, 'shop_bot', shown(), 'No');
  expect(await run(['questions', 'wait', id])).toMatchObject({ code: 12, stdout: 'No\n' });
  // A script that runs once more gets the answer, and asks nobody.
  expect(await once()).toMatchObject({ code: 12, stdout: 'No\n' });
  const other = await run(['ask', '1', chat, 'Other?', '--idempotency-key', 'deploy-1']);
  expect(other).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('with a different request'),
  });

  const late = await run(['ask', '1', chat, 'Late?', ...options, '--expires', '1h', '--no-wait']);
  const waiting = run(['questions', 'wait', late.stdout.trim()]);
  await service.close();
  env['PORT'] = new URL(service.address).port;
  await startService({ clock });
  clock.jump(2 * 3_600_000);
  expect(await waiting).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('is expired'),
    stderr: expect.not.stringContaining('Error'),
  });
});
