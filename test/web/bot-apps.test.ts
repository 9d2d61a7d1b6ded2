import type { Locator, Page } from 'playwright-core';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from 'vitest';
import { axeProblems } from './support/axe.ts';
import { type Backend, startBackend } from './support/backend.ts';
import { chooseFrom } from './support/choose-from.ts';
import { keepNotices } from './support/keep-notices.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { visit } from './support/visit.ts';
import { prepareWebUi } from './support/web-ui.ts';

interface App {
  id: number;
  name: string;
  mode: string;
  disabled: boolean;
  filter: Record<string, unknown>;
}

describe('the apps of a bot', () => {
  let service: PageService;
  let page: Page;
  let complaints: string[];
  let bot: { id: number; platform_id: number };
  let boris: { id: number };
  let backend: Backend;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    [{ page, service, complaints }, backend] = await Promise.all([openWebUi(), startBackend()]);
    await keepNotices(page);
    boris = await service.post('/api/sandbox/users/create', { first_name: 'Boris' });
  });
  afterAll(() => backend?.close());
  beforeEach(async () => {
    bot = await addPracticeBot(service, 'Parcels', { manage_enabled: true });
    for (const text of ['/order 1', 'Where is it?', '/order 2']) {
      await service.post('/api/sandbox/say', { user: boris.id, chat: bot.platform_id, text });
    }
    const log = `/api/updates/log?bot_id=${bot.id}`;
    await vi.waitFor(async () => expect(await service.get(log)).toHaveLength(3));
  });
  afterEach(() => {
    expect(complaints.splice(0).filter((one) => !/40[09]/.test(one))).toEqual([]);
  });

  const apps = () => service.get<App[]>(`/api/bots/apps?bot_id=${bot.id}`);
  const appNamed = async (name: string) => (await apps()).find((one) => one.name === name);
  const add = (name: string, settings: { mode: string; [key: string]: unknown }) =>
    service.post<{ token: string }>('/api/bots/apps/add', { bot_id: bot.id, name, ...settings });
  const addOrders = () =>
    add('orders', { mode: 'poll', filter: { commands: ['/order'], regex: '2$' } });
  const addHook = () => add('hook', { mode: 'webhook', backend_url: 'http://127.0.0.1:9/hook' });
  const openTab = (tab = 'apps') => visit(page, `${service.address}/bots/${bot.id}?tab=${tab}`);
  const row = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });
  const act = (name: string, action: string) =>
    chooseFrom(page.getByRole('button', { name: `Actions: ${name}` }), action);
  const call = async (token: string, method: string) => {
    const response = await fetch(`${service.address}/bot${token}/${method}`);
    return { status: response.status, body: (await response.json()) as unknown };
  };
  const linesIn = (dialog: Locator) => dialog.locator('code').allTextContents();

  /** In the light, and of the contrast also in the dark. */
  async function problemsOfDialog(): Promise<string[]> {
    const within = '[role=dialog]';
    const light = await axeProblems(page, { within });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    const dark = await axeProblems(page, { within, rules: ['color-contrast'] });
    await page.emulateMedia({ colorScheme: 'light' });
    return [...light, ...dark];
  }

  it('says what an app is for, and opens from links to the former tab', async () => {
    await openTab('connect');
    await page.getByText('No other apps').waitFor();
    expect(new URL(page.url()).search).toBe('?tab=apps');
    await page.getByRole('heading', { name: 'Use any bot library' }).waitFor();
    await row('default').getByText('The bot itself').waitFor();
    expect(await page.getByRole('button', { name: 'Actions: default' }).count()).toBe(0);
    await row('default').getByRole('link', { name: 'Bot settings' }).click();
    await page.getByRole('tab', { name: 'Settings', selected: true }).waitFor();
  });

  it('adds an app with a filter, shows how to connect it, and sees its first call', async () => {
    await openTab();
    await page.getByRole('button', { name: 'Add app' }).click();
    const form = page.getByRole('dialog', { name: 'Add app' });
    await form.getByRole('textbox', { name: 'Name' }).fill('orders');
    await form.getByLabel('Only some updates').check();
    await form.getByText('Fill in a field').waitFor();
    await form.getByRole('combobox', { name: 'Commands' }).fill('/order');
    await page.keyboard.press('Enter');
    await form.getByText('Would have received 2 of the last 3 updates').waitFor();
    await form.getByLabel('Regular expression').fill('(');
    // Not while it is being typed.
    expect(await form.locator('[aria-invalid=true]').count()).toBe(0);
    await page.keyboard.press('Tab');
    await form.locator('[aria-invalid=true]').waitFor();
    expect(await form.getByText(/Would have received/).count()).toBe(0);
    await form.getByLabel('Regular expression').fill('2$');
    await form.getByText('Would have received 1 of the last 3 updates').waitFor();
    await form.getByRole('button', { name: 'Add app' }).click();

    const added = page.getByRole('dialog', { name: 'Added orders' });
    await added.getByText('Waiting for the first call…').waitFor();
    const [token = '', line = ''] = await linesIn(added);
    expect(token).toMatch(new RegExp(`^${bot.platform_id}:[\\w-]{35}$`));
    expect(line).toBe(`new Bot('${token}', { client: { apiRoot: '${service.address}' } })`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await added.getByRole('button', { name: 'Copy: Token' }).click();
    await vi.waitFor(async () =>
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token),
    );
    const library = added.getByRole('combobox', { name: 'Library or tool' });
    const choose = async (name: string) => {
      await library.click();
      await page.getByRole('option', { name }).click();
    };
    await choose('n8n');
    expect(await linesIn(added)).toEqual([service.address, token]);
    await choose('Any other tool (API root)');
    expect(await linesIn(added)).toEqual([token, `${service.address}/p/orders`]);
    await page.keyboard.press('Escape');
    expect(await added.isVisible()).toBe(true);

    expect(await call(token, 'getUpdates?timeout=0')).toMatchObject({ status: 200 });
    await added.getByText('Connected').waitFor();
    await added.getByRole('button', { name: 'I have copied it' }).click();
    await row('orders').getByText('Connected').waitFor();
    await row('orders').getByText('Polls the relay · filtered · 0 messages sent').waitFor();
    expect(await appNamed('orders')).toMatchObject({
      mode: 'poll',
      filter: { commands: ['/order'], regex: '2$' },
    });
  });

  it('shows a wrong name at its field, and a filter that matches nothing as a warning', async () => {
    await addOrders();
    await openTab();
    await page.getByRole('button', { name: 'Add app' }).click();
    const form = page.getByRole('dialog', { name: 'Add app' });
    const name = form.getByRole('textbox', { name: 'Name' });
    const submit = form.getByRole('button', { name: 'Add app' });
    expect(await submit.isDisabled()).toBe(true);
    await name.fill('!!');
    await submit.click();
    await form.locator('input[aria-invalid=true]').waitFor();
    await name.fill('orders');
    await submit.click();
    await form.getByText('This bot already has an app with this name.').waitFor();
    await name.fill('hook');
    await form.getByLabel('Webhook').check();
    await submit.click();
    await form.getByRole('textbox', { name: 'Backend URL' }).and(page.locator(':focus')).waitFor();
    await form.getByRole('textbox', { name: 'Backend URL' }).fill('http://127.0.0.1:9/hook');
    await form.getByLabel('Only some updates').check();
    await form.getByRole('combobox', { name: 'Topic IDs' }).fill('four');
    await page.keyboard.press('Enter');
    const wrong = page.locator('input[aria-invalid=true]');
    await form.getByRole('combobox', { name: 'Topic IDs' }).and(wrong).waitFor();
    expect(await wrong.count()).toBe(1);
    await form.getByRole('combobox', { name: 'Topic IDs' }).press('Backspace');
    await form.getByRole('combobox', { name: 'Topic IDs' }).fill('4');
    await page.keyboard.press('Enter');
    await form.getByText('Would have received 0 of the last 3 updates').waitFor();
    await submit.click();
    const added = page.getByRole('dialog', { name: 'Added hook' });
    await added.getByText('The filter matches none of the last 3 updates.').waitFor();
    await added.getByRole('button', { name: 'I have copied it' }).click();
    await row('hook').getByText('Not seen yet').waitFor();
    await row('hook')
      .getByText(/^Webhook to 127.0.0.1:9 · filtered/)
      .waitFor();
  });

  it('edits an app and takes it back', async () => {
    await addOrders();
    await openTab();
    await act('orders', 'Edit');
    const form = page.getByRole('dialog', { name: 'Edit orders' });
    expect(await form.getByRole('textbox', { name: 'Name' }).isDisabled()).toBe(true);
    await form.getByText('Would have received 1 of the last 3 updates').waitFor();
    await form.getByLabel('Everything').check();
    await form.getByText('Advanced').click();
    await form.getByLabel('Exclusive').check();
    await form.getByLabel('Priority').fill('7');
    await form.getByRole('combobox', { name: 'Allowed methods' }).fill('sendMessage');
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('This app takes every update.').waitFor();
    expect(await appNamed('orders')).toMatchObject({
      filter: {},
      exclusive: true,
      priority: 7,
      methods: ['sendMessage'],
    });
    await row('orders')
      .getByText(/exclusive/)
      .waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await vi.waitFor(async () =>
      expect(await appNamed('orders')).toMatchObject({
        filter: { commands: ['/order'], regex: '2$' },
        exclusive: false,
        methods: [],
      }),
    );
  });

  it('sets the queues of a webhook', async () => {
    await addHook();
    await openTab();
    await act('hook', 'Edit');
    const form = page.getByRole('dialog', { name: 'Edit hook' });
    await form.getByText('Advanced').click();
    await form.getByLabel('Keep pending updates').check();
    await form.getByLabel('One queue per topic').check();
    await form.getByLabel('Format Markdown').check();
    await form.getByLabel('Urgent commands').fill('/stop');
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: 'Save' }).click();
    await vi.waitFor(async () =>
      expect(await appNamed('hook')).toMatchObject({
        keep_pending: true,
        per_topic: true,
        urgent: ['/stop'],
        format: 'markdown',
      }),
    );
  });

  it('reads well to a screen reader, in the light and in the dark', async () => {
    await addOrders();
    await addHook();
    await openTab();
    await act('orders', 'Edit');
    const form = page.getByRole('dialog', { name: 'Edit orders' });
    await form.getByLabel('Webhook').check();
    await form.getByText('Advanced').click();
    await form.getByText(/Would have received/).waitFor();
    const found = await problemsOfDialog();
    await openTab();
    await act('hook', 'How to connect');
    await page.getByText('Waiting for the first call…').waitFor();
    found.push(...(await problemsOfDialog()));
    expect(found).toEqual([]);
  });

  it('replaces a token after a question, and shows the new one once', async () => {
    const { token: former } = await add('alerts', { mode: 'send' });
    await openTab();
    await act('alerts', 'Replace token…');
    const ask = page.getByRole('dialog', { name: 'Replace the token of alerts?' });
    await ask.getByRole('button', { name: 'Replace token' }).click();
    const shown = page.getByRole('dialog', { name: 'New token of alerts' });
    await shown.waitFor();
    const [token = ''] = await linesIn(shown);
    expect(token).not.toBe(former);
    expect((await call(former, 'getMe')).status).toBe(401);
    expect((await call(token, 'getMe')).status).toBe(200);
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    await act('alerts', 'How to connect');
    const how = page.getByRole('dialog', { name: 'Connect alerts' });
    await how.getByText('The token was shown once.').waitFor();
    expect((await linesIn(how)).join()).not.toContain(token);
    await page.keyboard.press('Escape');
  });

  it('disables, enables and deletes an app, and says what is lost', async () => {
    await add('alerts', { mode: 'send' });
    await openTab();
    await act('alerts', 'Disable');
    await row('alerts').getByText('Disabled').waitFor();
    expect((await appNamed('alerts'))?.disabled).toBe(true);
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await vi.waitFor(async () => expect((await appNamed('alerts'))?.disabled).toBe(false));
    await act('alerts', 'Delete');
    const ask = page.getByRole('dialog', { name: 'Delete alerts?' });
    await ask.getByText(/its queue and dead letters are lost/).waitFor();
    await ask.getByRole('button', { name: 'Delete app' }).click();
    await page.getByText('Deleted alerts').waitFor();
    await row('alerts').waitFor({ state: 'detached' });
    expect(await appNamed('alerts')).toBeUndefined();
  });

  it('makes a valid name of any words, and opens the guide of the tool it names', async () => {
    await openTab();
    await page.getByRole('button', { name: 'Add app' }).click();
    const form = page.getByRole('dialog', { name: 'Add app' });
    const name = form.getByRole('textbox', { name: 'Name' });
    await name.fill('!!!');
    await form.getByRole('button', { name: 'Add app' }).click();
    await form.getByText('Use letters A to Z, digits and _ . - only.').waitFor();
    await name.fill('n8n orders');
    await form.getByText('It will be called n8n-orders.').waitFor();
    await form.getByRole('button', { name: 'Add app' }).click();
    const added = page.getByRole('dialog', { name: 'Added n8n-orders' });
    await added.waitFor();
    const [base, token, ...others] = await linesIn(added);
    expect(base).toBe(service.address);
    expect(token).toMatch(new RegExp(`^${bot.platform_id}:`));
    expect(others).toEqual([]);
    await added.getByRole('button', { name: 'I have copied it' }).click();
  });

  it('shows whose backend fails, and its deliveries apart from those of the bot', async () => {
    backend.broken = true;
    backend.retryAfterSeconds = 86_400;
    await add('billing', { mode: 'webhook', backend_url: backend.url });
    const text = 'The invoice, please';
    await service.post('/api/sandbox/say', { user: boris.id, chat: bot.platform_id, text });
    await openTab();
    await row('billing').getByText('Backend failing').waitFor();
    await act('billing', 'Move position…');
    const move = page.getByRole('dialog', { name: 'Move the position of billing' });
    await move.getByRole('button', { name: 'Cancel' }).click();
    await visit(page, service.address);
    const backends = page.locator('p').filter({ hasText: 'Healthy backends' });
    await backends.getByText(/^\d failing$/).waitFor();
    await openTab();
    await act('billing', 'Deliveries');
    const choice = page.getByRole('combobox', { name: 'App' });
    await page.getByRole('heading', { name: 'Retry queues' }).waitFor();
    expect(await choice.inputValue()).toBe('billing');
    await page.getByText(/^500/).first().waitFor();
    backend.broken = false;
    await page.getByRole('button', { name: 'Retry all now' }).click();
    await page.getByText('Delivered 1 update').waitFor();
    expect(backend.taken.map((one) => one.text)).toEqual([text]);
    await choice.click();
    await page.getByRole('option', { name: 'The bot itself' }).click();
    await page.getByText('No deliveries yet').waitFor();
    expect(new URL(page.url()).search).toBe('?tab=deliveries');
  });

  it('shows only the list to people who may not manage', async () => {
    await addOrders();
    const own = await page.context().newPage();
    onTestFinished(() => own.close());
    await own.route('**/api/auth/session', async (route) => {
      const response = await route.fetch();
      const session = (await response.json()) as { rights: object };
      const rights = { ...session.rights, bots: 'read' };
      await route.fulfill({ response, json: { ...session, rights } });
    });
    await own.goto(`${service.address}/bots/${bot.id}?tab=apps`);
    await own.getByText('Polls the relay · filtered').waitFor();
    expect(await own.getByRole('button', { name: 'Add app' }).count()).toBe(0);
    expect(await own.getByRole('button', { name: /^Actions: / }).count()).toBe(0);
  });

  it('fits a phone, in the list and in its form', async () => {
    await addOrders();
    await addHook();
    await page.setViewportSize({ width: 390, height: 800 });
    onTestFinished(() => page.setViewportSize({ width: 1280, height: 800 }));
    await openTab();
    const isWide = () => page.evaluate('document.documentElement.scrollWidth > innerWidth');
    await row('orders').waitFor();
    await row('hook').waitFor();
    expect(await isWide()).toBe(false);
    await page.getByRole('button', { name: 'Add app' }).click();
    const form = page.getByRole('dialog', { name: 'Add app' });
    await form.getByLabel('Only some updates').check();
    await form.getByText('Advanced').click();
    expect(await isWide()).toBe(false);
    for (const field of await form.getByRole('textbox').all()) {
      const box = await field.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(390);
    }
  });
});
