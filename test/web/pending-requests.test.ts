import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { chooseFrom } from './support/choose-from.ts';
import { ask } from './support/elements.ts';
import { hold, holdRequests } from './support/hold.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { prepareWebUi } from './support/web-ui.ts';

interface Named {
  id: number;
}

/** More than one page of a history, and of the log. */
const many = 70;

describe('while a request is pending', () => {
  let service: PageService;
  let page: Page;
  let complaints: string[];
  let bot: { id: number; platform_id: number };
  let boris: Named;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ complaints, page, service } = await openWebUi());
    bot = await addPracticeBot(service, 'Keeper', { manage_enabled: true });
    boris = await service.post('/api/sandbox/users/create', { first_name: 'Boris' });
    for (let count = 1; count <= many; count += 1) await say(`Number ${count}.`);
    await vi.waitFor(async () => expect(await latest()).toBe(`Number ${many}.`));
  });
  afterEach(() => page.unrouteAll({ behavior: 'ignoreErrors' }));

  const say = (text: string) =>
    service.post('/api/sandbox/say', { user: boris.id, chat: bot.platform_id, text });
  const target = () => ({ bot_id: bot.id, chat_id: boris.id });
  const query = () => `bot_id=${bot.id}&chat_id=${boris.id}`;
  const latest = async () => {
    const [last] = await service.get<{ text: string }[]>(`/api/messages?${query()}&limit=1`);
    return last?.text;
  };
  /** Says something, and waits until the page has received and read it. */
  async function sayAndWait(text: string): Promise<void> {
    await say(text);
    await vi.waitFor(async () => expect(await latest()).toBe(text));
    await page.waitForTimeout(800);
  }
  const chat = () => `${service.address}/chats/${bot.id}/${boris.id}`;
  const log = () => page.getByRole('log');
  const live = () => page.locator('[data-state=on]:visible').first();

  it('shows a message that came while the history was being read', async () => {
    const answer = await hold(page, /\/api\/messages\?/, 1);
    await page.goto(chat());
    await answer.isHeld;
    await sayAndWait('While it was opened');
    answer.release();
    await log().getByText('While it was opened').waitFor();
    expect(await log().getByText(`Number ${many}.`).count()).toBe(1);
  });

  it('keeps a message that came while older ones were being read', async () => {
    await page.goto(chat());
    await log().locator('[data-message]').last().waitFor();
    const older = await hold(page, /\/api\/messages\?.*before_id/);
    await log().hover();
    await vi.waitFor(async () => {
      await page.mouse.wheel(0, -800);
      expect(older.count()).toBe(1);
    });
    await sayAndWait('While older ones came');
    older.release();
    await vi.waitFor(async () => {
      await page.mouse.wheel(0, -4_000);
      expect(await log().getByText('Number 1.', { exact: true }).count()).toBe(1);
    });
    await vi.waitFor(async () => {
      await page.mouse.wheel(0, 9_000);
      expect(
        await ask(log(), (box) => box.scrollHeight - box.clientHeight - box.scrollTop),
      ).toBeLessThan(5);
    });
    await log().getByText('While older ones came').waitFor();
    expect(complaints).toEqual([]);
  });

  it('tells the last words in the list of chats, though it was being read when they came', async () => {
    const list = await hold(page, /\/api\/chats\?/, 1);
    await page.goto(`${service.address}/chats`);
    await list.isHeld;
    await sayAndWait('Before the list was there');
    list.release();
    const row = page.getByRole('link').filter({ hasText: 'Boris' });
    await row.filter({ hasText: 'Before the list was there' }).waitFor();
    expect(await row.count()).toBe(1);
  });

  it('shows the state of a bot that was disabled while the list was being read', async () => {
    await page.goto(`${service.address}/settings`);
    await live().waitFor();
    const bots = await hold(page, /\/api\/bots$/, 1);
    await page.getByRole('link', { name: 'Bots', exact: true }).click();
    await bots.isHeld;
    await service.post(`/api/bots/toggle-disabled?id=${bot.id}`);
    await page.waitForTimeout(800);
    bots.release();
    const row = page.getByRole('link').filter({ hasText: 'Keeper' });
    await row.filter({ hasText: 'Disabled' }).waitFor();
    await service.post(`/api/bots/toggle-disabled?id=${bot.id}`);
    await row.filter({ hasText: 'Running' }).waitFor();
    expect(await row.count()).toBe(1);
  });

  it('brings the older ones that were asked for, whatever happens meanwhile', async () => {
    await page.goto(`${service.address}/bots/${bot.id}?tab=log`);
    const rows = page.getByRole('button', { expanded: false }).filter({ hasText: /#\d/ });
    await page.getByRole('button', { name: 'Show more' }).waitFor();
    expect(await rows.count()).toBe(50);
    const older = await hold(page, /\/api\/updates\/log\?.*before/);
    await page.getByRole('button', { name: 'Show more' }).click();
    await older.isHeld;
    await sayAndWait('More for the log');
    older.release();
    await rows.filter({ hasText: 'More for the log' }).waitFor();
    await vi.waitFor(async () => expect(await rows.count()).toBeGreaterThan(70));
  });

  describe('while a message is being sent', () => {
    const field = (on = page) => on.getByRole('textbox', { name: 'Write as the bot' });
    const answering = () => page.getByText('Reply to Boris', { exact: true });
    /** Begins to send, where Boris and the bot have just spoken; gives the way to let it arrive. */
    async function send(words: string): Promise<() => void> {
      await service.post('/api/messages/send', { ...target(), text: `Own words before ${words}` });
      await say(`Before ${words}`);
      await page.goto(chat());
      await log().getByText(`Before ${words}`, { exact: true }).waitFor();
      const sent = await hold(page, /\/api\/messages\/send$/, 1);
      await field().fill(words);
      await page.keyboard.press('Enter');
      await sent.isHeld;
      return sent.release;
    }

    it('shows the text as being sent until it is sent, once', async () => {
      await page.goto(chat());
      await field().waitFor();
      const request = await holdRequests(page, /\/api\/messages\/send$/);
      await field().fill('Wait for me');
      await page.keyboard.press('Enter');
      await log().locator('[data-sending]').getByText('Wait for me').waitFor();
      await log().getByText('sending…').waitFor();
      request.letThrough();
      await log().locator('[data-message]').getByText('Wait for me').waitFor();
      expect(await log().getByText('Wait for me').count()).toBe(1);
    });

    it('keeps what is to be answered next', async () => {
      const arrive = await send('One moment');
      await page.getByRole('button', { name: 'Reply: Before One moment' }).click();
      await answering().waitFor();
      await field().fill('About what was before');
      arrive();
      await vi.waitFor(async () =>
        expect(await page.getByLabel('Send', { exact: true }).isEnabled()).toBe(true),
      );
      expect(await answering().count()).toBe(1);
      await field().press('Enter');
      await vi.waitFor(async () => expect(await latest()).toBe('About what was before'));
      await answering().waitFor({ state: 'detached' });
      const [last] = await service.get<object[]>(`/api/messages?${query()}&limit=1`);
      expect(last).toMatchObject({ reply_to_message_id: expect.any(Number) });
    });

    it('keeps a change of another message', async () => {
      const arrive = await send('Two moments');
      await chooseFrom(
        page.getByRole('button', { name: 'More: Own words before Two moments' }),
        'Edit',
      );
      const changed = page.getByRole('textbox', { name: 'Edit message' });
      await changed.fill('Two moments, please');
      await log().getByText('Two moments', { exact: true }).waitFor();
      // Once it is sent, the end of the history is read again.
      const read = page.waitForResponse(/\/api\/messages\?/);
      arrive();
      await (await read).finished();
      expect(await changed.inputValue()).toBe('Two moments, please');
      await changed.press('Enter');
      await log().getByText('Two moments, please').waitFor();
    });

    it('gives back what could not be sent, before what was written since', async () => {
      // The failure is logged to the console, where no other test may find it.
      const own = await page.context().newPage();
      onTestFinished(() => own.close());
      await own.goto(chat());
      await field(own).waitFor();
      const failed = Promise.withResolvers<void>();
      await own.route(/\/api\/messages\/send$/, async (route) => {
        await failed.promise;
        await route.abort();
      });
      await field(own).fill('The first line');
      await own.keyboard.press('Enter');
      await field(own).fill('The second');
      failed.resolve();
      await own.getByText('The service is unreachable').waitFor();
      expect(await field(own).inputValue()).toBe('The first line\nThe second');
      await field(own).fill('');
    });
  });
});
