import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Backend, startBackend } from './support/backend.ts';
import { launchBrowser } from './support/browser.ts';
import { addPracticeBot, type PageService, startPageService } from './support/page-service.ts';
import { createFirstAccount, openPage } from './support/visitor.ts';

describe('states on the page', () => {
  let browser: Browser;
  let service: PageService;
  let backend: Backend;
  let page: Page;
  beforeAll(async () => {
    [browser, service, backend] = await Promise.all([
      launchBrowser(),
      startPageService(),
      startBackend(),
    ]);
    ({ page } = await openPage(browser));
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await backend?.close();
  });

  const tone = (words: string) =>
    page.locator('[data-tone]').filter({ hasText: words }).first().getAttribute('data-tone');

  it('tells at the first account what a name may hold, without a pattern', async () => {
    await page.goto(service.setupLink);
    const name = page.getByLabel('Name');
    await name.fill('Anna Smith');
    await page.getByLabel('Password', { exact: true }).fill('correct horse');
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.getByText('Use letters, digits and . _ @ + - only, without spaces.').waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    expect(await name.evaluate(isFocused)).toBe(true);
    expect(await page.getByText('must have the form').count()).toBe(0);
  });

  it.each([
    ['en-US', 'Name', 'Password', 'Create the account', 'Use at least 8 characters.'],
    ['ru-RU', 'Имя', 'Пароль', 'Создать', 'Нужно не меньше 8 знаков.'],
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

  it('goes to the first wrong field of every form that is about an account', async () => {
    await createFirstAccount(page, service);
    await page.goto(`${service.address}/settings`);
    await page.getByLabel('Current password').fill('correct horse');
    const next = page.getByLabel('New password');
    await next.fill('short');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('Use at least 8 characters.', { exact: true }).waitFor();
    await waitUntilFocused(next);
    expect(await next.getAttribute('aria-invalid')).toBe('true');

    await page.goto(`${service.address}/access`);
    await page.getByRole('button', { name: 'New user' }).first().click();
    const dialog = page.getByRole('dialog');
    const name = dialog.getByLabel('Name');
    await name.fill('Carl Smith');
    await dialog.getByLabel('Password', { exact: true }).fill('short');
    await dialog.getByRole('button', { name: 'Add the user' }).click();
    await waitUntilFocused(dialog.getByLabel('Password', { exact: true }));
    await dialog.getByLabel('Password', { exact: true }).fill('long enough');
    await dialog.getByRole('button', { name: 'Add the user' }).click();
    await dialog.getByText('Use letters, digits and . _ @ + - only, without spaces.').waitFor();
    await waitUntilFocused(name);
  });

  it('calls a backend well only after it was reached', async () => {
    const bot = await addPracticeBot(service, 'Courier', {
      proxy_enabled: true,
      backend_url: 'http://127.0.0.1:9/none',
    });
    await page.goto(`${service.address}/`);
    await page.getByText('1 backend is not checked yet.').waitFor();
    expect(await tone('Backends that answer')).toBe('idle');
    await page.goto(`${service.address}/bots`);
    const row = page.getByRole('link').filter({ hasText: 'Courier' });
    await row.getByText('backend not checked yet').waitFor();
    // The check-up asks the backend when it is opened.
    await row.click();
    await page.locator('dd').getByText('cannot be reached').waitFor();
    expect(await tone('cannot be reached')).toBe('bad');
    await page.getByText('connection refused by 127.0.0.1:9').waitFor();
    await page.goto(`${service.address}/`);
    await page
      .getByText(
        /^Its backend 127\.0\.0\.1:9 did not answer: connection refused by .* Last tried: (now|\d+ seconds? ago)\./,
      )
      .waitFor();

    await page.goto(`${service.address}/bots/${bot.id}`);
    await page.getByLabel('Backend address').fill(backend.url);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('The backend answered in').waitFor();
    await page
      .locator('dd')
      .getByText(/^answered (now|\d+ seconds? ago)/)
      .waitFor();
    expect(await tone('answered')).toBe('ok');

    await page.getByLabel('Backend address').fill('http://127.0.0.1:9/none');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('The backend cannot be reached').waitFor();
    await page.locator('dd').getByText('cannot be reached').waitFor();
    await service.post(`/api/bots/delete?id=${bot.id}`);
  });

  it.each([
    ['en-US', 'Backends that answer', '0 of 1', 'backend answered 12 minutes ago', 'answered 12'],
    ['ru-RU', 'Серверы отвечают', '0 из 1', 'сервер ответил 12 минут назад', 'ответил 12'],
  ])(
    'does not call a backend well that answered long ago: %s',
    async (locale, backends, some, inList, onPage) => {
      const bot = await addPracticeBot(service, 'Quiet', {
        proxy_enabled: true,
        backend_url: backend.url,
      });
      onTestFinished(async () => void (await service.post(`/api/bots/delete?id=${bot.id}`)));
      const { context, page: own } = await openPage(browser, { locale });
      onTestFinished(() => context.close());
      await context.addCookies(await page.context().cookies());
      const backend_seen_at = new Date(Date.now() - 12 * 60_000).toISOString();
      await own.route(/\/api\/bots$/, async (route) => {
        const json = (await (await route.fetch()).json()) as object[];
        const aged = json.map((one) => ({ ...one, backend_status: 'ok', backend_seen_at }));
        await route.fulfill({ json: aged });
      });
      await own.route(/\/api\/bots\/check-backend/, (route) => route.abort());
      await own.goto(service.address);
      const count = own.locator('li').filter({ hasText: backends });
      await count.getByText(some).waitFor();
      expect(await count.locator('[data-tone]').getAttribute('data-tone')).toBe('idle');
      await own.goto(`${service.address}/bots`);
      await own.getByRole('link').filter({ hasText: 'Quiet' }).getByText(inList).waitFor();
      await own.goto(`${service.address}/bots/${bot.id}`);
      const state = own.locator('dd [data-tone]').filter({ hasText: onPage });
      await state.waitFor();
      expect(await state.getAttribute('data-tone')).toBe('idle');
    },
  );

  it.each([
    ['en-US', /answered 405 in .*; the check sent no update/, 'Check the backend'],
    ['ru-RU', /ответ 405 за .*; обновление при проверке не отправлялось/, 'Проверить сервер'],
  ])('names an answer that promises nothing, in no colour: %s', async (locale, words, button) => {
    backend.headStatus = 405;
    onTestFinished(() => void (backend.headStatus = 200));
    const bot = await addPracticeBot(service, 'Strict', {
      proxy_enabled: true,
      backend_url: backend.url,
    });
    onTestFinished(async () => void (await service.post(`/api/bots/delete?id=${bot.id}`)));
    const { context, page: own } = await openPage(browser, { locale });
    onTestFinished(() => context.close());
    await context.addCookies(await page.context().cookies());
    await own.goto(`${service.address}/bots/${bot.id}`);
    const state = own.locator('dd [data-tone]').filter({ hasText: words });
    await state.waitFor();
    expect(await state.getAttribute('data-tone')).toBe('idle');
    await own.goto(`${service.address}/bots/${bot.id}?tab=deliveries`);
    await own.getByRole('button', { name: button }).click();
    const said = own.getByRole('status').locator('[data-tone]').filter({ hasText: words });
    await said.waitFor();
    expect(await said.getAttribute('data-tone')).toBe('idle');
  });

  it('makes a practice bot as it was described, and toggles settings by their names', async () => {
    await page.goto(`${service.address}/bots`);
    await page.getByRole('button', { name: 'Add a bot' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Bakery');
    await dialog.getByLabel('A program of mine polls this bot').check();
    await dialog.getByRole('button', { name: 'Make a practice bot' }).click();
    await page.getByRole('heading', { name: 'Bakery', level: 1 }).waitFor();
    const bots =
      await service.get<{ id: number; name: string; long_poll_enabled: boolean }[]>('/api/bots');
    const bakery = bots.find(({ name }) => name === 'Bakery');
    expect(bakery).toMatchObject({ long_poll_enabled: true });

    await page.goto(`${service.address}/bots/${bakery?.id}`);
    const forwards = page.getByRole('switch', { name: 'Pass updates on to a backend' });
    expect(await forwards.isChecked()).toBe(false);
    await page.getByText('Pass updates on to a backend', { exact: true }).click();
    expect(await forwards.isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Discard' }).click();
    await service.post(`/api/bots/delete?id=${bakery?.id}`);
  });

  it('tells of a bot added while Telegram is out of reach why it has no name', async () => {
    await page.goto(`${service.address}/bots`);
    await page.getByRole('button', { name: 'Add a bot' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Token').fill('7000000001:added-while-telegram-is-away');
    await dialog.getByText('Telegram cannot be reached from the service').waitFor();
    await dialog.getByRole('button', { name: 'Add and set up' }).click();
    const said = page.getByRole('status');
    await said.getByText('Telegram could not be reached').waitFor();
    await said.getByText("The bot's name appears once Telegram answers").waitFor();
    const unnamed = page.getByText('no name from Telegram yet');
    await unnamed.waitFor();
    await page.goto(`${service.address}/bots`);
    await unnamed.waitFor();
    await page.getByText('The platform could not be reached').waitFor();
    const bots = await service.get<{ id: number; username: string }[]>('/api/bots');
    expect(bots.map(({ username }) => username)).toEqual(['']);
    for (const { id } of bots) await service.post(`/api/bots/delete?id=${id}`);
  }, 30_000);

  it('says at the token that its bot is here already, and leads there', async () => {
    const { token } = await service.post<{ token: string }>('/api/sandbox/bots', {
      first_name: 'Tea shop',
    });
    const bot = await service.post<{ id: number }>('/api/bots/add', { token, name: 'Tea shop' });
    await page.goto(`${service.address}/bots`);
    await page.getByRole('button', { name: 'Add a bot' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a bot' });
    const field = dialog.getByLabel('Token');
    const submit = dialog.getByRole('button', { name: 'Add and set up' });

    await field.fill('nonsense');
    await submit.click();
    await dialog.getByText('A token is digits, a colon and letters').waitFor();
    expect(await dialog.getByRole('alert').count()).toBe(0);

    await field.fill(token);
    await dialog.getByText('This is Tea shop').waitFor();
    await submit.click();
    await dialog.getByText('A bot with this token is here already.').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await dialog.getByText('This is Tea shop').count()).toBe(0);
    expect(await dialog.getByText('/api/bots/update').count()).toBe(0);
    await dialog.getByRole('link', { name: 'Open this bot' }).click();
    await page.getByRole('heading', { name: 'Tea shop' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/bots/${bot.id}`);
    await dialog.waitFor({ state: 'detached' });
    await service.post(`/api/bots/delete?id=${bot.id}`);
  });

  it('shows the address of a backend that nothing is forwarded to', async () => {
    const bot = await addPracticeBot(service, 'Parked', { backend_url: backend.url });
    await page.goto(`${service.address}/bots`);
    const row = page.getByRole('link').filter({ hasText: 'Parked' });
    await row.getByText('forwarding off').waitFor();
    expect(await row.textContent()).not.toContain('no backend');
    await row.click();
    const fact = page.locator('dd').filter({ hasText: 'forwarding is off' });
    await fact.waitFor();
    expect(await fact.textContent()).toContain(new URL(backend.url).host);
    await page.getByText('Nothing is sent to this address while').waitFor();
    await service.post(`/api/bots/delete?id=${bot.id}`);
  });

  it('says in the save bar why settings were refused, and goes to the wrong field', async () => {
    const bot = await addPracticeBot(service, 'Stubborn');
    await page.goto(`${service.address}/bots/${bot.id}`);
    const webhook = page.getByRole('switch', { name: 'Let Telegram call us (webhook)' });
    await webhook.setChecked(true, { force: true });
    await page.getByRole('button', { name: 'Save' }).click();
    const bar = page.getByRole('alert').filter({ hasText: 'Not saved.' });
    await bar.getByText('Telegram needs a public address to call.').waitFor();
    expect(await bar.textContent()).not.toMatch(/webhook_mode/);
    expect(await webhook.evaluate(isFocused)).toBe(true);
    expect(await inView(bar)).toBe(true);
    expect(await inView(webhook)).toBe(true);
    await webhook.setChecked(false, { force: true });

    const address = page.getByLabel('Backend address');
    await address.fill('127.0.0.1:18500/hook');
    await page.getByRole('button', { name: 'Save' }).click();
    await bar.getByText('Backend address: Start with http:// or https://').waitFor();
    expect(await address.evaluate(isFocused)).toBe(true);
    expect(await address.getAttribute('aria-invalid')).toBe('true');
    expect(await inView(address)).toBe(true);
    await page.getByRole('button', { name: 'Discard' }).click();
    await service.post(`/api/bots/delete?id=${bot.id}`);
  });

  it('goes to the wrong field of a route each time it is refused', async () => {
    const bot = await addPracticeBot(service, 'Picky');
    await page.goto(`${service.address}/routes`);
    await page.getByRole('button', { name: 'Add a route' }).first().click();
    const editor = page.getByRole('dialog');
    const chat = editor.getByLabel('into this chat');
    for (let attempt = 0; attempt < 2; attempt++) {
      await editor.getByLabel('Note').focus();
      await editor.getByRole('button', { name: 'Save' }).click();
      await waitUntilFocused(chat);
    }
    await choose(chat, 'the chat it came from');
    await choose(editor.getByLabel('Condition'), 'it fits this pattern');
    const pattern = editor.getByLabel('Pattern');
    for (const text of ['(', '[']) {
      await pattern.fill(text);
      await editor.getByRole('button', { name: 'Save' }).click();
      await waitUntilFocused(pattern);
      expect(await pattern.getAttribute('aria-invalid')).toBe('true');
    }
    await service.post(`/api/bots/delete?id=${bot.id}`);
  });

  it('asks where a route leads, warns of what cannot arrive, and shows what did not', async () => {
    const front = await addPracticeBot(service, 'Front');
    const back = await addPracticeBot(service, 'Back');
    await page.goto(`${service.address}/routes`);
    await page.getByRole('button', { name: 'Add a route' }).first().click();
    const editor = page.getByRole('dialog');
    await editor.getByText('in a chat that is not chosen yet').waitFor();
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.getByText('Choose where the message goes.').waitFor();
    const chat = editor.getByLabel('into this chat');
    expect(await chat.evaluate(isFocused)).toBe(true);
    await choose(chat, 'the chat it came from');
    await editor.getByText('only if the person has started Back').waitFor();
    await choose(editor.getByLabel('through this bot'), 'Front');
    await editor.getByText('like an echo').waitFor();
    await choose(editor.getByLabel('through this bot'), 'Back');
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
    await line.waitFor({ timeout: 20_000 });
    expect(await tone('not delivered')).toBe('bad');
    // Which route, and in which chat.
    expect(await line.textContent()).toContain(`in chat ${ann.id} · route Front → Back`);
    // The drawing does not count it as carried. It reads that every ten seconds, or when it is opened.
    await page.reload();
    await page.locator('main svg').getByText('always · failing', { exact: true }).waitFor();
    await page.getByText('Failed', { exact: true }).click();
    await line.click();
    await page.getByText('Telegram knows no such chat').waitFor();
    await page.getByText('Not taken', { exact: true }).click();
    await page.getByText('No decisions match').waitFor();
    for (const { id } of [front, back]) await service.post(`/api/bots/delete?id=${id}`);
  }, 40_000);

  it('tells what came of trying again and of a replay', async () => {
    backend.broken = true;
    const bot = await addPracticeBot(service, 'Billing', {
      proxy_enabled: true,
      backend_url: backend.url,
    });
    const cat = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Cat',
    });
    await service.post('/api/sandbox/say', { user: cat.id, chat: bot.platform_id, text: 'Bill' });
    await page.goto(`${service.address}/bots/${bot.id}?tab=deliveries`);
    const again = page.getByRole('button', { name: 'Try all now' });
    await again.click();
    const said = page.getByRole('status');
    await said.getByText('Not delivered').waitFor({ timeout: 20_000 });
    await said.getByText('answered 500').waitFor();
    await page.getByText('0 not read yet, 1 in retry queues').waitFor();
    backend.broken = false;
    await again.click();
    await said.getByText('Delivered: 1').waitFor({ timeout: 20_000 });

    expect(backend.taken.map(({ text }) => text)).toContain('Bill');

    backend.broken = true;
    for (const close of await said.getByRole('button', { name: 'Close' }).all()) {
      await close.click({ timeout: 1_000 }).catch(() => undefined);
    }
    await said.getByText('Not delivered').waitFor({ state: 'detached' });
    await page.getByText('Delivered', { exact: true }).click();
    await page.getByRole('button', { name: /^200/ }).first().click();
    await page.getByRole('button', { name: 'Deliver again' }).click();
    await said.getByText('Not delivered').waitFor({ timeout: 20_000 });
    backend.broken = false;

    // What is being replayed stands in the queues, not among what was given up as well.
    const letter = (id: number, replayed_at: string) => ({
      ...{ id, bot_id: bot.id, position: id, update_id: id, kind: 'message', queue: `c${id}` },
      ...{ reason: 'answered 500', attempts: 9, received_at: '', replayed_at, raw: '{}' },
      died_at: new Date().toISOString(),
    });
    const letters = [letter(1, new Date().toISOString()), letter(2, '')];
    await page.route(/\/api\/deliveries\/dead\?/, (route) => route.fulfill({ json: letters }));
    await page.reload();
    const given = page.getByRole('button', { name: 'Replay', exact: true });
    await given.waitFor();
    expect(await given.count()).toBe(1);
    letters.pop();
    await page.reload();
    await page.getByText('Waiting to be delivered again: 1').waitFor();
    await page.unrouteAll();
    await service.post(`/api/bots/delete?id=${bot.id}`);
  }, 60_000);

  it('counts down to the next attempt on the same clock as the times past', async () => {
    const bot = await addPracticeBot(service, 'Clockwork');
    // The clock is one for all pages of a context.
    const { context, page: own } = await openPage(browser);
    onTestFinished(() => context.close());
    await context.addCookies(await page.context().cookies());
    const start = Date.now();
    const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString();
    const queue = { queue: 'c1', waiting: 1, first_position: 1, attempts: 1, due: false };
    const parked = [{ ...queue, reason: 'answered 500', next_attempt_at: at(34) }];
    await own.route(/\/api\/deliveries\/queues\?/, (route) =>
      route.fulfill({ json: { bot_id: bot.id, backend_status: 'failing', parked } }),
    );
    const reader = { reader: 'push', kind: 'push', name: '', position: 1, behind: 0, parked: 0 };
    const moved = { dropped: 0, active: true, waiting: false, last_moved_at: at(0) };
    await own.route(/\/api\/bots\/readers\?/, (route) =>
      route.fulfill({ json: { log_end: 1, readers: [{ ...reader, ...moved }] } }),
    );
    await own.clock.setFixedTime(start);
    await own.goto(`${service.address}/bots/${bot.id}?tab=deliveries`);
    await own.getByText('next try in 34 seconds').waitFor();
    await own.getByText('moved now').waitFor();
    await own.clock.setFixedTime(start + 3_000);
    await own.getByText('next try in 31 seconds').waitFor();
    await own.getByText('moved 3 seconds ago').waitFor();
    await own.clock.setFixedTime(start + 29_000);
    await own.getByText('next try in 5 seconds').waitFor();
    expect(await own.getByText('moved 29 seconds ago').count()).toBe(1);
    await service.post(`/api/bots/delete?id=${bot.id}`);
  });

  it('says that the service is out of reach, and takes back that all is well', async () => {
    const bot = await addPracticeBot(service, 'Watched');
    const own = await page.context().newPage();
    own.setDefaultTimeout(15_000);
    const back = Promise.withResolvers<void>();
    await own.route(/\/api\/events\?/, async (route) => {
      await back.promise;
      await route.continue();
    });
    await own.goto(service.address);
    const banner = own.getByRole('alert').getByText('No connection to the service.');
    await banner.waitFor();
    await own.getByText('Not known right now').waitFor();
    expect(await own.getByText('All is well').count()).toBe(0);
    back.resolve();
    await banner.waitFor({ state: 'detached' });
    await own.getByText('Not known right now').waitFor({ state: 'detached' });

    // The service has ended: every connection is refused at once.
    await own.unrouteAll({ behavior: 'ignoreErrors' });
    await own.route(/\/api\/events\?/, (route) => route.abort('connectionrefused'));
    await own.goto(service.address);
    await banner.waitFor({ timeout: 9_000 });
    await own.close();
    await service.post(`/api/bots/delete?id=${bot.id}`);
  }, 40_000);

  it('says that the service does not answer before anything could be loaded', async () => {
    const own = await page.context().newPage();
    own.setDefaultTimeout(15_000);
    const back = Promise.withResolvers<void>();
    await own.route(/\/api\/auth\/session/, async (route) => {
      await back.promise;
      await route.continue().catch(() => undefined);
    });
    await own.goto(service.address);
    const words = own.getByRole('alert').getByText('The service does not answer.');
    await words.waitFor();
    back.resolve();
    await own.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect(await words.count()).toBe(0);
    await own.close();
  }, 40_000);

  it('says that the service cannot be reached before anything could be loaded', async () => {
    const own = await page.context().newPage();
    onTestFinished(() => own.close());
    await own.route(/\/api\/auth\/session/, (route) => route.abort());
    await own.goto(service.address);
    const failure = own.getByRole('alert');
    await failure.waitFor();
    expect(await failure.textContent()).toContain('The service cannot be reached.');
  });

  it('keeps a message that could not be sent, and does not claim to send it by itself', async () => {
    const bot = await addPracticeBot(service, 'Clerk', { manage_enabled: true });
    const bea = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Bea',
    });
    await service.post('/api/sandbox/say', { user: bea.id, chat: bot.platform_id, text: 'Hi' });
    await page.goto(`${service.address}/chats/${bot.id}/${bea.id}`);
    await page.getByText('Hi', { exact: true }).first().waitFor();
    const field = page.getByRole('textbox', { name: 'Write as the bot' });
    await field.fill('Hello Bea');
    await page.route(/\/api\/messages\/send/, (route) => route.abort());
    await field.press('Enter');
    const failure = page.getByRole('alert').filter({ hasText: 'cannot be reached' });
    await failure.getByText('The message is kept here: send it again').waitFor();
    expect(await failure.textContent()).not.toContain('by itself');
    expect(await field.inputValue()).toBe('Hello Bea');
    await page.unrouteAll();
    await field.press('Enter');
    await failure.waitFor({ state: 'detached' });
    await service.post(`/api/bots/delete?id=${bot.id}`);
  });

  async function choose(field: Locator, option: string): Promise<void> {
    await field.click();
    await page.getByRole('option', { name: option, exact: true }).click();
  }
});

const isFocused = ((element: unknown) =>
  element ===
  (globalThis as unknown as { document: { activeElement: unknown } }).document
    .activeElement) as never;

async function waitUntilFocused(field: Locator): Promise<void> {
  await field.and(field.page().locator(':focus')).waitFor();
}

async function inView(locator: Locator): Promise<boolean> {
  const box = await locator.boundingBox();
  const height = locator.page().viewportSize()?.height ?? 0;
  return box !== null && box.y >= 0 && box.y + box.height <= height;
}
