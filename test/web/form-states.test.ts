import type { Browser, Locator, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { inView, isFocused, waitUntilFocused } from './support/elements.ts';
import { keepNotices } from './support/keep-notices.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { visit } from './support/visit.ts';
import { openPage } from './support/visitor.ts';
import { prepareWebUi } from './support/web-ui.ts';

describe('the form of the first account', () => {
  let browser: Browser;
  let service: PageService;
  let page: Page;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ browser, page, service } = await openWebUi({ isSignedIn: false }));
  });

  it('tells at the first account what a name may hold, without a pattern', async () => {
    await page.goto(service.setupLink);
    const name = page.getByLabel('Username');
    await name.fill('Anna Smith');
    await page.getByLabel('Password', { exact: true }).fill('correct horse');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Use only letters, digits and . _ @ + - without spaces.').waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await waitUntilFocused(name);
    expect(await page.getByText('must have the form').count()).toBe(0);
  });

  it.each([
    ['en-US', 'Username', 'Password', 'Create account', 'Use at least 8 characters.'],
    ['ru-RU', 'Имя пользователя', 'Пароль', 'Создать', 'Нужно не меньше 8 символов.'],
  ])(
    'says beside the first password that it is too short: %s',
    async (locale, name, label, button, words) => {
      const { context, page: own } = await openPage(browser, { locale });
      onTestFinished(() => context.close());
      await own.goto(service.setupLink);
      await own.getByLabel(name, { exact: true }).fill('anna');
      const password = own.getByLabel(label, { exact: true });
      for (const text of ['', 'short']) {
        await password.fill(text);
        await own.getByRole('button', { name: button }).click();
        await own.getByText(words, { exact: true }).waitFor();
        await waitUntilFocused(password);
        expect(await password.getAttribute('aria-invalid')).toBe('true');
        await own.getByLabel(name, { exact: true }).focus();
      }
      await password.fill('long enough');
      await own.getByText(words, { exact: true }).waitFor({ state: 'detached' });
    },
  );
});

describe('forms of a signed-in user', () => {
  let service: PageService;
  let page: Page;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ page, service } = await openWebUi());
    await keepNotices(page);
  });
  afterEach(async () => {
    const bots = await service.get<{ id: number }[]>('/api/bots');
    for (const { id } of bots) await service.post(`/api/bots/delete?id=${id}`);
  });

  const tone = (words: string) =>
    page.locator('[data-tone]').filter({ hasText: words }).first().getAttribute('data-tone');

  it('goes to the first wrong field of every form that is about an account', async () => {
    await visit(page, `${service.address}/settings`);
    await page.getByLabel('Current password').fill('correct horse');
    const next = page.getByLabel('New password');
    await next.fill('short');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Use at least 8 characters.', { exact: true }).waitFor();
    await waitUntilFocused(next);
    expect(await next.getAttribute('aria-invalid')).toBe('true');

    await visit(page, `${service.address}/access`);
    await page.getByRole('button', { name: 'New user' }).first().click();
    const dialog = page.getByRole('dialog');
    const name = dialog.getByLabel('Username');
    await name.fill('Carl Smith');
    await dialog.getByLabel('Password', { exact: true }).fill('short');
    await dialog.getByRole('button', { name: 'Add user' }).click();
    await waitUntilFocused(dialog.getByLabel('Password', { exact: true }));
    await dialog.getByLabel('Password', { exact: true }).fill('long enough');
    await dialog.getByRole('button', { name: 'Add user' }).click();
    await dialog.getByText('Use only letters, digits and . _ @ + - without spaces.').waitFor();
    await waitUntilFocused(name);
  });

  it('closes a list of several choices after each, as it may cover the next button', async () => {
    const bot = await addPracticeBot(service, 'Choosy', { long_poll_enabled: true });
    await visit(page, `${service.address}/access`);
    await page.getByRole('button', { name: 'New user' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Username').fill('choosy');
    await dialog.getByLabel('Password', { exact: true }).fill('long enough');
    await choose(dialog.getByRole('combobox', { name: 'Assigned bots' }), `Choosy (${bot.id})`);
    await dialog.getByRole('button', { name: 'Add user' }).click();
    await dialog.waitFor({ state: 'detached' });

    await visit(page, `${service.address}/bots/${bot.id}?tab=apps`);
    await page.getByRole('button', { name: 'Add app' }).first().click();
    await dialog.getByLabel('Only some').check();
    for (const [field, option] of [
      ['Update types', 'message'],
      ['Chat types', 'Private chats'],
    ] as const) {
      await choose(dialog.getByRole('combobox', { name: field }), option);
      await page.getByRole('option').first().waitFor({ state: 'detached' });
      expect(await dialog.getByText(option, { exact: true }).isVisible()).toBe(true);
    }
  });

  it('makes a practice bot as it was described, and toggles settings by their names', async () => {
    await visit(page, `${service.address}/bots`);
    await page.getByRole('button', { name: 'Add bot' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Bakery');
    await dialog.getByLabel('My app calls getUpdates').check();
    await dialog.getByRole('button', { name: 'Create practice bot' }).click();
    await page.getByRole('heading', { name: 'Bakery', level: 1 }).waitFor();
    const notice = page.getByRole('status').filter({ hasText: 'Added Bakery' });
    await notice.getByRole('button', { name: 'Write to it' }).click();
    await page.getByRole('heading', { name: 'Sandbox', level: 1 }).waitFor();
    const bots =
      await service.get<{ id: number; name: string; long_poll_enabled: boolean }[]>('/api/bots');
    const bakery = bots.find(({ name }) => name === 'Bakery');
    expect(bakery).toMatchObject({ long_poll_enabled: true });

    await visit(page, `${service.address}/bots/${bakery?.id}`);
    const forwards = page.getByRole('switch', { name: 'Forward to a backend' });
    expect(await forwards.isChecked()).toBe(false);
    await page.getByText('Forward to a backend', { exact: true }).click();
    expect(await forwards.isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('tells of a bot added while Telegram is out of reach why it has no name', async () => {
    await visit(page, `${service.address}/bots`);
    await page.getByRole('button', { name: 'Add bot' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Token').fill('7000000001:added-while-telegram-is-away');
    await dialog.getByText('Telegram is unreachable. Check the network').waitFor();
    await dialog.getByRole('button', { name: 'Add and set up' }).click();
    const notice = page.getByRole('status');
    await notice.getByText('Telegram is unreachable.').waitFor();
    await notice.getByText('The name of the bot appears once Telegram answers').waitFor();
    const unnamed = page.getByText('name not known yet');
    await unnamed.waitFor();
    await visit(page, `${service.address}/bots`);
    await unnamed.waitFor();
    await page.getByText('Telegram cannot be reached').waitFor();
    const bots = await service.get<{ id: number; username: string }[]>('/api/bots');
    expect(bots.map(({ username }) => username)).toEqual(['']);
  });

  it('says at the token that its bot is here already, and leads there', async () => {
    const { token } = await service.post<{ token: string }>('/api/sandbox/bots', {
      first_name: 'Tea shop',
    });
    const bot = await service.post<{ id: number }>('/api/bots/add', { token, name: 'Tea shop' });
    await visit(page, `${service.address}/bots`);
    await page.getByRole('button', { name: 'Add bot' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add bot' });
    const field = dialog.getByLabel('Token');
    const submit = dialog.getByRole('button', { name: 'Add and set up' });

    await field.fill('nonsense');
    await submit.click();
    await dialog.getByText('Use digits, a colon and letters').waitFor();
    expect(await dialog.getByRole('alert').count()).toBe(0);

    await field.fill(token);
    await dialog.getByText('Token of Tea shop').waitFor();
    await submit.click();
    await dialog.getByText('A bot with this token already exists.').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await dialog.getByText('Token of Tea shop').count()).toBe(0);
    expect(await dialog.getByText('/api/bots/update').count()).toBe(0);
    await dialog.getByRole('link', { name: 'Open this bot' }).click();
    await page.getByRole('heading', { name: 'Tea shop' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/bots/${bot.id}`);
    await dialog.waitFor({ state: 'detached' });
  });

  it('says in the save bar why settings were refused, and goes to the wrong field', async () => {
    const bot = await addPracticeBot(service, 'Stubborn');
    await visit(page, `${service.address}/bots/${bot.id}`);
    const webhook = page.getByRole('switch', { name: 'Receive by webhook' });
    await webhook.setChecked(true, { force: true });
    await page.getByRole('button', { name: 'Save' }).click();
    const bar = page.getByRole('alert').filter({ hasText: 'Not saved.' });
    await bar.getByText('Webhooks need a public URL.').waitFor();
    expect(await bar.textContent()).not.toMatch(/webhook_mode/);
    await waitUntilFocused(webhook);
    expect(await inView(bar)).toBe(true);
    expect(await inView(webhook)).toBe(true);
    await webhook.setChecked(false, { force: true });

    const address = page.getByLabel('Backend URL');
    await address.fill('127.0.0.1:18500/hook');
    await page.getByRole('button', { name: 'Save' }).click();
    await bar.getByText('Backend URL: Start with http:// or https://').waitFor();
    await waitUntilFocused(address);
    expect(await address.getAttribute('aria-invalid')).toBe('true');
    expect(await inView(address)).toBe(true);
    // Another field does not correct it.
    await page.getByLabel('Description').fill('Says no');
    expect(await address.getAttribute('aria-invalid')).toBe('true');
    await address.fill('http://127.0.0.1:18500/hook');
    await page.getByText('Unsaved changes', { exact: true }).waitFor();
    expect(await bar.count()).toBe(0);
    expect(await address.getAttribute('aria-invalid')).toBe(null);
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('prompts for a chat and for the simulator only where there is one', async () => {
    const bot = await addPracticeBot(service, 'Silent', { manage_enabled: true });
    await visit(page, `${service.address}/routes`);
    await page.getByText('No routes yet').waitFor();
    await page.getByRole('button', { name: 'Edit: Language model' }).click();
    await page.getByText('0 calls').waitFor();
    expect(await page.getByText('route simulator').count()).toBe(0);
    await visit(page, `${service.address}/chats`);
    await page.getByText('No chats yet').waitFor();
    expect(await page.getByText('Choose a chat').count()).toBe(0);
    const ann = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Ann',
    });
    await service.post('/api/sandbox/say', { user: ann.id, chat: bot.platform_id, text: 'Hello' });
    await page.getByText('Choose a chat').waitFor();
  });

  it('goes to the wrong field of a route each time it is refused', async () => {
    await addPracticeBot(service, 'Picky');
    await visit(page, `${service.address}/routes`);
    await page.getByRole('button', { name: 'Add route' }).first().click();
    const editor = page.getByRole('dialog');
    const chat = editor.getByLabel('Target chat');
    for (let attempt = 0; attempt < 2; attempt++) {
      await editor.getByLabel('Note').focus();
      await editor.getByRole('button', { name: 'Save' }).click();
      await waitUntilFocused(chat);
    }
    await choose(chat, 'same chat');
    await choose(editor.getByLabel('Condition'), 'matches a pattern');
    const pattern = editor.getByLabel('Pattern');
    for (const text of ['(', '[']) {
      await pattern.fill(text);
      await editor.getByRole('button', { name: 'Save' }).click();
      await waitUntilFocused(pattern);
      expect(await pattern.getAttribute('aria-invalid')).toBe('true');
    }
    await pattern.fill('refund');
    expect(await pattern.getAttribute('aria-invalid')).toBe(null);
    await pattern.fill('');
    await editor.getByRole('button', { name: 'Save' }).click();
    await waitUntilFocused(pattern);
    await choose(editor.getByLabel('Condition'), 'is a command');
    expect(await editor.getByLabel('Command').getAttribute('aria-invalid')).toBe(null);
  });

  it('asks where a route leads, warns of what cannot arrive, and shows what did not', async () => {
    const front = await addPracticeBot(service, 'Front');
    await addPracticeBot(service, 'Back');
    await visit(page, `${service.address}/routes`);
    await page.getByRole('button', { name: 'Add route' }).first().click();
    const editor = page.getByRole('dialog');
    await editor.getByText('to a chat you choose').waitFor();
    const foot = async () => {
      const save = await editor.getByRole('button', { name: 'Save' }).boundingBox();
      const whole = await editor.boundingBox();
      if (save === null || whole === null) throw new Error('Not shown.');
      return whole.y + whole.height - (save.y + save.height);
    };
    await editor.getByRole('button', { name: 'Save' }).scrollIntoViewIfNeeded();
    expect(await foot()).toBeGreaterThanOrEqual(15);
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.getByText('Choose a target chat.').waitFor();
    const chat = editor.getByLabel('Target chat');
    expect(await chat.evaluate(isFocused)).toBe(true);
    const tops = [chat, editor.getByLabel('Target bot')].map((field) => field.boundingBox());
    const [left, right] = await Promise.all(tops);
    expect(left?.y).toBe(right?.y);
    await choose(chat, 'same chat');
    await editor.getByText('people who started Back').waitFor();
    await choose(editor.getByLabel('Target bot'), 'Front');
    await editor.getByText('back to the chat it came from').waitFor();
    await choose(editor.getByLabel('Target bot'), 'Back');
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await page.getByText('only if the person has started bot “Back”').waitFor();
    expect(await tone('routed → Back')).toBe('warn');

    const ann = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Ann',
    });
    const hello = { user: ann.id, chat: front.platform_id, text: 'Hello' };
    await service.post('/api/sandbox/say', hello);
    await page.getByText('Failed', { exact: true }).click();
    const line = page.getByRole('button', { name: /not delivered/ });
    await line.waitFor();
    expect(await tone('not delivered')).toBe('bad');
    // Which route, and in which chat.
    expect(await line.textContent()).toContain(`in chat ${ann.id} · route Front → Back`);
    // The drawing does not count it as carried. It reads that every ten seconds, or when it is opened.
    await page.reload();
    await page.locator('main svg').getByText('every message · failing', { exact: true }).waitFor();
    await page.getByText('Failed', { exact: true }).click();
    await line.click();
    await page.getByText('Chat not found in Telegram. Ask the person to start the bot').waitFor();
    await page.getByText('No match', { exact: true }).click();
    await page.getByText('No decisions match').waitFor();
  });

  it('leads to a chat where the target bot knows none, and counts what arrived', async () => {
    const desk = await addPracticeBot(service, 'Desk', { manage_enabled: true });
    const team = await addPracticeBot(service, 'Helpers', { manage_enabled: true });
    await visit(page, `${service.address}/routes`);
    await page.getByRole('button', { name: 'Add route' }).first().click();
    const editor = page.getByRole('dialog');
    await choose(editor.getByLabel('Source bot'), 'Desk');
    await choose(editor.getByLabel('Target bot'), 'Helpers');
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.getByText('Choose a target chat.').waitFor();
    await waitUntilFocused(editor.getByLabel('Target chat'));
    expect(await page.getByRole('option').count(), 'a list would cover what is wrong').toBe(0);
    await editor.getByRole('button', { name: 'Create practice group' }).click();
    await editor.getByText('Choose a target chat.').waitFor({ state: 'detached' });
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.waitFor({ state: 'detached' });

    const ends = { source_bot_id: desk.id, target_bot_id: team.id, target_chat_id: 999_999 };
    const condition = { condition_type: 'all', condition_value: '' };
    await service.post('/api/routes/add', { ...ends, ...condition, action: 'copy' });
    const cy = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Cy',
    });
    const hello = { user: cy.id, chat: desk.platform_id, text: 'Hello' };
    await service.post('/api/sandbox/say', hello);
    await page.getByText('1 of 2 delivered').waitFor();
    expect(await tone('1 of 2 delivered')).toBe('bad');
  });

  async function choose(field: Locator, option: string): Promise<void> {
    await field.click();
    await page.getByRole('option', { name: option, exact: true }).click();
  }
});
