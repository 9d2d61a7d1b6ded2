import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { axeProblems } from './support/axe.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { visit } from './support/visit.ts';
import { prepareWebUi } from './support/web-ui.ts';

interface Named {
  id: number;
}

describe('a forum', () => {
  let service: PageService;
  let page: Page;
  let bot: { id: number; platform_id: number };
  let olga: Named;
  let forum: Named;
  let refunds: number;
  const openWebUi = prepareWebUi();

  beforeAll(async () => {
    ({ page, service } = await openWebUi());
    bot = await addPracticeBot(service, 'Keeper', { manage_enabled: true });
    olga = await service.post('/api/sandbox/users/create', { first_name: 'Olga' });
    forum = await service.post<Named>('/api/sandbox/chats/create', {
      title: 'Team',
      owner: olga.id,
      type: 'supergroup',
      is_forum: true,
      members: [bot.platform_id],
    });
    refunds = await create('Refunds');
    await create('Parcels');
    await say('/money_back', refunds);
    await say('/hello_all');
  });

  const create = async (name: string) => {
    const body = { user: olga.id, chat: forum.id, name };
    const made = await service.post<{ message_thread_id: number }>(
      '/api/sandbox/topics/create',
      body,
    );
    return made.message_thread_id;
  };
  const say = (text: string, message_thread_id?: number) =>
    service.post('/api/sandbox/say', {
      user: olga.id,
      chat: forum.id,
      text,
      ...(message_thread_id === undefined ? {} : { message_thread_id }),
    });
  const list = () => page.getByRole('navigation', { name: 'Topics of Team' });
  const message = (text: string) =>
    page.getByRole('log').locator('[data-message]').filter({ hasText: text });

  it('opens with its topics; each shows its messages, and the composer writes into it', async () => {
    await visit(page, `${service.address}/chats/${bot.id}/${forum.id}`);
    await list()
      .getByRole('link', { name: /General/ })
      .waitFor();
    await list()
      .getByRole('link', { name: /Refunds.*money_back/ })
      .click();
    await page.waitForURL(new RegExp(`topic=${refunds}$`));
    await message('/money_back').waitFor();
    expect(await message('/hello_all').count()).toBe(0);
    await page.getByRole('textbox', { name: 'Write as the bot' }).fill('On its way.');
    await page.keyboard.press('Enter');
    await message('On its way.').waitFor();
    const query = `bot_id=${bot.id}&chat_id=${forum.id}&message_thread_id=${refunds}&limit=1`;
    expect(await service.get<object[]>(`/api/messages?${query}`)).toMatchObject([
      { text: 'On its way.', message_thread_id: refunds },
    ]);

    // A reload keeps the topic, and what arrives elsewhere is not shown here.
    await page.reload();
    await page.getByRole('heading', { name: 'Refunds' }).waitFor();
    await message('On its way.').waitFor();
    await say('/elsewhere');
    await say('/and_here', refunds);
    await message('/and_here').waitFor();
    expect(await message('/elsewhere').count()).toBe(0);

    await page.getByRole('link', { name: 'All topics' }).click();
    await list()
      .getByRole('link', { name: /General.*elsewhere/ })
      .waitFor();
    await list()
      .getByRole('link', { name: /All messages/ })
      .click();
    await message('/and_here').waitFor();
    await message('/elsewhere').waitFor();
  });

  it('has search and statistics of a topic', async () => {
    await visit(page, `${service.address}/chats/${bot.id}/${forum.id}?topic=${refunds}`);
    await page.getByRole('button', { name: 'Search this chat' }).click();
    const search = page.getByRole('searchbox', { name: 'Search this chat' });
    await search.fill('money');
    await page.getByRole('listitem').filter({ hasText: '/money_back' }).waitFor();
    await search.fill('hello');
    await page.getByText(/No messages contain/).waitFor();
    await page.getByRole('button', { name: 'Export and statistics' }).click();
    await page.getByRole('menuitem', { name: 'Statistics' }).click();
    await page.waitForURL(new RegExp(`topic=${refunds}`));
    const topic = page.getByRole('combobox', { name: 'Topic' });
    await expect.poll(() => topic.inputValue()).toBe('Refunds');
    await page.getByText('Received').waitFor();
    const busiest = page.locator('section', { hasText: 'Most active topics' });
    expect(await busiest.count()).toBe(0);
    await topic.click();
    await page.getByRole('option', { name: 'All topics' }).click();
    await busiest.getByRole('link', { name: 'Refunds' }).click();
    await message('/money_back').waitFor();
  });

  it('says that a topic is gone', async () => {
    await visit(page, `${service.address}/chats/${bot.id}/${forum.id}?topic=${refunds}`);
    await page.getByRole('heading', { name: 'Refunds' }).waitFor();
    const topic = { user: olga.id, chat: forum.id, message_thread_id: refunds };
    await service.post('/api/sandbox/topics/delete', topic);
    await page.getByRole('textbox', { name: 'Write as the bot' }).fill('Are you there?');
    await page.keyboard.press('Enter');
    await page.getByText('The bot cannot write into this topic').waitFor();
    await page.reload();
    await page.getByText('The bot cannot write here').waitFor();
    const query = `bot_id=${bot.id}&chat_id=${forum.id}&q=refunds`;
    expect(await service.get<object[]>(`/api/chats/topics?${query}`)).toMatchObject([
      { message_thread_id: refunds, gone: true },
    ]);
  });

  it('shows a private chat with topics as topics, also on a small dark screen', async () => {
    const issued = await service.post<{ token: string }>('/api/sandbox/bots', {
      first_name: 'Agent',
      has_topics_enabled: true,
    });
    const agent = await service.post<{ id: number; platform_id: number }>('/api/bots/add', {
      token: issued.token,
      name: 'Agent',
      manage_enabled: true,
    });
    const there = { user: olga.id, chat: agent.platform_id };
    const topicOf = async (name: string) => {
      const made = await service.post<{ message_thread_id: number }>('/api/sandbox/topics/create', {
        ...there,
        name,
      });
      await service.post('/api/sandbox/say', { ...there, ...made, text: `Plan the ${name}` });
      return made.message_thread_id;
    };
    const trip = await topicOf('Trip');
    await topicOf('Party');
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await visit(page, `${service.address}/chats/${agent.id}/${olga.id}`);
    const topics = page.getByRole('navigation', { name: 'Topics of Olga' });
    await topics.getByRole('link', { name: /Party.*Plan the Party/ }).waitFor();
    expect(await axeProblems(page, { within: 'nav[aria-label^=Topics]' })).toEqual([]);
    await topics.getByRole('link', { name: /Trip.*Plan the Trip/ }).click();
    await page.waitForURL(new RegExp(`topic=${trip}$`));
    await message('Plan the Trip').waitFor();
    expect(await message('Plan the Party').count()).toBe(0);
    await page.getByRole('textbox', { name: 'Write as the bot' }).fill('Where to?');
    await page.keyboard.press('Enter');
    await message('Where to?').waitFor();
    const query = `bot_id=${agent.id}&chat_id=${olga.id}&message_thread_id=${trip}&limit=1`;
    expect(await service.get<object[]>(`/api/messages?${query}`)).toMatchObject([
      { text: 'Where to?', message_thread_id: trip },
    ]);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
  });

  it('lists topics as conversations of their own if the bot has per_topic', async () => {
    const { token } = await service.post<{ token: string }>('/api/sandbox/bots', {
      has_topics_enabled: true,
    });
    const agent = await service.post<{ id: number; platform_id: number }>('/api/bots/add', {
      token,
      name: 'Guide',
      manage_enabled: true,
      per_topic: true,
    });
    const there = { user: olga.id, chat: agent.platform_id };
    const topics: number[] = [];
    for (const name of ['Flight', 'Hotel']) {
      const made = await service.post<{ message_thread_id: number }>('/api/sandbox/topics/create', {
        ...there,
        name,
      });
      await service.post('/api/sandbox/say', { ...there, ...made, text: `Book the ${name}` });
      topics.push(made.message_thread_id);
    }
    const [flight, hotel] = topics as [number, number];
    await page.setViewportSize({ width: 1280, height: 800 });
    await visit(page, `${service.address}/chats?inbox=waiting&bot=${agent.id}`);
    const row = (name: string) =>
      page.getByRole('region', { name: 'Chats' }).getByRole('link', { name: `Olga, ${name}` });
    await row('Flight').filter({ hasText: 'Book the Flight' }).click();
    await page.getByRole('heading', { name: 'Flight' }).waitFor();
    await message('Book the Flight').waitFor();
    expect(new URL(page.url()).searchParams.get('topic')).toBe(String(flight));
    await row('Flight').getByRole('img', { name: 'Waiting', exact: true }).waitFor();
    await row('Hotel').getByRole('img', { name: 'Waiting, unread' }).waitFor();

    await page.getByRole('button', { name: 'Mark as done' }).click();
    await row('Flight').waitFor({ state: 'detached' });
    await page.getByTitle('State and assignee').filter({ hasText: 'Done' }).waitFor();
    await row('Hotel').focus();
    await page.keyboard.press('a');
    await row('Hotel').filter({ hasText: 'anna' }).waitFor();
    const query = `bot_id=${agent.id}&message_thread_id=${hotel}`;
    expect(await service.get<object[]>(`/api/chats?${query}`)).toMatchObject([
      { state: 'waiting', assignee: { name: 'anna' } },
    ]);

    // The list is limited to the open topic by a link, and the address keeps that.
    await visit(page, `${service.address}/chats?bot=${agent.id}`);
    await row('Hotel').click();
    await page.getByRole('link', { name: 'Only this topic in the list' }).click();
    await row('Flight').waitFor({ state: 'detached' });
    const filters = page.getByRole('region', { name: 'Chats' });
    await filters.getByText('Hotel', { exact: true }).first().waitFor();
    await page.reload();
    await row('Hotel').waitFor();
    expect(await row('Flight').count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('topic')).toBe(String(hotel));
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show every topic' }).click();
    await row('Flight').waitFor();
    expect(new URL(page.url()).searchParams.has('in_topic')).toBe(false);
  });
});
