import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { axeProblems } from './support/axe.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { prepareWebUi } from './support/web-ui.ts';

describe('the filter of the inbox', () => {
  let page: Page;
  let service: PageService;
  let complaints: string[];
  let shop: { id: number; platform_id: number };
  let help: { id: number; platform_id: number };
  const people = new Map<string, number>();
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ page, service, complaints } = await openWebUi());
    shop = await addPracticeBot(service, 'Shop', { manage_enabled: true });
    help = await addPracticeBot(service, 'Help', { manage_enabled: true });
    for (const [first_name, bot] of [
      ['Ivo', shop],
      ['Kim', shop],
      ['Lea', help],
    ] as const) {
      const person = await service.post<{ id: number }>('/api/sandbox/users/create', {
        first_name,
      });
      people.set(first_name, person.id);
      const said = { user: person.id, chat: bot.platform_id, text: 'Where is my order?' };
      await service.post('/api/sandbox/say', said);
    }
    await vi.waitFor(async () =>
      expect(await service.get('/api/chats?state=waiting')).toHaveLength(3),
    );
    const ivo = people.get('Ivo');
    const tagged = { bot_id: shop.id, chat_id: ivo, user_id: ivo, tag: 'vip' };
    await service.post('/api/tags/add', tagged);
    const kim = { bot_id: shop.id, chat_id: people.get('Kim') };
    await service.post('/api/chats/assign', { ...kim, assignee: 'user:1' });
  });

  const list = () => page.getByRole('region', { name: 'Chats' });
  const row = (name: string) => list().locator('[data-row]').filter({ hasText: name });
  const shows = (...names: string[]) =>
    vi.waitFor(async () => {
      const rows = await list().locator('[data-row] bdi, [data-row] [dir=auto]').allTextContents();
      const found = [...people.keys()].filter((name) => rows.some((one) => one.includes(name)));
      expect(found).toEqual(names);
    });
  const tabs = () => page.getByRole('radiogroup', { name: 'Conversations' });
  const counts = (waiting: number, mine: number, all: number) =>
    vi.waitFor(async () =>
      expect((await tabs().innerText()).replaceAll(/\s+/g, ' ')).toBe(
        [`Waiting ${waiting}`, `Mine ${mine}`, `All ${all}`].join(' ').replaceAll(' 0', ''),
      ),
    );
  const choose = async (select: string, option: string) => {
    await page.getByRole('combobox', { name: select }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  const chooseBot = (label: string) =>
    page.getByRole('combobox', { name: 'Bot' }).selectOption({ label });
  const search = () => new URL(page.url()).searchParams;

  it('is that of the address, which links to chats keep', async () => {
    await page.goto(`${service.address}/chats?inbox=mine`);
    await shows('Kim');
    await counts(3, 1, 3);
    expect(await row('Kim').getAttribute('href')).toContain('inbox=mine');
    await row('Kim').click();
    await page.getByRole('button', { name: 'About this chat' }).click();
    await page.waitForURL(/about=chat/);
    expect(search().get('inbox')).toBe('mine');
    await page.reload();
    await shows('Kim');
    await page.getByRole('link', { name: 'Chats', exact: true }).click();
    await shows('Ivo', 'Kim', 'Lea');
    await page.goBack();
    await shows('Kim');
  });

  it('gives way to a search over all chats', async () => {
    await page.goto(`${service.address}/chats`);
    await chooseBot('Help');
    await shows('Lea');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command palette' }).fill('order');
    await page.getByRole('option', { name: /^All 3/ }).click();
    const hits = page.getByRole('region', { name: 'In messages' });
    await vi.waitFor(async () => expect(await hits.getByRole('listitem').count()).toBe(3));
    expect(search().has('bot')).toBe(false);
    await page.getByRole('link', { name: 'Chats', exact: true }).click();
    await shows('Ivo', 'Kim', 'Lea');
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
  });

  it('is chosen by bot, tag and assignee, and counts what it lets through', async () => {
    await page.goto(`${service.address}/chats?inbox=waiting`);
    await counts(3, 1, 3);
    await chooseBot('Shop');
    await shows('Ivo', 'Kim');
    await counts(2, 1, 2);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('textbox', { name: 'Tag' }).fill('vip');
    await page.keyboard.press('Enter');
    await shows('Ivo');
    await counts(1, 0, 1);
    expect(search().get('tag')).toBe('vip');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      expect(await axeProblems(page)).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('button', { name: 'Remove filter' }).click();
    await shows('Ivo', 'Kim');
    await chooseBot('All bots');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await choose('Assignee', 'anna');
    await shows('Kim');
    await counts(1, 1, 1);
    await choose('Assignee', 'Nobody');
    await shows('Ivo', 'Lea');
    await counts(2, 1, 2);
    await page.reload();
    await shows('Ivo', 'Lea');
  });

  it('is empty at once for a bot without chat management, and says it of Mine', async () => {
    await addPracticeBot(service, 'Old hotline', { manage_enabled: false });
    await page.goto(`${service.address}/chats`);
    await shows('Ivo', 'Kim', 'Lea');
    await chooseBot('Old hotline');
    await shows();
    await list().getByText('Chat management is off').waitFor();
    await chooseBot('Help');
    await shows('Lea');
    await tabs().getByText('Mine').click();
    await list().getByText('You have no conversations').waitFor();
    await list().getByText('Assign one to yourself to see it here.').waitFor();
    await tabs().getByText('All').click();
    await shows('Lea');
  });

  it('ignores what an address cannot mean', async () => {
    await page.goto(`${service.address}/chats?in_topic=x&assignee=them&inbox=all&bot=no`);
    await shows('Ivo', 'Kim', 'Lea');
    expect(complaints).toEqual([]);
  });

  it('lists many, and reads one page of them a second at most, however many messages come', async () => {
    for (let at = 0; at < 105; at++) {
      const first_name = `Person ${at}`;
      const { id } = await service.post<{ id: number }>('/api/sandbox/users/create', {
        first_name,
      });
      const said = { user: id, chat: help.platform_id, text: 'Hello' };
      await service.post('/api/sandbox/say', said);
    }
    await vi.waitFor(async () =>
      expect(await service.get(`/api/chats/counts?bot_id=${help.id}`)).toMatchObject({
        waiting: 106,
      }),
    );
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/api/chats') asked.push(searchParams.get('before') ?? 'first');
    });
    await page.goto(`${service.address}/chats?inbox=waiting&bot=${help.id}`);
    await row('Person 0').first().waitFor();
    await vi.waitFor(async () => {
      await page.evaluate(`document.querySelector('[data-chat-list]').scrollTop = 100_000`);
      expect(await row('Person 104').count()).toBe(1);
    });
    const from = Date.now();
    const before = asked.length;
    for (let round = 0; round < 3; round++) {
      const known = asked.length;
      const said = { user: people.get('Lea'), chat: help.platform_id, text: `Round ${round}` };
      await service.post('/api/sandbox/say', said);
      await vi.waitFor(() => expect(asked.length).toBeGreaterThanOrEqual(known + 2));
    }
    const seconds = (Date.now() - from) / 1_000;
    expect(asked.length - before).toBeLessThanOrEqual(seconds + 2);
  });
});
