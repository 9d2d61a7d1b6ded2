import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Backend, startBackend } from './support/backend.ts';
import { waitUntilFocused } from './support/elements.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { visit } from './support/visit.ts';
import { prepareWebUi } from './support/web-ui.ts';

const mostRows = 20;

describe('the keys of lists', () => {
  let service: PageService;
  let page: Page;
  let backend: Backend;
  let bot: { id: number; platform_id: number };
  let people: { id: number }[];
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    [{ page, service }, backend] = await Promise.all([openWebUi(), startBackend()]);
    const settings = { manage_enabled: true, proxy_enabled: true, backend_url: backend.url };
    bot = await addPracticeBot(service, 'Shop', settings);
    people = [];
    for (const first_name of ['Ann', 'Ben']) {
      const person = await service.post<{ id: number }>('/api/sandbox/users/create', {
        first_name,
      });
      people.push(person);
      await say(person, `I am ${first_name}`);
    }
    await taken(['I am Ann', 'I am Ben']);
  });
  afterAll(() => backend?.close());

  const say = (person: { id: number }, text: string) =>
    service.post('/api/sandbox/say', { user: person.id, chat: bot.platform_id, text });
  const taken = (texts: string[]) =>
    vi.waitFor(() => expect(backend.taken.map(({ text }) => text).toSorted()).toEqual(texts), {
      interval: 50,
    });
  const hasFocus = async (one: Locator) => (await one.and(page.locator(':focus')).count()) === 1;
  /** Presses a key until something in the list has the focus. */
  async function walk(key: 'j' | 'k', to: Locator): Promise<void> {
    await to.waitFor();
    for (let pressed = 0; pressed < mostRows && !(await hasFocus(to)); pressed++) {
      await page.keyboard.press(key);
    }
    expect(await hasFocus(to)).toBe(true);
  }

  it('open and replay the delivery that has the focus, and no other one', async () => {
    await visit(page, `${service.address}/bots/${bot.id}?tab=deliveries`);
    const ann = page.getByRole('button', { name: /I am Ann/ });
    const ben = page.getByRole('button', { name: /I am Ben/ });
    await walk('j', ann);
    await page.keyboard.press('Enter');
    const replay = page.getByRole('button', { name: 'Replay', exact: true });
    await replay.waitFor();
    // Ben's row is closed, so nothing of it is to be replayed, and Ann's has no focus.
    await walk('k', ben);
    await page.keyboard.press('r');
    await walk('j', ann);
    // What was scrolled away is shown first.
    await page.setViewportSize({ width: 1280, height: 300 });
    await page.mouse.move(640, 150);
    await page.mouse.wheel(0, -5_000);
    await vi.waitUntil(async () => !(await isInView(ann)));
    await page.keyboard.press('r');
    await vi.waitUntil(() => isInView(page.locator('li').filter({ has: ann })));
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('r');
    await taken(['I am Ann', 'I am Ann', 'I am Ben']);
    expect(backend.taken.filter(({ replay: isReplay }) => isReplay)).toHaveLength(1);
  });

  it('go on from where they were after a row is gone', async () => {
    const names = ['Red', 'Green', 'Blue'];
    for (const name of names) {
      const { id } = await addPracticeBot(service, name);
      await service.post(`/api/bots/toggle-disabled?id=${id}`);
    }
    await visit(page, `${service.address}/alerts`);
    const row = (name: string) =>
      page.getByRole('button', { name: new RegExp(`${name} The bot is disabled`) });
    for (const name of names) await row(name).waitFor();
    const [first, second, third] = await orderOf(names);
    await walk('j', row(second));
    await page.keyboard.press('e');
    await row(second).waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    expect(await hasFocus(row(third))).toBe(true);
    await page.keyboard.press('e');
    await row(third).waitFor({ state: 'detached' });
    await page.keyboard.press('k');
    expect(await hasFocus(row(first))).toBe(true);
    await page.keyboard.press('e');
    await row(first).waitFor({ state: 'detached' });
  });

  /** The names in the order in which the page shows them. */
  async function orderOf(names: string[]): Promise<[string, string, string]> {
    const texts = await page.locator('main [data-rows] > li').allTextContents();
    const placeOf = (name: string) => texts.findIndex((text) => text.includes(name));
    return names.toSorted((a, b) => placeOf(a) - placeOf(b)) as [string, string, string];
  }

  it('open the route that has the focus', async () => {
    const target = await addPracticeBot(service, 'Till');
    for (const name of ['First', 'Second']) {
      await service.post('/api/routes/add', {
        source_bot_id: bot.id,
        target_bot_id: target.id,
        action: 'forward',
        condition_type: 'keyword',
        condition_value: name,
      });
    }
    await visit(page, `${service.address}/routes`);
    await walk('j', page.getByRole('button', { name: 'Edit: 2' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Edit route' });
    await dialog.locator('input[value=Second]').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('answer, take and end a conversation in the inbox', async () => {
    await visit(page, `${service.address}/chats?inbox=waiting`);
    const row = (name: string) =>
      page.getByRole('region', { name: 'Chats' }).getByRole('link', { name });
    await row('Ann').waitFor();
    await walk('j', row('Ann'));
    await page.keyboard.press('a');
    await row('Ann').filter({ hasText: 'anna' }).waitFor();
    await walk('j', row('Ben'));
    await page.keyboard.press('Enter');
    // An opened chat takes the focus to its composer, and R leads back to it.
    const field = page.getByRole('textbox', { name: 'Write as the bot' });
    await waitUntilFocused(field);
    await row('Ben').focus();
    await page.keyboard.press('r');
    await waitUntilFocused(field);
    expect(await field.inputValue()).toBe('');
    await row('Ann').focus();
    // A key that is held ends one conversation, not also the next one.
    await page.keyboard.down('e');
    await page.keyboard.down('e');
    await row('Ann').waitFor({ state: 'detached' });
    await page.keyboard.down('e');
    await page.keyboard.up('e');
    await page.keyboard.press('a');
    await row('Ben').filter({ hasText: 'anna' }).waitFor();
    await page.keyboard.press('e');
    await row('Ben').waitFor({ state: 'detached' });
  });
});

async function isInView(one: Locator): Promise<boolean> {
  const box = await one.boundingBox();
  const height = one.page().viewportSize()?.height ?? 0;
  return box !== null && box.y + box.height > 0 && box.y < height;
}
