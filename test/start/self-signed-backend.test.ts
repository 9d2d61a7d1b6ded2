import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { eitherDialect } from '../support/database/engines.ts';
import { forLoopback, forOther, type SelfSigned } from '../support/self-signed.ts';
import { type PracticeBot, serviceForAllTests } from '../support/whole-service.ts';

async function startBackend({ certificate, key }: SelfSigned) {
  const texts: string[] = [];
  const take = async (request: IncomingMessage) => {
    if (request.method !== 'POST') return;
    const { message } = (await json(request)) as { message: { text: string } };
    texts.push(message.text);
  };
  const server = createServer({ cert: certificate, key }, (request, response) => {
    void take(request).then(() => response.writeHead(200).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}/hook`, texts };
}

const until = (check: () => Promise<unknown>) => vi.waitFor(check, { interval: 20 });

describe.each(eitherDialect)('a backend with a self-signed certificate, on %s', (dialect) => {
  const { service, addBot, addPerson, say, call } = serviceForAllTests(dialect);

  async function setWebhook({ token }: PracticeBot, url: string, certificate?: string | Blob) {
    const form = new FormData();
    form.set('url', url);
    if (certificate instanceof Blob) form.set('certificate', certificate, 'public.pem');
    else if (certificate !== undefined) form.set('certificate', certificate);
    const answer = await fetch(`${service().address}/bot${token}/setWebhook`, {
      method: 'POST',
      body: form,
    });
    return (await answer.json()) as { ok: boolean; description: string };
  }
  async function infoOf({ token }: PracticeBot) {
    const answer = await fetch(`${service().address}/bot${token}/getWebhookInfo`);
    return ((await answer.json()) as { result: Record<string, unknown> }).result;
  }
  const pem = (text: string) => new Blob([text]);

  it('is trusted by the certificate that setWebhook uploads, for that bot only', async () => {
    const backend = await startBackend(forLoopback);
    const [bot, other] = [await addBot(), await addBot()];
    const ann = await addPerson('Ann');
    // With the private key in the same file, of which nothing is stored.
    const file = pem(`${forLoopback.key}\n${forLoopback.certificate}\n`);
    expect(await setWebhook(bot, backend.url, file)).toMatchObject({
      description: 'Webhook was set',
    });
    expect(await infoOf(bot)).toMatchObject({ has_custom_certificate: true });
    expect(await setWebhook(bot, backend.url, file)).toMatchObject({
      description: 'Webhook is already set',
    });
    await say(ann, bot, 'trusted');
    await until(async () => expect(backend.texts).toEqual(['trusted']));
    const check = await call(`/api/bots/check-backend?id=${bot.id}`, {});
    expect(check).toMatchObject({ reachable: true, error: '' });

    await setWebhook(other, backend.url);
    await say(ann, other, 'not trusted');
    await until(async () =>
      expect((await infoOf(other)).last_error_message).toMatch(/is self-signed/),
    );
    expect(await infoOf(other)).toMatchObject({ has_custom_certificate: false });
    expect(backend.texts).toEqual(['trusted']);

    // With a later upload, waiting updates are delivered; without it, it is not trusted.
    await setWebhook(other, backend.url, pem(forLoopback.certificate));
    await until(async () => expect(backend.texts).toEqual(['trusted', 'not trusted']));
    await setWebhook(bot, backend.url);
    expect(await infoOf(bot)).toMatchObject({ has_custom_certificate: false });
    await say(ann, bot, 'trusted no more');
    await until(async () =>
      expect((await infoOf(bot)).last_error_message).toMatch(/is self-signed/),
    );
    await setWebhook(bot, '');
    await setWebhook(bot, backend.url);
    expect(await infoOf(bot)).toMatchObject({ has_custom_certificate: false });
  });

  it('is refused when it shows another certificate', async () => {
    const backend = await startBackend(forOther);
    const bot = await addBot();
    const ann = await addPerson('Ann');
    await setWebhook(bot, backend.url, pem(forLoopback.certificate));
    await say(ann, bot, 'never');
    await until(async () =>
      expect((await infoOf(bot)).last_error_message).toMatch(/is self-signed/),
    );
    expect(backend.texts).toEqual([]);
  });

  it('needs a PEM file', async () => {
    const bot = await addBot();
    const broken = forLoopback.certificate.replace('MII', 'AAA');
    for (const text of ['', 'nonsense', forLoopback.key, broken, `x${' '.repeat(70_000)}`]) {
      const answer = await setWebhook(bot, 'https://127.0.0.1:1/', pem(text));
      expect(answer).toMatchObject({ ok: false, error_code: 400 });
      expect(answer.description).toContain('certificate must be a PEM file');
    }
    expect(await infoOf(bot)).toMatchObject({ url: '' });
    // As on the platform, only an upload is a certificate.
    expect(await setWebhook(bot, 'https://127.0.0.1:1/', 'public.pem')).toMatchObject({ ok: true });
    expect(await infoOf(bot)).toMatchObject({ has_custom_certificate: false });
  });
});
