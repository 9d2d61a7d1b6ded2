import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { addBot } from '../invariants/support/stage.ts';
import { startHeldPlatform } from '../invariants/support/held-platform.ts';
import { behindProxy } from '../support/database/cuttable-proxy.ts';
import { createDatabase } from '../support/database/engines.ts';
import { startServiceProcess } from '../support/service-process.ts';

const token = '77001:AAoutage';

/** The service as shipped, its way to the database in the test's hand. */
async function startStage() {
  const database = await createDatabase('postgres');
  onTestFinished(() => database.drop());
  const { proxy, behind } = await behindProxy(database);
  const platform = await startHeldPlatform();
  onTestFinished(() => platform.close());
  const service = await startServiceProcess(behind, {
    TELEGRAM_API_URL: platform.url,
    RELAY_LOG_LEVEL: 'fatal',
  });
  const bot = await addBot(service, { token, long_poll_enabled: true, secret_token: 'hush' });
  const isBack = () =>
    vi.waitFor(async () => expect((await service.request('/api/bots')).status).toBe(200), {
      interval: 50,
    });
  return { proxy, platform, service, bot, isBack };
}

describe('a database that is lost', () => {
  it('is reported by the API and the gateway until it is back', async () => {
    const { proxy, service, bot, isBack } = await startStage();
    proxy.cut();
    for (const [path, body] of [
      ['/api/bots', undefined],
      ['/api/messages?bot_id=1&chat_id=1', undefined],
      ['/api/bots/update', { id: bot.id, name: 'x' }],
    ] as const) {
      const answer = await service.request(path, { body });
      expect([path, answer.status]).toEqual([path, 503]);
      expect(answer.headers.get('retry-after')).toBe('2');
      expect(await answer.json()).toMatchObject({
        code: 'database_unavailable',
        error: expect.stringMatching(/^The database cannot be reached/) as string,
        request_id: expect.any(String) as string,
      });
    }
    const headers = { 'x-telegram-bot-api-secret-token': 'hush' };
    for (const [path, body] of [
      [`/bot${token}/getMe`, undefined],
      [`/bot${token}/getUpdates`, { timeout: 5 }],
      [`/tgapi/bot${token}/setWebhook`, { url: 'http://127.0.0.1:1/' }],
      [`/hooks/backend/${bot.id}`, { method: 'sendMessage', chat_id: 1, text: 'x' }],
    ] as const) {
      const answer = await service.request(path, { key: '', body, headers });
      expect([path, answer.status]).toEqual([path, 503]);
      expect(answer.headers.get('retry-after')).toBe('2');
      const { description, ...rest } = (await answer.json()) as { description: string };
      expect(rest).toEqual({ ok: false, error_code: 503 });
      expect(description).toMatch(/^Service Unavailable: The database cannot be reached/);
    }
    expect((await service.request('/healthz')).status).toBe(200);
    expect((await service.request('/readyz')).status).toBe(503);
    proxy.mend();
    await isBack();
    expect((await service.request(`/bot${token}/getUpdates`, { key: '' })).status).toBe(200);
  });

  it('is told as that when it does not answer, instead of keeping callers waiting', async () => {
    const { proxy, service, isBack } = await startStage();
    proxy.freeze();
    const answers = await Promise.all(
      ['/api/bots', '/api/messages?bot_id=1&chat_id=1', '/api/routes'].map((path) =>
        service.request(path),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    const [answer] = answers as [Response];
    expect(await answer.json()).toMatchObject({ code: 'database_unavailable' });
    proxy.mend();
    await isBack();
  });

  it('loses nothing that clients sent through the gateway meanwhile', async () => {
    const { proxy, platform, service, bot, isBack } = await startStage();
    platform.onCall = () => {};
    const body = { chat_id: 5, text: 'through' };
    const sending = service.request(`/bot${token}/sendMessage`, { key: '', body });
    await vi.waitFor(() => expect(platform.calls).toHaveLength(1));
    proxy.cut();
    const message = { message_id: 7, date: 1, chat: { id: 5, type: 'private' }, text: 'through' };
    platform.calls.at(-1)?.answer(200, { ok: true, result: message });
    expect((await sending).status).toBe(200);
    // Longer than it is gathered, so that storing it is tried in vain.
    await new Promise((resolve) => setTimeout(resolve, 300));
    proxy.mend();
    await isBack();
    await vi.waitFor(
      async () => {
        const path = `/api/messages?bot_id=${bot.id}&chat_id=5`;
        const messages = await (await service.request(path)).json();
        expect(messages).toMatchObject([{ id: 7, text: 'through' }]);
      },
      { interval: 50 },
    );
  });

  it('does not make a send that went out look like one to repeat', async () => {
    const { proxy, platform, service, bot, isBack } = await startStage();
    platform.onCall = () => {};
    const body = { bot_id: bot.id, chat_id: 5, text: 'out' };
    for (const headers of [{}, { 'idempotency-key': 'one' }] as Record<string, string>[]) {
      const before = platform.calls.length;
      const sending = service.request('/api/messages/send', { body, headers });
      await vi.waitFor(() => expect(platform.calls).toHaveLength(before + 1));
      proxy.cut();
      const message = { message_id: 1, date: 1, chat: { id: 5, type: 'private' }, text: 'out' };
      platform.calls.at(-1)?.answer(200, { ok: true, result: message });
      const answer = await sending;
      expect(answer.status).toBe(504);
      expect(await answer.json()).toMatchObject({
        code: 'platform_timeout',
        error: expect.stringContaining('The message was sent') as string,
      });
      proxy.mend();
      await isBack();
    }
  });
});
