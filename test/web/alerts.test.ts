import type { Browser, Locator, Page } from 'playwright-core';
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
import { createJumpingClock } from '../support/rigs/jumping-clock.ts';
import { serve } from '../support/local-server.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { axeProblems } from './support/axe.ts';
import { type Backend, startBackend } from './support/backend.ts';
import { chooseFrom } from './support/choose-from.ts';
import { inView } from './support/elements.ts';
import { gone } from './support/every-page.ts';
import { keepNotices } from './support/keep-notices.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { playedNotifications } from './support/played-notifications.ts';
import { visit } from './support/visit.ts';
import { openPage, signIn } from './support/visitor.ts';
import { prepareWebUi } from './support/web-ui.ts';

interface Channel {
  id: number;
  chat_id: number;
  allowed_user_ids: number[];
  disabled: boolean;
}

describe('alerts', () => {
  const clock = createJumpingClock();
  let browser: Browser;
  let service: PageService;
  let page: Page;
  let complaints: string[];
  let backend: Backend;
  let shop: { id: number; platform_id: number };
  let guard: { id: number; platform_id: number };
  let anna: { id: number };
  const backups = temporaryFolder();
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    [{ browser, page, service, complaints }, backend] = await Promise.all([
      openWebUi({ clock, env: { RELAY_BACKUP_DIR: backups.path } }),
      startBackend(),
    ]);
    await keepNotices(page);
    shop = await addForwardingBot('Shop');
    guard = await addPracticeBot(service, 'Guard', { manage_enabled: true });
    anna = await service.post('/api/sandbox/users/create', { first_name: 'Anna' });
    await say(guard, '/start');
    const chats = `/api/chats?bot_id=${guard.id}`;
    await vi.waitFor(async () => expect(await service.get(chats)).toHaveLength(1));
  });
  beforeEach(async () => {
    backend.broken = false;
    backend.retryAfterSeconds = 0;
    for (const { id } of await channels())
      await service.post(`/api/alerts/channels/delete?id=${id}`);
  });
  afterEach(() => expect(complaints.splice(0).filter((line) => !line.includes('400'))).toEqual([]));
  afterAll(async () => {
    await backend?.close();
    backups.remove();
  });

  const addForwardingBot = (name: string) =>
    addPracticeBot(service, name, { backend_url: backend.url, proxy_enabled: true });
  const say = (bot: { platform_id: number }, text: string) =>
    service.post('/api/sandbox/say', { user: anna.id, chat: bot.platform_id, text });
  const toggle = (bot: { id: number }) => service.post(`/api/bots/toggle-disabled?id=${bot.id}`);
  const channels = () => service.get<Channel[]>('/api/alerts/channels');
  const addChannel = () =>
    service.post('/api/alerts/channels/add', {
      type: 'telegram',
      bot_id: guard.id,
      chat_id: anna.id,
      allowed_user_ids: [anna.id],
    });
  const alertsOf = (bot: { id: number }, state: 'open' | 'resolved') =>
    service.get<object[]>(`/api/alerts?state=${state}&bot_id=${bot.id}`);
  const row = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });
  const act = (name: string, action: string) =>
    chooseFrom(page.getByRole('button', { name: `Actions: ${name}` }), action);
  /** What the phone shows from the bot that sends alerts. */
  const phoneTexts = async () => {
    const path = `/api/sandbox/history?user=${anna.id}&chat=${guard.platform_id}`;
    const shown = await service.get<{ message: { text?: string } }[]>(path);
    return shown.map(({ message }) => message.text ?? '').slice(1);
  };
  /** Moves time until it is so, in small steps: in each, a request uses up some of its time limit. */
  const moveUntil = (check: () => Promise<unknown>) =>
    vi.waitFor(async () => {
      clock.jump(1_000);
      await check();
    });

  async function sayInVain(bot: { id: number; platform_id: number }, text: string): Promise<void> {
    backend.broken = true;
    await say(bot, text);
    await moveUntil(async () => expect(await alertsOf(bot, 'open')).toHaveLength(1));
  }

  it('are offered on the overview, and set up from there', async () => {
    await page.goto(service.address);
    await page.getByText('Get alerts in Telegram').waitFor();
    await page.getByRole('link', { name: 'Set up' }).click();
    const form = page.getByRole('dialog', { name: 'Add channel' });
    await choose(form, 'Bot', 'Guard');
    await form.getByRole('button', { name: 'Add channel' }).click();
    await form.locator('[aria-invalid=true]').waitFor();
    await choose(form, 'Chat', 'Anna');
    const people = form.getByRole('combobox', { name: 'People who may press buttons' });
    await people.fill('9999999999999999');
    await page.keyboard.press('Tab');
    await form.getByRole('button', { name: 'Add channel' }).click();
    await vi.waitFor(async () => expect(await people.getAttribute('aria-invalid')).toBe('true'));
    expect(await form.getByRole('alert').count(), 'only the field says what is wrong').toBe(0);
    await people.press('Backspace');
    await choose(form, 'People who may press buttons', 'Anna');
    expect(await axeProblems(page, { within: '[role=dialog]' })).toEqual([]);
    await form.getByRole('button', { name: 'Add channel' }).click();
    await row('Anna').getByText('Not tested yet').waitFor();
    await row('Anna').getByText('by Guard').waitFor();
    await row('Anna').getByText('buttons for 1 person').waitFor();
    expect(await channels()).toMatchObject([{ chat_id: anna.id, allowed_user_ids: [anna.id] }]);
    // Without loading anew, so that the channels are known already.
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
    await page.getByText('All is well').waitFor();
    expect(await page.getByText('Get alerts in Telegram').count()).toBe(0);
  });

  it('arrive at the sandbox phone: a test, then a broken backend, which Retry now resolves', async () => {
    await addChannel();
    await page.goto(`${service.address}/alerts?tab=channels`);
    await page.getByRole('button', { name: 'Send test: Anna' }).click();
    await page.getByText('The test arrived: Anna').waitFor();
    await row('Anna').getByText('Works').waitFor();
    expect(await phoneTexts()).toEqual(['Test alert of Bot Relay. This channel works.']);

    backend.retryAfterSeconds = 86_400;
    await sayInVain(shop, 'One tea, please');
    await page.getByRole('tab', { name: 'Alerts' }).click();
    await page.getByText('does not accept updates from 1 chat').waitFor();
    // Not before the delay of two minutes.
    expect(await phoneTexts()).toHaveLength(1);
    clock.jump(120_000);
    await moveUntil(async () => expect(await phoneTexts()).toHaveLength(2));
    await page.reload();
    await page.getByText('Anna: sent').waitFor();

    await visit(page, `${service.address}/phones`);
    await page.getByRole('button', { name: 'Add phone' }).first().click();
    await page.getByRole('menuitem', { name: 'Anna' }).click();
    const phone = page.getByRole('region', { name: 'Phone of Anna' });
    await phone.getByRole('button', { name: /Guard/ }).click();
    const log = phone.getByRole('log');
    await log.getByText(/🟡 Shop: Backend .+ does not accept updates from 1 chat/).waitFor();
    backend.broken = false;
    await log.getByRole('button', { name: 'Retry now' }).click();
    await page.getByText(/Retrying\./).waitFor();
    await vi.waitFor(() => expect(backend.taken.at(-1)?.text).toBe('One tea, please'));
    const resolved = /✅ Shop: .+Resolved after \d+ (s|min)/s;
    await moveUntil(async () => expect((await phoneTexts()).at(-1)).toMatch(resolved));
    expect(await phoneTexts()).toHaveLength(2);
    await log.getByText(resolved).waitFor();
    expect(await log.getByRole('button', { name: 'Retry now' }).count()).toBe(0);

    await visit(page, `${service.address}/alerts`);
    const entry = page.getByRole('button', { name: /^Resolved.*Shop/ });
    await entry.click();
    await page.getByText(/^Updates not accepted · Warning · .+ · Resolved after/).waitFor();
    await page.getByText('Anna: sent').first().waitFor();
  });

  it('that are open come first, the most urgent on top, with what can be done about them', async () => {
    const settings = { proxy_enabled: true, backend_url: 'http://127.0.0.1:9/none' };
    const lost = await addPracticeBot(service, 'Lost', settings);
    await service.post(`/api/bots/check-backend?id=${lost.id}`);
    await moveUntil(async () => expect(await alertsOf(lost, 'open')).toHaveLength(1));
    const resting = await addPracticeBot(service, 'Resting');
    await toggle(resting);
    await moveUntil(async () => expect(await alertsOf(resting, 'open')).toHaveLength(1));
    await visit(page, `${service.address}/alerts`);
    const panel = page.locator('section').filter({ hasText: 'Open alerts' });
    await panel.getByText('Resting').waitFor();
    const words = await panel.getByRole('listitem').allTextContents();
    expect(words).toEqual([
      expect.stringMatching(/^Critical.*Lost/),
      expect.stringMatching(/^Info/),
    ]);
    expect(await inView(panel.getByRole('listitem').first())).toBe(true);
    await page.getByRole('button', { name: 'Retry now: Lost' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    await page.getByRole('status').getByText('Lost · connection refused by 127.0.0.1:9').waitFor();
    await panel.getByText(/retried by anna, /).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('e');
    await moveUntil(async () => expect(await alertsOf(resting, 'resolved')).toHaveLength(1));
    await service.post(`/api/bots/delete?id=${lost.id}`);
    await moveUntil(() => panel.getByText('No open alerts.').waitFor({ timeout: 1_000 }));
  });

  it('are acknowledged and muted by one person, which another one sees at once', async () => {
    const settings = { proxy_enabled: true, backend_url: 'http://127.0.0.1:9/none' };
    const lost = await addPracticeBot(service, 'Lost', settings);
    onTestFinished(async () => {
      await service.post(`/api/bots/delete?id=${lost.id}`);
      await moveUntil(async () => expect(await alertsOf(lost, 'open')).toEqual([]));
    });
    await service.post(`/api/bots/check-backend?id=${lost.id}`);
    await moveUntil(async () => expect(await alertsOf(lost, 'open')).toHaveLength(1));
    const carla = { username: 'carla', password: 'correct horse', role: 'manager' };
    await service.post('/api/auth/users/create', { ...carla, bot_ids: [lost.id] });
    const other = await openPage(browser);
    onTestFinished(() => other.context.close());
    await signIn(other.context, service, carla);
    for (const one of [page, other.page]) {
      await visit(one, `${service.address}/alerts`);
      await one.getByRole('button', { name: 'Acknowledge: Lost' }).waitFor();
    }
    const signal = page.getByRole('img', { name: '1 open' });
    await signal.waitFor();
    await other.page.keyboard.press('j');
    await other.page.keyboard.press('a');
    await page.getByText(/acknowledged by carla, /).waitFor();
    expect(await page.getByRole('button', { name: 'Acknowledge: Lost' }).count()).toBe(0);
    // Somebody takes care of it.
    await signal.waitFor({ state: 'detached' });
    await act('Lost', 'Mute for 1 day');
    await other.page.getByText(/muted until [A-Z][a-z]+ \d+, \d.+ by anna/).waitFor();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      expect(await axeProblems(page)).toEqual([]);
    }
    await chooseFrom(other.page.getByRole('button', { name: 'Actions: Lost' }), 'Unmute');
    await page.getByText(/muted until/).waitFor({ state: 'detached' });
    await act('Lost', 'Take back acknowledgement');
    await other.page.getByRole('button', { name: 'Acknowledge: Lost' }).waitFor();
    expect(other.complaints).toEqual([]);
  });

  it('are told by the browser, once a click allowed it, and only of the chosen kinds', async () => {
    const own = await openPage(browser);
    onTestFinished(() => own.context.close());
    await own.context.addCookies(await page.context().cookies());
    await own.page.addInitScript({ content: playedNotifications });
    const told = () => own.page.evaluate('told');
    await own.page.goto(service.address);
    await own.page.getByRole('button', { name: /^Your account/ }).click();
    await own.page.getByRole('menuitem', { name: 'Notifications' }).click();
    const dialog = own.page.getByRole('dialog', { name: 'Notifications' });
    expect(await axeProblems(own.page, { within: '[role=dialog]' })).toEqual([]);
    expect(await told()).toEqual([]);
    await dialog.getByRole('switch', { name: 'Critical alerts' }).click();
    await vi.waitFor(async () => expect(await told()).toEqual([{ asked: true }]));
    await own.page.keyboard.press('Escape');
    await own.page.getByText('All is well').waitFor();

    const resting = await addPracticeBot(service, 'Resting');
    await toggle(resting);
    await own.page.getByText('The bot is disabled').waitFor();
    const settings = { proxy_enabled: true, backend_url: 'http://127.0.0.1:9/none' };
    const lost = await addPracticeBot(service, 'Lost', settings);
    await service.post(`/api/bots/check-backend?id=${lost.id}`);
    await vi.waitFor(async () =>
      expect(await told()).toEqual([
        { asked: true },
        { title: 'Lost', body: expect.stringContaining('connection refused') },
      ]),
    );
    await own.page.evaluate(`last.dispatchEvent(new Event('click'))`);
    await own.page.waitForURL(/\/alerts$/);
    for (const { id } of [lost, resting]) await service.post(`/api/bots/delete?id=${id}`);
    await moveUntil(() => own.page.getByText('No open alerts.').waitFor({ timeout: 1_000 }));
    expect(own.complaints).toEqual([]);
  });

  it('are not sent with the bot they are about: the page names the channel that was used', async () => {
    await addChannel();
    const calls: string[] = [];
    const hook = await serve(async (request, reply) => {
      for await (const chunk of request) calls.push(String(chunk));
      reply.writeHead(204).end();
    });
    await page.goto(`${service.address}/alerts?tab=channels`);
    await page.getByRole('button', { name: 'Add channel' }).click();
    const form = page.getByRole('dialog', { name: 'Add channel' });
    await form.getByLabel('Webhook').check();
    await form.getByLabel('URL').fill(`${hook.url}/alerts`);
    await form.getByText('More settings').click();
    await choose(form, 'Kinds', 'Backup overdue');
    await form.getByLabel('Quiet hours').check();
    await form.getByLabel('To', { exact: true }).fill('22:00');
    await form.getByRole('button', { name: 'Add channel' }).click();
    await form.locator('[aria-invalid=true]').waitFor();
    expect(await form.getByRole('alert').count(), 'only the field says what is wrong').toBe(0);
    await form.getByLabel('Quiet hours').uncheck();
    await form.getByRole('button', { name: 'Add channel' }).click();
    const secret = page.getByRole('dialog', { name: 'Webhook added' });
    expect(await secret.locator('code').textContent()).toMatch(/^whsec_/);
    await page.keyboard.press('Escape');
    await secret.getByRole('button', { name: 'I have copied it' }).click();
    const host = new URL(hook.url).host;
    await row(host).getByText('1 kind').waitFor();

    await act('Anna', 'Edit');
    const edit = page.getByRole('dialog', { name: 'Edit Anna' });
    await choose(edit, 'Severity', 'All severities');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'detached' });
    await toggle(guard);
    await moveUntil(async () => expect(await alertsOf(guard, 'open')).toHaveLength(1));
    clock.jump(120_000);
    await moveUntil(async () => expect(calls.join('')).toContain('bot_disabled'));
    await page.reload();
    await row('Anna').getByText('Bot disabled').waitFor();
    await page.getByRole('tab', { name: 'Alerts' }).click();
    await page.getByRole('button', { name: /Guard The bot is disabled/ }).click();
    await page.getByText(`Sent to ${host} instead.`).waitFor();
    await page.getByText('This alert is about the bot of this channel.').waitFor();
    await toggle(guard);
    await page.goto(`${service.address}/alerts?tab=channels`);
    await row('Anna').getByText('by Guard').waitFor();
    await row('Anna').getByText('Bot disabled').waitFor({ state: 'detached' });
    await hook.close();

    await page.getByRole('button', { name: `Send test: ${host}` }).click();
    await page.getByText(`The test did not arrive: ${host}`).waitFor();
    await row(host).getByText('Failing').waitFor();
    await act(host, 'Disable');
    await row(host).getByText('Disabled', { exact: true }).waitFor();
    await act(host, 'Delete');
    await page.getByRole('button', { name: 'Delete channel' }).click();
    await vi.waitFor(async () => expect(await channels()).toHaveLength(1));
    await row(host).waitFor({ state: 'detached' });
  });

  it('are offered no more to those who declined', async () => {
    const own = await openPage(browser);
    onTestFinished(() => own.context.close());
    await own.context.addCookies(await page.context().cookies());
    await own.page.goto(service.address);
    await own.page.getByRole('button', { name: 'Dismiss: Get alerts in Telegram' }).click();
    await own.page.getByText('Get alerts in Telegram').waitFor({ state: 'detached' });
    // Where the channels are known already, the overview could offer one at once.
    await own.page.goto(`${service.address}/alerts?tab=channels`);
    await own.page.getByText('No channels yet').waitFor();
    await own.page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
    await own.page.getByText('Needs attention').waitFor();
    await gone(own.page.locator('[aria-busy=true]'));
    expect(await own.page.getByText('Get alerts in Telegram').count()).toBe(0);
    expect(own.complaints).toEqual([]);
  });

  it('of their own bots are shown to those who see only those, without channels', async () => {
    const kiosk = await addForwardingBot('Kiosk');
    const vault = await addPracticeBot(service, 'Vault');
    await toggle(vault);
    await sayInVain(kiosk, 'One paper, please');
    backend.broken = false;
    await toggle(vault);
    for (const bot of [kiosk, vault])
      await moveUntil(async () => expect(await alertsOf(bot, 'resolved')).toHaveLength(1));
    const body = {
      username: 'boris',
      password: 'correct horse',
      role: 'user',
      bot_ids: [kiosk.id],
    };
    await service.post('/api/auth/users/create', body);
    const other = await openPage(browser);
    onTestFinished(() => other.context.close());
    await signIn(other.context, service, body);
    await other.page.goto(service.address);
    await other.page.getByRole('link', { name: 'Alerts' }).click();
    await other.page.getByRole('button', { name: /^Resolved.*Kiosk/ }).click();
    await other.page.getByText('Updates not accepted').waitFor();
    expect(await other.page.getByRole('tab').count()).toBe(0);
    expect(await other.page.getByText('Vault').count()).toBe(0);
    expect(other.complaints).toEqual([]);
  });

  it('about dead letters are replayed in the row', async () => {
    const depot = await addForwardingBot('Depot');
    backend.broken = true;
    await say(depot, 'Late for a day');
    const dead = () => service.get<object[]>(`/api/deliveries/dead?bot_id=${depot.id}`);
    await moveUntil(async () => expect(await alertsOf(depot, 'open')).not.toEqual([]));
    clock.jump(25 * 3_600_000);
    await moveUntil(async () => expect(await dead()).toHaveLength(1));
    const open = async () => JSON.stringify(await alertsOf(depot, 'open'));
    await moveUntil(async () => expect(await open()).toContain('dead_letters'));
    backend.broken = false;
    await visit(page, `${service.address}/alerts`);
    await page.getByRole('button', { name: 'Replay: Depot' }).click();
    await vi.waitFor(() => expect(backend.taken.at(-1)?.text).toBe('Late for a day'));
    await moveUntil(async () => expect(await alertsOf(depot, 'open')).toEqual([]));
  });

  it('of backups have a row in the settings: where they go, and that the last is verified', async () => {
    const backup = async () =>
      (await service.get<{ backup: { last_at: string } }>('/api/service')).backup;
    await visit(page, `${service.address}/settings`);
    await page.getByText(`Every 1 day to ${backups.path}`).waitFor();
    await moveUntil(async () => expect((await backup()).last_at).not.toBe(''));
    await page.reload();
    await page.getByText('verified', { exact: true }).waitFor();
    await page.getByText(/; \d+ backups? kept\. Last backup/).waitFor();
  });

  async function choose(form: Locator, label: string, option: string): Promise<void> {
    const field = form
      .getByRole('combobox', { name: label, exact: true })
      .or(form.getByRole('textbox', { name: label, exact: true }));
    await field.first().click();
    await page.getByRole('option', { name: option, exact: true }).click();
  }
});
