import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { commandName } from '../../src/command-name.ts';
import { sharedBrowser } from './support/browser.ts';
import { holdRequests } from './support/hold.ts';
import { keepNotices } from './support/keep-notices.ts';
import { addPracticeBot, type PageService, startPageService } from './support/page-service.ts';
import { createFirstAccount, openPage } from './support/visitor.ts';
import { prepareWebUi } from './support/web-ui.ts';

describe('the first run', () => {
  let browser: Browser;
  let service: PageService;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ browser, service } = await openWebUi({ isSignedIn: false }));
  });

  it('leads from the set-up link to an answered message, and out again', async () => {
    const { complaints, context, page } = await openPage(browser);
    await createFirstAccount(page, service);
    await page.getByRole('heading', { name: 'Get started' }).waitFor();

    await page.getByRole('button', { name: 'Create practice bot' }).click();
    await page.getByLabel('Send a message').fill('Good morning from the sandbox');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('It arrived').waitFor();
    await page.getByText('Good morning from the sandbox').waitFor();
    expect(await page.getByRole('link', { name: 'Skip', exact: true }).count()).toBe(0);
    await page.getByRole('link', { name: 'Open sandbox' }).click();
    await page.getByRole('region', { name: 'Phone of Ann' }).waitFor();
    await page.goto(`${service.address}/chats`);
    await page.getByRole('link', { name: /Ann/ }).click();
    const log = page.getByRole('log');
    await log.getByText('Good morning from the sandbox').waitFor();
    await page.getByLabel('Write as the bot').fill('And to you');
    await page.keyboard.press('Enter');
    await log.getByText('And to you').waitFor();

    const [bot] = await service.get<{ id: number; platform_id: number }[]>('/api/bots');
    const world = await service.get<{ users: { id: number }[] }>('/api/sandbox/snapshot');
    const person = world.users[0]?.id ?? 0;
    const received = await service.get<{ message: { text?: string } }[]>(
      `/api/sandbox/history?user=${person}&chat=${bot?.platform_id}`,
    );
    expect(received.map(({ message }) => message.text)).toContain('And to you');

    await service.post('/api/sandbox/say', {
      user: person,
      chat: bot?.platform_id,
      text: 'This comes by itself',
    });
    await log.getByText('This comes by itself').waitFor();

    await page.getByRole('button', { name: 'Your account' }).click();
    const signedOut = page.waitForResponse(`${service.address}/api/auth/sign-out`);
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await signedOut;
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByText(`${commandName} users add <name> --role admin`, { exact: true }).waitFor();
    expect(complaints).toEqual([]);
    const refused = await context.request.get(`${service.address}/api/auth/session`);
    expect(refused.status()).toBe(401);
    await context.close();
  });
});

describe('a first account', () => {
  it('comes to the overview where bots are there already', async () => {
    const browser = await sharedBrowser();
    const service = await startPageService();
    onTestFinished(() => service.close());
    await addPracticeBot(service, 'Made by a program');
    // Not the first account, but there is no administrator yet.
    const reader = { username: 'rosa', password: 'battery staple', role: 'user' };
    await service.post('/api/auth/users/create', reader);
    const { complaints, context, page } = await openPage(browser);
    onTestFinished(() => context.close());
    await page.goto(service.setupLink);
    await page.getByRole('heading', { name: 'Create an administrator' }).waitFor();
    await createFirstAccount(page, service);
    expect(new URL(page.url()).pathname).toBe('/');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('a later visit', () => {
  let browser: Browser;
  let service: PageService;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ browser, service } = await openWebUi({ isSignedIn: false }));
    const token = service.setupLink.split('token=')[1];
    const account = { token, username: 'anna', password: 'correct horse' };
    await service.post('/api/auth/setup', account);
  });

  it('refuses a wrong password in words, and returns to where one wanted to go', async () => {
    const { context, page } = await openPage(browser);
    await page.goto(`${service.address}/routes`);
    await page.getByLabel('Username').fill('anna');
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Wrong username or password').waitFor();
    expect(await context.cookies()).toEqual([]);
    await page.getByLabel('Password', { exact: true }).fill('correct horse');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Routes', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/routes');
    await context.close();
  });

  it('says at once when the set-up link was used before, to strangers and to those inside', async () => {
    const { context, page } = await openPage(browser);
    await page.goto(service.setupLink);
    await page.getByRole('heading', { name: 'Invalid setup link' }).waitFor();
    expect(await page.getByLabel('Username').count()).toBe(0);
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByLabel('Username').fill('anna');
    await page.getByLabel('Password', { exact: true }).fill('correct horse');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.goto(service.setupLink);
    await page.getByRole('heading', { name: 'Invalid setup link' }).waitFor();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    await context.close();
  });

  it('asks to sign in again when the session ended elsewhere, and comes back', async () => {
    const body = { username: 'cleo', password: 'battery staple', role: 'admin' };
    const cleo = await service.post<{ id: number }>('/api/auth/users/create', body);
    const { context, page } = await openPage(browser);
    await page.goto(`${service.address}/access`);
    await page.getByLabel('Username').fill('cleo');
    await page.getByLabel('Password', { exact: true }).fill('battery staple');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Users and keys' }).waitFor();
    // Several things are asked for on the overview, and each is refused.
    const requests = await holdRequests(page, /\/api\//);
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
    await page.waitForURL(`${service.address}/`);
    await service.post('/api/auth/users/password', { id: cleo.id, password: 'changed by anna' });
    requests.letThrough();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    await page.getByLabel('Username').fill('cleo');
    await page.getByLabel('Password', { exact: true }).fill('changed by anna');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    await context.close();
  });

  it('shows someone with one bot that bot and nothing of the others', async () => {
    const mine = await addPracticeBot(service, 'Mine');
    await addPracticeBot(service, 'Theirs');
    const body = { username: 'ben', password: 'battery staple', bot_ids: [mine.id] };
    await service.post('/api/auth/users/create', body);
    const { complaints, context, page } = await openPage(browser);
    await keepNotices(page);
    await page.goto(service.address);
    await page.getByLabel('Username').fill('ben');
    await page.getByLabel('Password', { exact: true }).fill('battery staple');
    await page.getByRole('button', { name: 'Sign in' }).click();
    const navigation = page.getByRole('navigation');
    await navigation.getByRole('link', { name: 'Bots' }).click();
    await page.getByRole('link', { name: /Mine/ }).waitFor();
    expect(await page.getByText('Theirs').count()).toBe(0);
    expect(await navigation.getByRole('link', { name: 'Users and keys' }).count()).toBe(0);
    expect(await navigation.getByRole('link', { name: 'Sandbox' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Add bot' }).count()).toBe(0);

    // The draft survives a visit to another page.
    await page.getByRole('link', { name: /Mine/ }).click();
    await page.getByLabel('Name', { exact: true }).fill('Mine alone');
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    const leave = page.getByRole('dialog', { name: 'Leave without saving?' });
    await leave.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Mine alone');
    await navigation.getByRole('link', { name: 'Settings' }).click();
    await leave.getByRole('button', { name: 'Leave' }).click();

    await page.getByLabel('Current password').fill('battery staple');
    await page.getByLabel('New password').fill('staple battery');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed').waitFor();
    await page.goto(`${service.address}/access`);
    await page.getByText('No access to this page').waitFor();
    // The session request before a sign-in is answered with 401.
    expect(complaints.filter((complaint) => !complaint.includes('401'))).toEqual([]);
    await context.close();
  });
});
