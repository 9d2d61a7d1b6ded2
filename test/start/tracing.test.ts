import type { IncomingHttpHeaders } from 'node:http';
import { trace } from '@opentelemetry/api';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openSpan, traced } from '../../src/tracing.ts';
import { serve } from '../support/local-server.ts';
import { recordSpans } from '../support/span-recorder.ts';
import { serviceForEachTest } from '../support/whole-service.ts';

const secret = 'a-Secret_of_the_backend';
const words = 'words that belong to nobody else';

async function startBackend(): Promise<{
  url: string;
  receivedHeaders: Promise<IncomingHttpHeaders>;
}> {
  const { promise: receivedHeaders, resolve } = Promise.withResolvers<IncomingHttpHeaders>();
  const { url, close } = await serve((request, response) => {
    resolve(request.headers);
    request.resume().on('end', () => response.writeHead(200).end());
  });
  onTestFinished(close);
  return { url: `${url}/hidden/`, receivedHeaders };
}

describe('traces, with an SDK attached', () => {
  let recorder: ReturnType<typeof recordSpans>;
  beforeAll(() => {
    recorder = recordSpans();
  });
  // Registered first to run last, when the service has ended.
  afterEach(() => recorder.clear());
  // The files that follow in this process have no SDK.
  afterAll(() => recorder.stop());
  const { service, ask, addBot, addPerson, say } = serviceForEachTest('sqlite');

  async function conversation() {
    const backend = await startBackend();
    const bot = await addBot({
      backend_url: backend.url,
      proxy_enabled: true,
      secret_token: secret,
    });
    const anna = await addPerson('Anna');
    await say(anna, bot, words);
    return { ...bot, botId: bot.id, user: anna.id, receivedHeaders: await backend.receivedHeaders };
  }

  it('a delivery is a span, and the backend can go on with its trace', async () => {
    const { receivedHeaders, botId } = await conversation();
    const push = await recorder.ended(({ name }) => name === 'push');
    expect(push.attributes).toMatchObject({ bot_id: botId, 'http.response.status_code': 200 });
    expect(push.failed).toBe(false);
    expect(push.parentId).toBeUndefined();
    expect(receivedHeaders['traceparent']).toBe(`00-${push.traceId}-${push.spanId}-01`);
  });

  it("a caller's trace goes through the gateway and through the API to the platform", async () => {
    const { token, user, botId, platformId } = await conversation();
    const traceId = 'c'.repeat(32);
    const traceparent = `00-${traceId}-${'d'.repeat(16)}-01`;
    const sent = { chat_id: user, text: words };
    const traced = { headers: { traceparent } };
    await ask(`/bot${token}/sendMessage`, sent, traced);
    await ask('/api/messages/send', { bot_id: botId, ...sent }, traced);

    const own = (name: string) =>
      recorder.ended((span) => span.name === name && span.traceId === traceId);
    const gateway = await own('POST /bot*');
    const api = await own('POST /api/messages/send');
    expect([gateway.parentId, api.parentId]).toEqual(['d'.repeat(16), 'd'.repeat(16)]);
    const sends = await Promise.all(
      [gateway, api].map((above) =>
        recorder.ended(
          (span) => span.name === 'telegram sendMessage' && span.parentId === above.spanId,
        ),
      ),
    );
    expect(sends.map((span) => span.attributes)).toMatchObject([
      { bot_id: botId },
      { platform_id: platformId },
    ]);
  });

  it('a refusal of the platform is told by its class, and nothing secret is in any span', async () => {
    const { token, botId } = await conversation();
    await ask('/api/messages/send', { bot_id: botId, chat_id: 4_004, text: words });
    await ask(`/bot${token}/sendMessage`, { chat_id: 4_004, text: words });
    const refused = await recorder.ended((span) => span.failed);
    expect(refused).toMatchObject({
      name: 'telegram sendMessage',
      attributes: { 'error.type': 'PlatformRefused' },
    });
    await recorder.ended(({ name }) => name === 'POST /bot*');

    const all = JSON.stringify(recorder.spans);
    for (const hidden of [token, token.split(':')[1] ?? '', secret, words, 'hidden', 'Anna']) {
      expect(all).not.toContain(hidden);
    }
    expect(all).not.toContain(service().localKey);
  });
});

describe('without an SDK', () => {
  it('records nothing, and the work is done all the same', async () => {
    const traceparent = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`;
    expect(openSpan('push', 'client', {}, { traceparent })).toBeUndefined();
    expect(await traced('push', 'client', {}, async () => 'done')).toBe('done');
    expect(trace.getActiveSpan()).toBeUndefined();
  });
});
