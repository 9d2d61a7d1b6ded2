import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { sentMessage } from './support/held-platform.ts';
import { addBot, createStage } from './support/stage.ts';

const token = '7601:AAlater';
const preload = new URL('./support/shifted-clock.mjs', import.meta.url).href;
const hour = 3_600;
const soonMs = 60_000;

describe.each(dialects)('scheduled messages on %s', (dialect) => {
  it('go out once each through kills, and follow a clock that is set forward and back', async () => {
    const { database, platform } = await createStage(dialect);
    const file = path.join(database.dataDir, 'clock-shift');
    writeFileSync(file, '0');
    const other = temporaryFolder();
    onTestFinished(() => other.remove());
    const folders = dialect === 'postgres' ? [{}, { RELAY_DATA_DIR: other.path }] : [{}];
    const run = (more: object) =>
      startServiceProcess(
        { settings: { ...database.settings, ...more } },
        {
          TELEGRAM_API_URL: platform.url,
          NODE_OPTIONS: `--import ${preload}`,
          CLOCK_SHIFT_FILE: file,
        },
      );
    const until = (check: () => Promise<void> | void) =>
      vi.waitFor(check, { timeout: soonMs, interval: 50 });
    /** Sets the clock of all nodes. */
    async function setClock(seconds: number): Promise<void> {
      const shift = String(seconds * 1_000);
      writeFileSync(file, shift);
      await until(() => expect(readFileSync(`${file}.seen`, 'utf8')).toBe(shift));
    }
    const texts = () => platform.calls.map(({ params }) => String(params['text']));
    const arrive = (...expected: string[]) =>
      until(() => expect(texts().toSorted()).toEqual(expected.toSorted()));
    let answered = 0;
    platform.onCall = (call) => {
      const { chat_id, text } = call.params;
      // The platform takes this one, and the kill comes before its answer.
      if (text === 'killed') return;
      call.answer(200, { ok: true, result: sentMessage(++answered, token, chat_id, text) });
    };

    let nodes = await Promise.all(folders.map(run));
    const first = () => nodes[0] as ServiceProcess;
    const bot = await addBot(first(), { token });
    const schedule = (text: string, chat_id: number, inSeconds: number) =>
      first().call('/api/messages/send', {
        bot_id: bot.id,
        chat_id,
        text,
        send_at: Math.floor(Date.now() / 1_000) + inSeconds,
      });
    const listed = async () =>
      (await first().call<{ text: string }[]>('/api/messages/scheduled')).map(({ text }) => text);
    const crash = async () => {
      await Promise.all(nodes.map((node) => node.crash()));
      nodes = await Promise.all(folders.map(run));
    };

    await schedule('killed', 5, hour);
    await schedule('after it in the chat', 5, hour);
    await schedule('due while nothing ran', 6, 2 * hour);
    await schedule('a day too late', 7, 3 * hour);
    await crash();
    expect(texts()).toEqual([]);
    await setClock(hour + 60);
    await arrive('killed');
    await crash();
    await arrive('killed', 'after it in the chat');
    await until(async () =>
      expect(await first().call('/api/outbox?state=unknown')).toMatchObject([{ chat_id: 5 }]),
    );

    await Promise.all(nodes.map((node) => node.crash()));
    writeFileSync(file, String((2 * hour + 60) * 1_000));
    nodes = await Promise.all(folders.map(run));
    await arrive('killed', 'after it in the chat', 'due while nothing ran');

    // What was sent stays sent, and what is not due waits, without holding up other sends.
    await setClock(0);
    await first().call('/api/messages/send', { bot_id: bot.id, chat_id: 7, text: 'at once' });
    expect(await listed()).toEqual(['a day too late']);
    await setClock(28 * hour);
    await until(async () =>
      expect(await first().call('/api/messages/scheduled')).toMatchObject([
        { state: 'held', error_detail: { code: 'scheduled_overdue' } },
      ]),
    );
    await first().call('/api/messages/send', { bot_id: bot.id, chat_id: 7, text: 'much later' });
    expect(await listed()).toEqual(['a day too late']);
    await arrive(
      'killed',
      'after it in the chat',
      'due while nothing ran',
      'at once',
      'much later',
    );
  });
});
