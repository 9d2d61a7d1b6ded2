import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DeadLetter, DeliveryAttempt, DeliveryQueues } from '../../src/api-types.ts';
import { command, createMachine } from '../support/command.ts';
import { serve } from '../support/local-server.ts';

/** Bot 1 on a running service, and a backend that rejects updates until `mend` is called. */
async function createDeliveries(env: Record<string, string> = {}) {
  const machine = await createMachine();
  Object.assign(machine.env, env);
  const { json, run, sandbox, token } = machine;
  let status = 500;
  const backend = await serve((request, response) => {
    request.resume();
    response.writeHead(request.method === 'HEAD' ? 405 : status).end();
  });
  onTestFinished(() => backend.close());
  const service = await machine.startService();
  const forward = ['--backend', `${backend.url}/hook`, '--proxy', 'on'];
  await json(['bots', 'add', '--name', 'Shop', '--token-stdin', ...forward], `${token}\n`);
  const anna = sandbox.createUser({ first_name: 'Anna' });
  const ben = sandbox.createUser({ first_name: 'Ben' });
  return {
    backend,
    json,
    run,
    service,
    queues: { anna: `c${anna.id}`, ben: `c${ben.id}` },
    mend() {
      status = 200;
    },
    /** So many chats that the circuit breaker opens. */
    async openBreaker() {
      for (let n = 0; n < 15; n++) sandbox.say(sandbox.createUser().id, 'shop_bot', 'Hello');
      await vi.waitFor(
        async () => {
          const { backend_status } = await json<DeliveryQueues>(['deliveries', 'queues', '1']);
          expect(backend_status).toBe('paused');
        },
        { interval: 50 },
      );
    },
    say() {
      for (const user of [anna, ben]) sandbox.say(user.id, 'shop_bot', 'Hello');
    },
    /** Both chats wait, with at least this many failed attempts. */
    waiting: (attempts: number) =>
      vi.waitFor(
        async () => {
          const { retry_queues } = await json<DeliveryQueues>(['deliveries', 'queues', '1']);
          expect(retry_queues.map((one) => one.attempts >= attempts)).toEqual([true, true]);
        },
        { interval: 50 },
      ),
    /** Both updates failed after all retries. */
    dead: (...args: string[]) =>
      vi.waitFor(
        async () => {
          const letters = await json<DeadLetter[]>(['deliveries', 'dead', '1', ...args]);
          expect(letters).toHaveLength(2);
          return letters.map(({ id }) => String(id));
        },
        { interval: 50 },
      ),
  };
}

/** The first attempt after this time is the last. */
const impatient = { RELAY_PUSH_GIVE_UP: '1s' };

describe('the command deliveries', () => {
  it('lists attempts and retry queues, and retries them now', async () => {
    const { json, mend, queues, run, say, waiting } = await createDeliveries();
    expect((await run(['deliveries', 'list', '1'])).stdout).toBe(
      'No attempts yet for bot 1. Check the backend with "bot-relay deliveries check 1".\n',
    );
    expect((await run(['deliveries', 'queues', '1'])).stdout).toBe('No retry queues for bot 1.\n');
    expect((await run(['deliveries', 'retry', '1'])).stdout).toBe('No retry queues for bot 1.\n');
    say();
    await waiting(2);

    const waits = (await run(['deliveries', 'queues', '1'])).stdout;
    expect(waits).toMatch(/^QUEUE +WAITING +ATTEMPTS +NEXT ATTEMPT +LAST ERROR\n/);
    expect(waits).toMatch(
      new RegExp(
        `^${queues.anna} +1 +\\d+ +(?:now|in \\d+ s|waiting for the backend) +answered 500$`,
        'm',
      ),
    );
    const attempts = (await run(['deliveries', 'list', '1', '--failed'])).stdout;
    expect(attempts).toMatch(/^TIME +UPDATE +QUEUE +OUTCOME +RESPONSE +DURATION\n/);
    expect(attempts).toMatch(
      new RegExp(
        `^20\\S+ \\d\\d:\\d\\d:\\d\\d +\\d+ +${queues.ben} +failed +answered 500 +\\d+ ms$`,
        'm',
      ),
    );
    expect(await json(['deliveries', 'list', '1', '--limit', '1'])).toHaveLength(1);
    expect((await run(['deliveries', 'list', '1', '--delivered'])).stdout).toMatch(
      /^No successful attempts yet for bot 1\./,
    );

    const unknown = await run(['deliveries', 'retry', '1', 'c7']);
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toMatch(/no retry queue c7\. .*"bot-relay deliveries queues 1"/);
    const retried = await run(['deliveries', 'retry', '1']);
    expect(retried).toMatchObject({ code: 0, stdout: '2 retry queues of bot 1 are due now.\n' });
    // On a slow machine, the circuit breaker may be open by now.
    expect(retried.stderr).toMatch(
      /^(Backend down: .*\n)?See the result with "bot-relay deliveries list 1"\.\n$/,
    );
    mend();
    // The request before may have come too early.
    await run(['deliveries', 'retry', '1']);
    await vi.waitFor(
      async () => {
        const list = ['deliveries', 'list', '1', '--delivered'];
        expect(await json<DeliveryAttempt[]>(list)).toHaveLength(2);
      },
      { interval: 50 },
    );
    expect((await run(['deliveries', 'list', '1'])).stdout).toMatch(/ delivered +answered 200 /);
  });

  it('lists updates with what became of each, and shows one as a command', async () => {
    const { json, mend, queues, run, say } = await createDeliveries();
    mend();
    say();
    await vi.waitFor(
      async () => {
        const list = ['deliveries', 'updates', '1'];
        const { updates } = await json<{ updates: { state: string }[] }>(list);
        expect(updates.map(({ state }) => state)).toEqual(['delivered', 'delivered']);
      },
      { interval: 50 },
    );
    const anna = queues.anna.slice(1);
    const { stdout } = await run(['deliveries', 'updates', '1', '--search', anna]);
    expect(stdout).toMatch(/^POSITION +TIME +FROM +TEXT +STATE +ATTEMPTS +RESPONSE\n/);
    expect(stdout).toMatch(/ Anna +Hello +delivered +1 +200\n$/);
    expect((await run(['deliveries', 'show', '1', '1', '--curl'])).stdout).toMatch(
      /^curl -X POST 'http:/,
    );
    expect((await run(['deliveries', 'updates', '1', '--state', 'failed'])).stdout).toBe(
      'No updates match.\n',
    );
  });

  it('does not advise to check a backend that is not there', async () => {
    const machine = await createMachine();
    await machine.json(['bots', 'add', '--token-stdin'], machine.token);
    await machine.json(['apps', 'add', '1', 'orders']);
    for (const app of [[], ['--app', 'orders']]) {
      const { stdout } = await machine.run(['deliveries', 'list', '1', ...app]);
      expect(stdout).toMatch(/^No attempts yet for .*bot 1\. It has no backend\.\n$/);
    }
  });

  it('says that one update is tried first while the circuit breaker is open', async () => {
    const { openBreaker, run } = await createDeliveries();
    await openBreaker();
    expect((await run(['deliveries', 'retry', '1'])).stderr).toMatch(
      /^Backend down: one update is tried first/,
    );
  });

  it('retries one queue, also before the service starts', async () => {
    const { json, queues, run, say, service, waiting } = await createDeliveries();
    say();
    await waiting(1);
    await service.close();
    const retry = ['deliveries', 'retry', '1', queues.anna];
    expect(await run(retry)).toEqual({
      code: 0,
      stdout: '1 retry queue of bot 1 is due now.\n',
      stderr: 'No service is running. Start it with "bot-relay start" to deliver.\n',
    });
    expect(await json(retry)).toEqual({ queues: 1 });
  });

  it('lists, replays and discards dead letters', async () => {
    const { dead, json, mend, run, say } = await createDeliveries(impatient);
    const list = ['deliveries', 'dead', '1'];
    expect((await run(list)).stdout).toBe('No dead letters for bot 1.\n');
    say();
    const [second = '', first = ''] = await dead();
    const table = (await run(list)).stdout;
    expect(table).toMatch(/^ID +SINCE +UPDATE +TYPE +QUEUE +ATTEMPTS +LAST ERROR +STATE\n/);
    expect(table).toMatch(
      new RegExp(`^${first} +20\\S+ \\S+ +\\d+ +message +c\\d+ +\\d+ +answered 500$`, 'm'),
    );
    expect((await run(['doctor'])).stdout).toMatch(
      /^warn {2}bot 1 .*: dead letters: 2 → "bot-relay deliveries dead 1", then replay or discard/m,
    );
    expect((await run(['deliveries', 'queues', '1'])).stderr).toMatch(
      /^Dead letters: 2\. List them with "bot-relay deliveries dead 1"\.$/m,
    );

    mend();
    expect(await run(['deliveries', 'replay', '1', first, '999'])).toEqual({
      code: 0,
      stdout: 'Queued 1 dead letter of bot 1 for another delivery.\n',
      stderr:
        'Skipped 1 ID: not a dead letter here, or already queued.\nSee the result with "bot-relay deliveries list 1".\n',
    });
    await vi.waitFor(async () => expect(await json(list)).toMatchObject([{ id: Number(second) }]), {
      interval: 50,
    });
    expect((await run(['deliveries', 'list', '1'])).stdout).toMatch(/ delivered \(replay\) /);

    expect(await run(['deliveries', 'discard', '1', second, first, '999'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'bot-relay: This deletes 1 dead letter of bot 1. Confirm with --yes.\n',
    });
    expect(await run(['deliveries', 'discard', '1', second, '999', '--yes'])).toEqual({
      code: 0,
      stdout: 'Discarded 1 dead letter of bot 1.\n',
      stderr: 'Skipped 1 ID: not a dead letter here.\n',
    });
    for (const action of [['replay'], ['discard', '--yes'], ['discard']]) {
      const gone = await run(['deliveries', ...action, '1', second]);
      expect(gone).toMatchObject({ code: 1, stdout: '' });
      expect(gone.stderr).toMatch(/no dead letters with these IDs\. .*deliveries dead 1"/);
    }
  });

  it('replays and discards all dead letters', async () => {
    const { dead, json, run, say } = await createDeliveries(impatient);
    const none = await run(['deliveries', 'replay', '1', '--all-dead']);
    expect(none).toEqual({ code: 0, stdout: 'No dead letters to replay for bot 1.\n', stderr: '' });
    expect((await run(['deliveries', 'discard', '1', '--all-dead'])).stdout).toBe(
      'No dead letters for bot 1.\n',
    );
    say();
    await dead();
    const unconfirmed = await run(['deliveries', 'discard', '1', '--all-dead']);
    expect(unconfirmed.stderr).toMatch(/deletes 2 dead letters of bot 1\. Confirm with --yes/);
    expect(await json(['deliveries', 'replay', '1', '--all-dead'])).toEqual({ queued: 2, next: 0 });
    // They stay dead letters while they wait, and when they fail once more.
    await dead();
    const discard = ['deliveries', 'discard', '1', '--all-dead', '--yes'];
    expect((await run(discard)).stdout).toBe('Discarded 2 dead letters of bot 1.\n');
  });

  it('checks a backend, and fails where that fails', async () => {
    const { backend, json, mend, run } = await createDeliveries();
    const check = ['deliveries', 'check', '1'];
    const reached = await run(check);
    expect(reached).toMatchObject({ code: 0, stderr: '' });
    expect(reached.stdout).toMatch(
      /^The backend of bot 1 can be reached: answered 405 in \d+ ms\.\n$/,
    );
    const rejected = await run([...check, '--send']);
    expect(rejected).toMatchObject({ code: 1, stderr: '' });
    expect(rejected.stdout).toMatch(/rejects the test update: answered 500 \(\d+ ms\)\.\n$/);
    mend();
    expect((await run([...check, '--send'])).stdout).toMatch(/accepts updates: answered 200 in /);
    expect(await json([...check, '--send'])).toMatchObject({ accepted: true, status: 200 });
    await backend.close();
    const unreachable = await run(check);
    expect(unreachable.stdout).toMatch(/^The backend of bot 1 cannot be reached: connection /);
    expect(unreachable.code).toBe(1);
    await json(['bots', 'update', '1', '--backend', '', '--proxy', 'off']);
    expect(await run(check)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^bot-relay: Bot 1 has no backend\. Set one with "bot-relay/),
    });
  });

  it('does the same for an app', async () => {
    const { backend, dead, json, mend, run, say } = await createDeliveries(impatient);
    await json(['apps', 'add', '1', 'orders']);
    const ofApp = ['1', '--app', 'orders'];
    expect(await run(['deliveries', 'check', ...ofApp])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /App orders of bot 1 has no backend\. .*"bot-relay apps update 1 orders --mode webhook /,
      ),
    });
    const webhook = ['--mode', 'webhook', '--backend', `${backend.url}/orders`];
    await json(['apps', 'update', '1', 'orders', ...webhook]);
    expect((await run(['deliveries', 'check', ...ofApp])).stdout).toMatch(
      /^The backend of app orders of bot 1 can be reached: /,
    );
    expect((await run(['deliveries', 'queues', ...ofApp])).stdout).toBe(
      'No retry queues for app orders of bot 1.\n',
    );
    say();
    await dead('--app', 'orders');
    mend();
    expect(await run(['deliveries', 'replay', ...ofApp, '--all-dead'])).toEqual({
      code: 0,
      stdout: 'Queued 2 dead letters of app orders of bot 1 for another delivery.\n',
      stderr: 'See the result with "bot-relay deliveries list 1 --app orders".\n',
    });
  });

  it('knows no other bots and apps', async () => {
    const { run } = await createDeliveries();
    const all = ['--all-dead'];
    for (const [name = '', ...args] of [
      ['list'],
      ['queues'],
      ['dead'],
      ['retry'],
      ['replay', ...all],
      ['discard', ...all],
      ['check'],
    ]) {
      expect(await run(['deliveries', name, '9', ...args])).toEqual({
        code: 1,
        stdout: '',
        stderr: 'bot-relay: Unknown bot 9. List bots with "bot-relay bots list".\n',
      });
      expect(await run(['deliveries', name, '1', '--app', 'x', ...args])).toEqual({
        code: 1,
        stdout: '',
        stderr: 'bot-relay: Bot 1 has no app x. List apps with "bot-relay apps list 1".\n',
      });
    }
  });

  it('takes a limit of at most 200', async () => {
    const { json, run, token } = await createMachine();
    await json(['bots', 'add', '--token-stdin'], `${token}\n`);
    expect(await run(['deliveries', 'list', '1', '--limit', '201'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'bot-relay: --limit must be at most 200.\n',
    });
  });

  it.each<[string[], RegExp]>([
    [['list'], /<bot> is missing\. See "bot-relay deliveries list --help"/],
    [['list', 'shop'], /"shop" is not a valid <bot>: it must be a whole number/],
    [['list', '1', '--failed', '--delivered'], /Use --failed or --delivered, not both\./],
    [['list', '1', '--limit', '0'], /--limit cannot be "0": .* at least 1/],
    [['dead', '1', '--app', 'a b'], /--app cannot be "a b": use 1 to 64 letters/],
    [['replay', '1'], /either IDs from "bot-relay deliveries dead 1" or --all-dead\./],
    [['replay', '1', '2', '--all-dead'], /either IDs from .* or --all-dead\./],
    [['replay', '1', '2', 'x'], /"x" is not a valid <id>: it must be a whole number/],
    [['discard', '1', '--app', 'x', '--yes'], /"bot-relay deliveries dead 1 --app x" or /],
  ])('says in one line what is wrong with %j', async (args, expected) => {
    const { code, stdout, stderr } = await command(['deliveries', ...args], {
      env: { RELAY_DATA_DIR: '/nowhere' },
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(expected);
  });
});
