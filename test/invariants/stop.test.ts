import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import type { Readers } from '../../src/api-types.ts';
import { dialects } from '../support/database/engines.ts';
import type { CallOptions, ServiceProcess } from '../support/service-process.ts';
import { message } from './support/held-platform.ts';
import { inspect } from './support/reconcile.ts';
import { addBot, createStage, type Stage } from './support/stage.ts';

const token = '7101:AAstop_polled';
const hookedToken = '7102:AAstop_hooked';

describe.each(dialects)('invariant 8, stopping on %s', (dialect) => {
  /** Everything that can wait, waiting. */
  async function fillWithWaiting({ platform, sink }: Stage, service: ServiceProcess) {
    platform.onCall = () => {};
    sink.respond = (arrival, response) => {
      // One chat is answered with a call that the platform leaves hanging, the other never.
      if (arrival.chatId !== 21) return;
      const call = { method: 'sendMessage', chat_id: 21, text: 'from the backend' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(call));
    };
    const add = (settings: object) =>
      addBot(service, {
        proxy_enabled: true,
        backend_url: `${sink.url}/`,
        long_poll_enabled: true,
        ...settings,
      });
    const bot = await add({ token });
    await add({ token: hookedToken, webhook_mode: true });
    platform.deal(token, message(1, 21));
    platform.deal(token, message(2, 22));
    await sink.reached(2);
    const ask = (where: string, options: CallOptions = {}) =>
      service.request(where, options).then(
        async (answer) => ({ status: answer.status, text: await answer.text() }),
        (error: unknown) => ({ status: 0, text: String(error) }),
      );
    const events = await service.request('/api/events');
    const answers = {
      polled: ask(`/bot${token}/getUpdates?offset=3&timeout=50`, { key: '' }),
      apiPolled: ask(`/api/updates/poll?bot_id=${bot.id}&consumer=other&timeout=50`),
      events: events.text().then(
        (text) => ({ status: events.status, text }),
        (error: unknown) => ({ status: 0, text: String(error) }),
      ),
      sent: ask('/api/messages/send', { body: { bot_id: bot.id, chat_id: 23, text: 'by key' } }),
      passed: ask(`/bot${token}/sendMessage`, { body: { chat_id: 24, text: 'hi' }, key: '' }),
    };
    await vi.waitFor(
      async () => {
        const chats = platform.calls.map(({ params }) => params['chat_id']).sort();
        expect(chats).toEqual([21, 23, 24]);
        expect(platform.isPolled(token)).toBe(true);
        const { readers } = await service.call<Readers>(`/api/bots/readers?bot_id=${bot.id}`);
        const waiting = readers.filter((one) => one.waiting).map(({ reader }) => reader);
        expect(waiting.sort()).toEqual(['pull', 'pull:other']);
      },
      { interval: 20 },
    );
    return answers;
  }

  it('ends within 5 s with code 0 whatever is in flight, and reports unknown outcomes', async () => {
    const stage = await createStage(dialect);
    const { database, platform, sink, start } = stage;
    const service = await start();
    const answers = await fillWithWaiting(stage, service);
    const end = await service.stop('SIGTERM');
    expect(end).toMatchObject({ code: 0, stderr: '' });
    expect(await answers.polled).toEqual({ status: 200, text: '{"ok":true,"result":[]}' });
    expect(await answers.apiPolled).toMatchObject({ status: 200 });
    expect(await answers.events).toMatchObject({ status: 200 });
    const unknown = {
      status: 504,
      text: expect.stringMatching(/may have (?:taken effect|been sent)/),
    };
    expect(await answers.sent).toEqual(unknown);
    expect(await answers.passed).toEqual(unknown);

    const sends = await inspect(database, (engine) =>
      engine.readRaw('select chat_id, state from outbox order by chat_id', []),
    );
    expect(sends).toEqual([
      { chat_id: 21, state: 'unknown' },
      { chat_id: 23, state: 'unknown' },
    ]);

    // The next start delivers unanswered updates, and repeats none of the sends.
    sink.respond = (_arrival, response) => void response.writeHead(200).end();
    const again = await start();
    await sink.reached(3);
    platform.deal(token, message(3, 21));
    await sink.reached(4);
    expect(sink.arrivals.map(({ updateId }) => updateId).sort()).toEqual([1, 2, 2, 3]);
    expect(await again.stop('SIGINT')).toMatchObject({ code: 0, stderr: '' });
    expect(platform.calls).toHaveLength(3);
  });
});

describe('invariant 8, the command', () => {
  it('is ended only by its command', () => {
    const src = fileURLToPath(new URL('../../src', import.meta.url));
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    expect(files.length).toBeGreaterThan(100);
    const ending = files.filter((name) =>
      /process\s*\.\s*(exit|abort)\s*\(/.test(readFileSync(path.join(src, name), 'utf8')),
    );
    expect(ending.filter((name) => !name.startsWith(`cli${path.sep}`))).toEqual([]);
  });
});
