import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Backend, startBackend } from './support/backend.ts';
import { chooseFrom } from './support/choose-from.ts';
import { axeProblems } from './support/axe.ts';
import { ask, waitUntilSent } from './support/elements.ts';
import { keepNotices } from './support/keep-notices.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { visit } from './support/visit.ts';
import { prepareWebUi } from './support/web-ui.ts';

/** Of a picture of the page, once its bytes are there. */
interface Person {
  id: number;
}

describe('a working day', () => {
  let service: PageService;
  let backend: Backend;
  let page: Page;
  let boris: Person;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    [{ page, service }, backend] = await Promise.all([openWebUi(), startBackend()]);
    await keepNotices(page);
    boris = await service.post<Person>('/api/sandbox/users/create', { first_name: 'Boris' });
  });
  afterAll(() => backend?.close());

  const menu = (name: string) =>
    page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  /** Whatever was open before. */
  async function start(name: string): Promise<void> {
    await visit(page, service.address);
    await menu(name);
  }

  it('sees a broken backend, and delivers again once it is mended', async () => {
    backend.broken = true;
    const bot = await addPracticeBot(service, 'Parcels', {
      proxy_enabled: true,
      backend_url: backend.url,
    });
    await service.post('/api/sandbox/say', {
      user: boris.id,
      chat: bot.platform_id,
      text: 'Keep this safe',
    });
    await start('Bots');
    await page.getByRole('link', { name: /Parcels/ }).click();
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await page.getByRole('heading', { name: 'Retry queues' }).waitFor();

    // The click itself must fix it: an automatic retry must not empty the queue before.
    await page.route(/\/api\/deliveries\/retry-now/, async (route) => {
      backend.broken = false;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Retry all now' }).click();
    await vi.waitFor(() =>
      expect(backend.taken.map(({ text }) => text)).toContain('Keep this safe'),
    );

    const row = page.getByRole('button', { name: /Keep this safe/ });
    await row.getByText('Delivered').waitFor();
    await row.click();
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await vi.waitFor(() => expect(backend.taken.some(({ replay }) => replay)).toBe(true));

    await page.getByRole('tab', { name: 'Update log' }).click();
    await page.getByRole('button', { name: /Keep this safe/ }).click();
    await page.getByRole('region', { name: '#1' }).getByText('Keep this safe').waitFor();
  });

  it('makes a route in words, tries it, and takes a deletion back', async () => {
    await addPracticeBot(service, 'Counter');
    const cashier = await addPracticeBot(service, 'Cashier', { manage_enabled: true });
    const team = await service.post<Person>('/api/sandbox/chats/create', {
      title: 'Till team',
      owner: boris.id,
      type: 'supergroup',
      members: [cashier.platform_id],
    });
    await service.post('/api/sandbox/say', { user: boris.id, chat: team.id, text: '/hello' });
    await vi.waitFor(async () => {
      expect(await service.get<unknown[]>(`/api/chats?bot_id=${cashier.id}`)).toHaveLength(1);
    });
    await start('Routes');
    await page.getByRole('button', { name: 'Add route' }).first().click();
    const editor = page.getByRole('dialog');
    await choose(editor.getByLabel('Source bot'), 'Counter');
    await choose(editor.getByLabel('Condition', { exact: true }), 'contains a keyword');
    await choose(editor.getByLabel('Target bot'), 'Cashier');
    await choose(editor.getByLabel('Target chat'), 'same chat');
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.getByText('Enter at least one keyword.').waitFor();
    expect(await editor.getByText('Enter at least one keyword.').count()).toBe(1);
    expect(await editor.getByRole('alert').count()).toBe(0);
    await editor.getByLabel('Keywords, separated by commas').fill('refund');
    await editor.getByLabel('Target chat').fill('-100777');
    await editor
      .getByText('Cashier forwards it, with the name of its author, to chat -100777')
      .waitFor();
    await editor.getByText('Cashier was not seen in this chat. Add it there first.').waitFor();
    await editor.getByLabel('Target chat').fill('777');
    await editor.getByText('Cashier has no chat with this person. Ask them to start it').waitFor();
    await choose(editor.getByLabel('Target chat'), 'Till team');
    await choose(editor.getByLabel('Return path'), 'off');
    const words =
      'When Counter receives a message with the word “refund”, Cashier forwards it, with the name of its author, to chat “Till team”. Answers do not go back.';
    await editor.getByText(words).waitFor();
    await editor.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('listitem').filter({ hasText: words }).waitFor();
    expect(await service.get('/api/routes')).toMatchObject([
      { target_chat_id: team.id, return_mode: 'off' },
    ]);

    await choose(page.getByLabel('Source bot'), 'Counter');
    await page.getByLabel('Message', { exact: true }).fill('A refund, please');
    const answered = page.waitForResponse((response) => response.url().endsWith('/simulate'));
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    expect(await (await answered).json()).toMatchObject({ outcome: 'routed' });
    const simulated = page.locator('[aria-live=polite]').filter({ hasText: 'routed' });
    await simulated.getByText('it says “refund”').waitFor();
    expect(await simulated.getByText('it says').count()).toBe(1);
    expect(await simulated.textContent()).toContain('Counter → Cashier · it says “refund”');

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No routes yet').waitFor();
    await page.getByText('Route deleted').waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByRole('listitem').filter({ hasText: words }).waitFor();

    await page.getByRole('button', { name: 'Add route' }).first().click();
    await choose(editor.getByLabel('Source bot'), 'Counter');
    await choose(editor.getByLabel('Condition', { exact: true }), 'matches by meaning');
    await editor.getByText(/Turn on “Route by meaning”/).waitFor();
    const examples = editor.getByLabel('Example messages, one per line');
    await examples.fill('Where is my money?\nCan I send it back?');
    await choose(editor.getByLabel('Target bot'), 'Cashier');
    await choose(editor.getByLabel('Target chat'), 'same chat');
    await editor.getByRole('button', { name: 'Save' }).click();
    const byMeaning = page.getByRole('listitem').filter({ hasText: 'fits the target by meaning' });
    await byMeaning.getByRole('button', { name: 'Edit' }).click();
    expect(await examples.inputValue()).toBe('Where is my money?\nCan I send it back?');
    // Nothing was changed, so nothing is asked.
    await page.keyboard.press('Escape');
    await editor.waitFor({ state: 'detached' });
    expect(await service.get('/api/routes')).toMatchObject([
      { condition_type: 'keyword' },
      { condition_type: 'llm', condition_value: 'Where is my money?\nCan I send it back?' },
    ]);
  });

  it('asks before a route that is not saved is left', async () => {
    await addPracticeBot(service, 'Post room');
    await start('Routes');
    await page.getByRole('button', { name: 'Add route' }).first().click();
    const editor = page.getByRole('dialog', { name: 'New route' });
    await editor.getByLabel('Note').fill('Written with care');
    const leave = page.getByRole('dialog', { name: 'Leave without saving?' });
    await page.keyboard.press('Escape');
    await leave.waitFor();
    await page.keyboard.press('Escape');
    await leave.waitFor({ state: 'detached' });
    expect(await editor.getByLabel('Note').inputValue()).toBe('Written with care');
    await page.keyboard.press('Escape');
    await leave.getByRole('button', { name: 'Leave' }).click();
    await editor.waitFor({ state: 'detached' });
    // The next one begins empty and closes at once.
    await page.getByRole('button', { name: 'Add route' }).first().click();
    expect(await editor.getByLabel('Note').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await editor.waitFor({ state: 'detached' });
    expect(await leave.count()).toBe(0);
  });

  it('lets two phones talk in a group, and a button be pressed', async () => {
    const bot = await addPracticeBot(service, 'Helper', { manage_enabled: true });
    const dana = await service.post<Person>('/api/sandbox/users/create', { first_name: 'Dana' });
    await start('Sandbox');
    await page.getByRole('heading', { name: 'Sandbox', level: 1 }).waitFor();
    for (const name of ['Boris', 'Dana']) {
      await page.getByRole('button', { name: 'Add phone' }).first().click();
      await page.getByRole('menuitem', { name }).click();
    }
    const first = page.getByRole('region', { name: 'Phone of Boris' });
    const second = page.getByRole('region', { name: 'Phone of Dana' });
    await first.getByRole('button', { name: 'New chat' }).click();
    await page.getByRole('menuitem', { name: 'New group' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Members').click();
    await page.getByRole('option', { name: 'Dana' }).click();
    await dialog.getByRole('button', { name: 'Create group' }).click();
    await first.getByLabel('Message').fill('Hello neighbours');
    await page.keyboard.press('Enter');
    await second.getByRole('button', { name: /Neighbors/ }).click();
    // The composer has the focus when a chat opens.
    const field = second.getByLabel('Message');
    await field.waitFor();
    await vi.waitFor(async () => expect(await field.and(page.locator(':focus')).count()).toBe(1));
    await second.getByRole('log').getByText('Hello neighbours').waitFor();
    // The owner of the phone shows beside the chat, too.
    await first.getByText('Boris', { exact: true }).waitFor();
    await second.getByText('Dana', { exact: true }).waitFor();

    await chooseFrom(first.getByRole('button', { name: 'More: Hello neighbours' }), 'Edit');
    await first.getByLabel('Message').fill('Hello everybody');
    await page.keyboard.press('Enter');
    await second.getByRole('log').getByText('Hello everybody').waitFor();

    await first.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Helper' }).click();
    await second.getByRole('log').getByText('Helper joined').waitFor();
    await first.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: '3 members' }).click();
    await page.getByRole('button', { name: 'Actions: Helper' }).click();
    await page.getByRole('menuitem', { name: 'Remove from group' }).click();
    await second.getByRole('log').getByText('Helper left').waitFor();
    await page.keyboard.press('Escape');

    await service.post('/api/sandbox/say', {
      user: dana.id,
      chat: bot.platform_id,
      text: '/start',
    });
    const bots = await service.get<{ id: number; token: string }[]>('/api/bots');
    const helper = bots.find(({ id }) => id === bot.id);
    await fetch(`${service.address}/bot${helper?.token}/sendMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        chat_id: dana.id,
        text: 'Tea or coffee?',
        reply_markup: { inline_keyboard: [[{ text: 'Tea', callback_data: 'tea' }]] },
      }),
    });
    await second.getByRole('button', { name: 'Back to chats' }).click();
    await second.getByRole('button', { name: /^Helper/ }).click();
    await second.getByRole('button', { name: 'Tea', exact: true }).click();

    await menu('Chats');
    await page.getByRole('link', { name: /Dana/ }).first().click();
    await page.getByRole('log').getByText('pressed “Tea”').waitFor();
    const shown = page.getByRole('log').getByRole('group', { name: 'Buttons' });
    await shown.getByTitle('callback_data: tea').getByText('Tea').waitFor();
    expect(await shown.getByRole('button').count()).toBe(0);
    const { message_count: before } = await service.get<{ message_count: number }>(
      `/api/chats/get?bot_id=${bot.id}&chat_id=${dana.id}`,
    );
    await page.getByText(`${before} messages stored`).waitFor();
    await service.post('/api/sandbox/say', {
      user: dana.id,
      chat: bot.platform_id,
      text: 'With milk',
    });
    await page.getByRole('log').getByText('With milk').waitFor();
    await page.getByText(`${before + 1} messages stored`).waitFor();
  });

  it('offers the phone of a person who was added while another page was shown', async () => {
    await start('Sandbox');
    await page.getByRole('button', { name: 'Add phone' }).first().waitFor();
    await start('Bots');
    await service.post('/api/sandbox/users/create', { first_name: 'Greta' });
    await visit(page, `${service.address}/phones`);
    await page.getByRole('button', { name: 'Add phone' }).first().click();
    await page.getByRole('menuitem', { name: 'Greta' }).click();
    expect(await page.getByRole('region', { name: 'Phone of Greta' }).count()).toBe(1);
  });

  it('lets a person stop a bot, and start it again', async () => {
    const bot = await addPracticeBot(service, 'Chatterbox');
    const fred = await service.post<Person>('/api/sandbox/users/create', { first_name: 'Fred' });
    await service.post('/api/sandbox/say', {
      user: fred.id,
      chat: bot.platform_id,
      text: '/start',
    });
    await visit(page, `${service.address}/phones`);
    await page.getByRole('button', { name: 'Add phone' }).first().click();
    await page.getByRole('menuitem', { name: 'Fred' }).click();
    const phone = page.getByRole('region', { name: 'Phone of Fred' });
    await phone.getByRole('button', { name: /^Chatterbox/ }).click();
    const items = page.getByRole('menuitem');
    for (const offered of ['Block bot', 'Unblock bot', 'Block bot']) {
      // The menu of before may still be closing.
      await vi.waitFor(async () => {
        if ((await items.count()) === 0) {
          await phone.getByRole('button', { name: 'More', exact: true }).click();
        }
        expect(await items.allTextContents()).toEqual([offered]);
      });
      await items.click();
    }
  });

  it('shows a photo on the phone it is sent from, and takes one of two faults back', async () => {
    const bot = await addPracticeBot(service, 'Album');
    const emil = await service.post<Person>('/api/sandbox/users/create', { first_name: 'Emil' });
    await service.post('/api/sandbox/say', {
      user: emil.id,
      chat: bot.platform_id,
      text: '/start',
    });
    await visit(page, `${service.address}/phones`);
    await page.getByRole('button', { name: 'Add phone' }).first().click();
    await page.getByRole('menuitem', { name: 'Emil' }).click();
    const phone = page.getByRole('region', { name: 'Phone of Emil' });
    await phone.getByRole('button', { name: /Album/ }).click();
    const long = 'A quotation of many words that does not fit into one line. '.repeat(3);
    await phone.getByLabel('Message').fill(`${long}${'unbroken'.repeat(20)}`);
    await page.keyboard.press('Enter');
    await chooseFrom(phone.getByRole('button', { name: /^More: A quotation/ }), 'Reply');
    await waitUntilSent(phone);
    await phone.getByLabel('Message').fill('Yes');
    await page.keyboard.press('Enter');
    const log = phone.getByRole('log');
    await log.getByRole('button', { name: 'More: Yes' }).waitFor();
    expect(await ask(log, (box) => box.scrollWidth - box.clientWidth)).toBe(0);
    const left = (await phone.boundingBox())?.x ?? 0;
    const quote = await log.getByText('A quotation').last().boundingBox();
    expect(quote?.x).toBeGreaterThan(left);
    expect((quote?.x ?? 0) + (quote?.width ?? 0)).toBeLessThan(left + 344);
    await phone.getByRole('button', { name: 'Send photo' }).click();
    const photo = phone.getByRole('img', { name: 'Photo' });
    await vi.waitFor(async () => {
      expect(await ask(photo, (image) => image.naturalWidth)).toBe(640);
    });
    await phone.getByRole('button', { name: 'Open photo: Photo' }).click();
    const viewer = page.getByRole('dialog', { name: 'Emil' });
    await viewer.getByRole('img', { name: 'Photo' }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await viewer.waitFor({ state: 'detached' });

    for (const kind of ['slow', 'conflict']) {
      await service.post('/api/sandbox/faults/add', {
        kind,
        bot: bot.platform_id,
        method: 'getMe',
      });
    }
    await page.getByRole('button', { name: '2 active faults' }).click();
    const faults = page.getByRole('dialog', { name: 'Faults' });
    await faults.getByRole('button', { name: 'Remove: slow response' }).click();
    await faults.getByText('slow response · Album').waitFor({ state: 'detached' });
    expect(await service.get('/api/sandbox/faults/list')).toMatchObject([{ kind: 'conflict' }]);
    await faults.getByRole('button', { name: 'Clear all' }).click();
    await faults.getByText('No active faults.').waitFor();
  });
});

/** Picks one of a list, as the mouse does. */
async function choose(field: ReturnType<Page['getByLabel']>, option: string): Promise<void> {
  await field.first().click();
  await field.page().getByRole('option', { name: option }).click();
}
