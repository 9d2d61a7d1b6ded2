import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Backend, startBackend } from './support/backend.ts';
import { keepNotices } from './support/keep-notices.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { visit } from './support/visit.ts';
import { prepareWebUi } from './support/web-ui.ts';

interface Readers {
  log_end: number;
  readers: { reader: string; position: number }[];
}

describe('the readers of a bot', () => {
  let service: PageService;
  let backend: Backend;
  let page: Page;
  let bot: { id: number; platform_id: number };
  let courier: { id: number; platform_id: number };
  let boris: { id: number };
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    [{ page, service }, backend] = await Promise.all([openWebUi(), startBackend()]);
    await keepNotices(page);
    bot = await addPracticeBot(service, 'Parcels', {
      proxy_enabled: true,
      backend_url: backend.url,
      long_poll_enabled: true,
    });
    boris = await service.post('/api/sandbox/users/create', { first_name: 'Boris' });
    await addReader('analytics');
    for (const text of ['One', 'Two']) {
      await service.post('/api/sandbox/say', { user: boris.id, chat: bot.platform_id, text });
    }
    await vi.waitFor(() => expect(backend.taken).toHaveLength(2));
    courier = await addPracticeBot(service, 'Courier', { manage_enabled: true });
    const hello = { user: boris.id, chat: courier.platform_id, text: '/start' };
    await service.post('/api/sandbox/say', hello);
    await vi.waitFor(async () =>
      expect(await service.get(`/api/chats?bot_id=${courier.id}`)).toHaveLength(1),
    );
  });
  afterAll(() => backend?.close());

  const addReader = (name: string) =>
    service.get(`/api/updates/poll?bot_id=${bot.id}&consumer=${name}&timeout=0`);
  const readers = () => service.get<Readers>(`/api/bots/readers?bot_id=${bot.id}`);
  const positionOf = async (reader: string) =>
    (await readers()).readers.find((one) => one.reader === reader)?.position;
  const row = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });
  const openTab = (id: number, tab: string) =>
    visit(page, `${service.address}/bots/${id}?tab=${tab}`);

  it('shows each position, and moves one back and forth', async () => {
    await openTab(bot.id, 'deliveries');
    await row('Backend').getByText('up to date').waitFor();
    await row('analytics').getByText('2 updates behind').waitFor();
    await row('analytics').getByText('at the start of the log').waitFor();
    expect(await row('analytics').getByText('moved').count()).toBe(0);

    await page.getByRole('button', { name: 'Actions: Backend' }).click();
    await page.getByRole('menuitem', { name: 'Move position…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Move the position of Backend' });
    await dialog.getByLabel('the start of the log').check();
    await dialog.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByText('2 updates to read again').waitFor();
    await vi.waitFor(() =>
      expect(backend.taken.map(({ text }) => text)).toEqual(['One', 'Two', 'One', 'Two']),
    );

    await page.getByRole('button', { name: 'Actions: analytics' }).click();
    await page.getByRole('menuitem', { name: 'Move position…' }).click();
    await page.getByLabel('the end of the log (skip all)').check();
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByText('2 updates skipped').waitFor();
    expect(await positionOf('pull:analytics')).toBe((await readers()).log_end);
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await row('analytics').getByText('2 updates behind').waitFor();
  });

  it('removes a consumer after saying what that means', async () => {
    await addReader('reports');
    await openTab(bot.id, 'deliveries');
    await page.getByRole('button', { name: 'Actions: reports' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove reader reports?' });
    await dialog.getByText(/starts at the end of the log/).waitFor();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Removed reader reports').waitFor();
    expect(await positionOf('pull:reports')).toBeUndefined();
  });

  it('is offered to clients that poll, when a bot is added or later', async () => {
    const issue = (first_name: string) =>
      service.post<{ token: string }>('/api/sandbox/bots', { first_name });
    const polled = async (name: string) =>
      (await service.get<{ name: string; long_poll_enabled: boolean }[]>('/api/bots')).find(
        (one) => one.name === name,
      )?.long_poll_enabled;
    const add = async (name: string, polls: boolean) => {
      await visit(page, `${service.address}/bots`);
      await page.getByRole('button', { name: 'Add bot' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add bot' });
      await dialog.getByLabel('Token').fill((await issue(name)).token);
      await dialog.getByLabel('Name').fill(name);
      if (polls) await dialog.getByLabel('My app calls getUpdates').check();
      await dialog.getByRole('button', { name: 'Add and set up' }).click();
      await page.getByRole('heading', { name }).waitFor();
    };
    await add('Grammarian', true);
    await page.getByRole('heading', { name: 'Use any bot library' }).waitFor();
    expect(await page.getByText('Apps cannot call getUpdates').count()).toBe(0);
    expect(await polled('Grammarian')).toBe(true);

    await add('Latecomer', false);
    expect(await polled('Latecomer')).toBe(false);
    await page.getByRole('tab', { name: 'Apps' }).click();
    await page.getByRole('button', { name: 'Let apps call getUpdates' }).click();
    await page.getByText('Apps can call getUpdates with the bot’s own token').waitFor();
    await page.getByText('Apps cannot call getUpdates').waitFor({ state: 'detached' });
    expect(await polled('Latecomer')).toBe(true);

    const warning = page.getByText('This bot has a backend.');
    expect(await warning.count()).toBe(0);
    await openTab(bot.id, 'connect');
    await warning.waitFor();
  });

  it('lists what was sent and leads to the message', async () => {
    await service.post('/api/messages/send', {
      bot_id: courier.id,
      chat_id: boris.id,
      text: 'On its way',
    });
    await openTab(courier.id, 'sends');
    await page
      .getByRole('button', { name: /Boris: On its way · sendMessage · by a user or key/ })
      .click();
    await page.getByRole('link', { name: 'Show message' }).click();
    await page.getByRole('log').getByText('On its way').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/chats/${courier.id}/${boris.id}`);
  });

  it('sends once more what failed, after a question', async () => {
    const block = (blocked: boolean) =>
      service.post('/api/sandbox/users/block-bot', {
        user: boris.id,
        bot: courier.platform_id,
        blocked,
      });
    await block(true);
    const text = 'At the second attempt';
    const message = { bot_id: courier.id, chat_id: boris.id, text };
    const sent = service.post('/api/messages/send', message);
    await expect(sent).rejects.toThrow('platform_refused');
    await block(false);
    await openTab(courier.id, 'sends');
    await page.getByRole('button', { name: new RegExp(`^failed.*${text}`) }).click();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Sending again').waitFor();
    await page.getByRole('button', { name: new RegExp(`^sent.*${text}`) }).waitFor();
  });

  it('shows the webhook a bot had before, and puts it back', async () => {
    const issued = await service.post<{ token: string }>('/api/sandbox/bots', {
      first_name: 'Inherited',
    });
    const former = 'https://former.example.com/hook';
    await fetch(`${service.address}/sandbox/bot${issued.token}/setWebhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: former }),
    });
    const added = await service.post<{ id: number }>('/api/bots/add', { token: issued.token });
    await openTab(added.id, 'settings');
    await page.getByRole('heading', { name: 'Previous webhook' }).waitFor();
    await page.getByText(former).waitFor();
    await page.getByRole('button', { name: 'Restore…' }).click();
    await page.getByText(/The bot is disabled here/).waitFor();
    await page.getByRole('button', { name: 'Restore webhook', exact: true }).click();
    await page.getByText(`Telegram delivers to ${former} again`).waitFor();
    await page.getByRole('button', { name: 'Enable' }).first().waitFor();
    const webhookInfo = await fetch(`${service.address}/sandbox/bot${issued.token}/getWebhookInfo`);
    expect(await webhookInfo.json()).toMatchObject({ result: { url: former } });
  });
});
