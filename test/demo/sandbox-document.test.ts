import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  controlActions,
  createManualClock,
  createSandbox,
  faultKinds,
} from '../../sandbox/src/index.ts';

const document = readFileSync(new URL('../../docs/sandbox-reference.md', import.meta.url), 'utf8');

/** The rows of the tables whose last cell is an example in JSON. */
function examples(): { action: string; body: string }[] {
  return [...document.matchAll(/^\| `([a-z/-]+)` \|.*\| `(\{.*\})` \|$/gm)].map((row) => ({
    action: row[1] ?? '',
    body: row[2] ?? '',
  }));
}

describe('docs/sandbox-reference.md', () => {
  it('names every action and every fault', () => {
    const named = examples().map(({ action }) => action);
    expect(named.toSorted()).toEqual(Object.keys(controlActions).toSorted());
    for (const kind of faultKinds) expect(document).toContain(`\n| \`${kind}\` |`);
  });

  it('says which actions only read', () => {
    const marked = [...document.matchAll(/^\| `([a-z/-]+)` \| \*GET\*: /gm)].map((row) => row[1]);
    const reading = Object.keys(controlActions).filter((name) => controlActions[name]?.reads);
    expect(marked.toSorted()).toEqual(reading.toSorted());
  });

  it('has examples that work one after the other in the world of the command', async () => {
    const sandbox = createSandbox({ seed: 1 });
    onTestFinished(() => sandbox.close());
    sandbox.createBot({ username: 'practice_bot' });
    sandbox.createUser({ first_name: 'Anna', username: 'anna' });
    const { url } = await sandbox.listen();
    const complete = examples().filter(({ body }) => !body.includes('…'));
    expect(complete.length).toBeGreaterThan(20);
    for (const { action, body } of complete) {
      const response = await fetch(`${url}/sandbox/${action}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect(response.status, `${action}: ${await response.text()}`).toBe(200);
    }
  });

  it('is right about time', async () => {
    const clock = createManualClock();
    const sandbox = createSandbox({ seed: 1, clock });
    onTestFinished(() => sandbox.close());
    const bot = sandbox.createBot({ username: 'tea_bot' });
    sandbox.say(sandbox.createUser(), bot, 'Hello');
    const waiting = () => sandbox.call(bot.token, 'getWebhookInfo');
    expect(await waiting()).toMatchObject({ pending_update_count: 1 });
    clock.advance(24 * 3_600_000);
    expect(await waiting()).toMatchObject({ pending_update_count: 0 });
  });
});
