import { Pool } from 'undici';
import { createSandbox } from '../sandbox/src/index.ts';
import type { BenchRow } from './run.ts';

const sendCount = 20_000;
const pollCount = 1000;

/** Measures 20,000 sends at full speed, while 1,000 bots wait in long polls that are then all woken. */
export async function run(): Promise<BenchRow[]> {
  const sandbox = createSandbox({ seed: 1 });
  const { url } = await sandbox.listen();
  const user = sandbox.createUser();
  const bot = sandbox.createBot();
  sandbox.say(user, bot, '/start');
  const waiters = Array.from({ length: pollCount }, () => sandbox.createBot());
  const polls = new Pool(url, { connections: pollCount, headersTimeout: 0 });
  const sends = new Pool(url, { connections: 32 });
  let errors = 0;

  const call = async (
    pool: Pool,
    token: string,
    method: string,
    body: object,
  ): Promise<unknown> => {
    const response = await pool.request({
      method: 'POST',
      path: `/bot${token}/${method}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = (await response.body.json()) as { ok: boolean; result: unknown };
    if (!answer.ok) errors += 1;
    return answer.result;
  };

  try {
    const waiting = waiters.map((one) => call(polls, one.token, 'getUpdates', { timeout: 50 }));
    while (!waiters.every((one) => sandbox.isPolled(one.id))) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    let next = 0;
    const startedAt = performance.now();
    const worker = async (): Promise<void> => {
      while (next < sendCount) {
        const text = `message ${next++}`;
        await call(sends, bot.token, 'sendMessage', { chat_id: user.id, text });
      }
    };
    await Promise.all(Array.from({ length: 32 }, worker));
    const sendSeconds = (performance.now() - startedAt) / 1000;

    const wokenAt = performance.now();
    for (const one of waiters) sandbox.say(user, one, 'wake up');
    const batches = (await Promise.all(waiting)) as unknown[][];
    const wakeMs = performance.now() - wokenAt;
    if (batches.some((batch) => batch.length !== 1)) errors += 1;
    const perMinute = Math.round((sendCount / sendSeconds) * 60);
    return [
      {
        name: 'sandbox sendMessage',
        value: perMinute,
        unit: 'calls/min',
        mark: 'at least 20,000',
        ok: perMinute >= 20_000,
      },
      {
        name: `sandbox ${pollCount} waiting getUpdates woken`,
        value: Math.round(wakeMs),
        unit: 'ms',
      },
      { name: 'sandbox errors', value: errors, unit: 'errors', mark: 'none', ok: errors === 0 },
    ];
  } finally {
    await Promise.all([polls.close(), sends.close()]);
    await sandbox.close();
  }
}
