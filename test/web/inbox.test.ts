import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDatabase, type Database, eitherDialect } from '../support/database/engines.ts';
import { axeProblems } from './support/axe.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { openPage, signIn } from './support/visitor.ts';
import { prepareWebUi } from './support/web-ui.ts';

const password = 'a long enough password';

describe.each(eitherDialect)('the inbox on %s', (dialect) => {
  let service: PageService;
  let anna: Page;
  let olga: Page;
  let bot: { id: number; platform_id: number };
  let people: { id: number }[];
  let database: Database;
  // The service ends first: hooks run in reverse.
  afterAll(() => database.drop());
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    database = await createDatabase(dialect);
    const { browser, ...started } = await openWebUi({
      env: { ...database.settings, RELAY_SECRET_KEY: 'k'.repeat(40) },
    });
    ({ page: anna, service } = started);
    bot = await addPracticeBot(service, 'Shop', { manage_enabled: true });
    people = [];
    for (const first_name of ['Ivo', 'Kim']) {
      const person = await service.post<{ id: number }>('/api/sandbox/users/create', {
        first_name,
      });
      people.push(person);
      await say(person, 'Where is my order?');
    }
    await service.post('/api/auth/users/create', { username: 'olga', password, role: 'admin' });
    const visitor = await openPage(browser);
    await signIn(visitor.context, service, { username: 'olga', password });
    olga = visitor.page;
    await olga.goto(`${service.address}/chats?inbox=waiting`);
  });

  const say = (person: { id: number }, text: string) =>
    service.post('/api/sandbox/say', { user: person.id, chat: bot.platform_id, text });
  const list = (page: Page) => page.getByRole('region', { name: 'Chats' });
  const row = (page: Page, name: string) => list(page).getByRole('link', { name });
  const unread = (page: Page, name: string) =>
    row(page, name).getByRole('img', { name: 'Waiting, unread' });
  const tab = (page: Page, name: string) =>
    page.getByRole('radiogroup', { name: 'Conversations' }).getByText(name);
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  it('shows who waits, tells two people of each other, and is worked on by clicks and keys', async () => {
    await anna.goto(`${service.address}/chats?inbox=waiting`);
    await unread(anna, 'Ivo').waitFor();
    await unread(olga, 'Ivo').waitFor();
    expect(await list(anna).getByRole('listitem').allTextContents()).toEqual([
      expect.stringContaining('Ivo'),
      expect.stringContaining('Kim'),
    ]);
    await anna.getByRole('img', { name: '2 waiting' }).waitFor();
    expect(await anna.title()).toBe('(2) Chats · Bot Relay');

    // What one has read, the other has not.
    await row(anna, 'Ivo').click();
    await unread(anna, 'Ivo').waitFor({ state: 'detached' });
    await unread(olga, 'Ivo').waitFor();
    expect(new URL(anna.url()).searchParams.get('inbox')).toBe('waiting');

    await row(olga, 'Ivo').click();
    await olga.getByRole('textbox', { name: 'Write as the bot' }).fill('One moment');
    await anna.getByText('olga is writing…').waitFor();
    await button(anna, 'Assign to me').click();
    await anna.getByTitle('State and assignee').filter({ hasText: 'anna' }).waitFor();
    await button(anna, 'Assign to me').waitFor({ state: 'detached' });
    await row(olga, 'Ivo').filter({ hasText: 'anna' }).waitFor();
    await button(olga, 'Assign to me').click();
    await olga.getByText('anna has this conversation').waitFor();
    await button(olga, 'Take it').waitFor();

    await row(anna, 'Kim').focus();
    await anna.keyboard.press('e');
    await row(anna, 'Kim').waitFor({ state: 'detached' });
    await row(olga, 'Kim').waitFor({ state: 'detached' });
    await anna.getByRole('img', { name: '1 waiting' }).waitFor();

    await tab(anna, 'Mine').click();
    await row(anna, 'Ivo').waitFor();
    await anna.reload();
    await row(anna, 'Ivo').waitFor();
    await button(anna, 'Snooze for an hour').click();
    await anna.getByTitle('State and assignee').filter({ hasText: 'Snoozed' }).waitFor();
    await row(olga, 'Ivo').waitFor({ state: 'detached' });
    await say(people[0] as { id: number }, 'Hello?');
    await row(olga, 'Ivo').waitFor();
    await button(anna, 'Mark as done').click();
    await anna.getByText('You have no conversations').waitFor();
    await vi.waitFor(async () => expect(await anna.title()).toBe('Chats · Bot Relay'));
  });

  it('keeps internal notes in the flow of the chat, which the person never gets', async () => {
    const path = `/chats/${bot.id}/${people[0]?.id}`;
    await anna.goto(service.address + path);
    const field = anna.getByRole('textbox', { name: 'Write as the bot' });
    await field.fill('/note Calls back on Mondays');
    await anna.getByText('only your team sees it').waitFor();
    await field.press('Enter');
    await anna.getByRole('log').getByText('Calls back on Mondays').waitFor();
    expect(await field.inputValue()).toBe('');
    expect(await axeProblems(anna)).toEqual([]);
    await olga.goto(service.address + path);
    await olga
      .getByRole('log')
      .getByRole('note')
      .getByText(/Internal note · anna/)
      .waitFor();
    const phone = await service.get<object[]>(
      `/api/sandbox/history?user=${people[0]?.id}&chat=${bot.platform_id}`,
    );
    expect(JSON.stringify(phone)).not.toContain('Mondays');
  });
});
