import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { playedNotifications } from './support/played-notifications.ts';
import { prepareWebUi } from './support/web-ui.ts';

describe('what needs somebody', () => {
  let page: Page;
  let service: PageService;
  let bot: { id: number; platform_id: number };
  const people = new Map<string, number>();
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ page, service } = await openWebUi());
    bot = await addPracticeBot(service, 'Shop', { manage_enabled: true });
    for (const first_name of ['Ivo', 'Kim', 'Lea', 'Max']) {
      const person = await service.post<{ id: number }>('/api/sandbox/users/create', {
        first_name,
      });
      people.set(first_name, person.id);
    }
    const script = `${playedNotifications}
      Notification.permission = 'granted';
      localStorage.setItem('relay-notify', '["mine"]');`;
    await page.addInitScript({ content: script });
    await page.goto(service.address);
  });

  const chat = (name: string) => ({ bot_id: bot.id, chat_id: people.get(name) });
  const write = (name: string) =>
    service.post('/api/sandbox/say', {
      user: people.get(name),
      chat: bot.platform_id,
      text: `I am ${name}`,
    });
  const wait = (count: number) =>
    page.getByRole('img', { name: `${count} waiting`, exact: true }).waitFor();
  const choose = (...kinds: string[]) =>
    page.evaluate(`
      localStorage.setItem('relay-notify', '${JSON.stringify(kinds)}');
      dispatchEvent(new Event('storage'));
      told.length = 0;`);
  const told = () => page.evaluate<{ title: string; body: string }[]>('told');
  const areTold = (expected: object[]) =>
    vi.waitFor(async () => expect(await told()).toEqual(expected));
  const yours = (count: number) => ({
    title: 'One of your conversations waits',
    body: `${count} waiting`,
  });
  const others = (count: number) => ({ title: 'Chats', body: `${count} waiting` });
  const icon = () => page.locator('link[rel=icon]').getAttribute('href');

  it('is told each time that one more conversation of the user waits', async () => {
    for (const name of ['Ivo', 'Kim']) {
      await write(name);
      await vi.waitFor(() =>
        service.post('/api/chats/assign', { ...chat(name), assignee: 'user:1' }),
      );
      await service.post('/api/chats/state', { ...chat(name), state: 'done' });
    }
    await page.reload();
    await write('Lea');
    await wait(1);
    await write('Ivo');
    await areTold([yours(1)]);
    await write('Kim');
    await areTold([yours(1), yours(2)]);
  });

  it('is told of all that wait if only these are chosen, and of each once if both are', async () => {
    await service.post('/api/chats/state', { ...chat('Ivo'), state: 'done' });
    await service.post('/api/chats/state', { ...chat('Kim'), state: 'done' });
    await wait(1);
    await choose('waiting');
    await write('Ivo');
    await areTold([others(2)]);
    await choose('waiting', 'mine');
    await write('Kim');
    await areTold([yours(2)]);
    await write('Max');
    await areTold([yours(2), others(4)]);
  });

  it('is told of an alert beside a conversation, and of a critical one by the icon', async () => {
    await choose('critical', 'waiting');
    await service.post('/api/chats/state', { ...chat('Max'), state: 'done' });
    await wait(3);
    expect(await icon()).toBe('/favicon.svg');
    // Both are read again once the page hears of the service again.
    await page.context().setOffline(true);
    await write('Max');
    const lost = await addPracticeBot(service, 'Lost', {
      proxy_enabled: true,
      backend_url: 'http://127.0.0.1:9/none',
    });
    await service.post(`/api/bots/check-backend?id=${lost.id}`);
    await page.context().setOffline(false);
    await vi.waitFor(async () => {
      const titles = (await told()).map(({ title }) => title);
      expect(titles.sort()).toEqual(['Chats', 'Lost']);
    });
    await vi.waitFor(async () => expect(await icon()).toBe('/favicon-critical.svg'));
    const [alert] = await vi.waitFor(async () => {
      const open = await service.get<{ id: number }[]>('/api/alerts?state=open');
      expect(open).toHaveLength(1);
      return open;
    });
    await service.post('/api/alerts/acknowledge', { id: alert?.id });
    await vi.waitFor(async () => expect(await icon()).toBe('/favicon.svg'));
  });
});
