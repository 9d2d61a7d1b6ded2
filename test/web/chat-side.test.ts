import type { Browser, Locator, Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { axeProblems } from './support/axe.ts';
import { chooseFrom } from './support/choose-from.ts';
import { askAll, waitUntilSent } from './support/elements.ts';
import { hold } from './support/hold.ts';
import { keepNotices } from './support/keep-notices.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { visit } from './support/visit.ts';
import { openPage } from './support/visitor.ts';
import { prepareWebUi } from './support/web-ui.ts';

interface Named {
  id: number;
}
interface Admin {
  user_id: number;
  rights: string[];
  title: string;
}

describe('beside a chat', () => {
  let browser: Browser;
  let service: PageService;
  let page: Page;
  let bot: { id: number; platform_id: number };
  let olga: Named;
  let boris: Named;
  let group: Named;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ browser, page, service } = await openWebUi());
    await keepNotices(page);
    const make = (first_name: string) =>
      service.post<Named>('/api/sandbox/users/create', { first_name });
    olga = await make('Olga');
    boris = await make('Boris');
  });
  // Each test has its own bot and group.
  beforeEach(async () => {
    bot = await addPracticeBot(service, 'Keeper', { manage_enabled: true });
    group = await groupOf('Allotments', bot);
    await service.post('/api/sandbox/chats/promote', {
      user: bot.platform_id,
      chat: group.id,
      by: olga.id,
      rights: { can_delete_messages: true, can_promote_members: true, can_pin_messages: true },
    });
    const first = await say(olga, 'The pump is mended');
    const second = await say(boris, 'Who has the key?', first);
    await say(olga, 'I have', second);
    await say(boris, 'Lovely weather');
    await vi.waitFor(async () => expect(await stored()).toBeGreaterThanOrEqual(4));
  });
  afterEach(async () => void (await service.post(`/api/bots/delete?id=${bot.id}`)));

  const groupOf = (title: string, member: { platform_id: number }) =>
    service.post<Named>('/api/sandbox/chats/create', {
      title,
      owner: olga.id,
      type: 'supergroup',
      members: [boris.id, member.platform_id],
    });
  async function say(who: Named, text: string, replyTo?: number): Promise<number> {
    const message = await service.post<{ message_id: number }>('/api/sandbox/say', {
      user: who.id,
      chat: group.id,
      text,
      ...(replyTo === undefined ? {} : { reply_to: replyTo }),
    });
    return message.message_id;
  }
  const query = () => `bot_id=${bot.id}&chat_id=${group.id}`;
  const stored = async () => (await service.get<unknown[]>(`/api/messages?${query()}`)).length;
  const adminOf = async (who: Named) =>
    (await service.get<Admin[]>(`/api/admins?${query()}`)).find((one) => one.user_id === who.id);
  const side = (name: string | RegExp) => page.getByRole('complementary', { name });
  const log = () => page.getByRole('log');
  const more = (text: string) => log().getByRole('button', { name: `More: ${text}` });
  const message = (text: string) => log().locator('[data-message]').filter({ hasText: text });

  async function openChat(search = ''): Promise<void> {
    await visit(page, `${service.address}/chats/${bot.id}/${group.id}${search}`);
    await message('Lovely weather').waitFor();
  }

  it('tells what the chat is and what the bot may do, once Telegram was asked', async () => {
    await openChat();
    await page.getByRole('button', { name: 'About this chat' }).click();
    const panel = side('About Allotments');
    await panel.getByText(/to see the description, photo/).waitFor();
    await panel.getByRole('button', { name: 'Refresh from Telegram' }).click();
    const rights = panel.getByRole('listitem').filter({ hasText: 'Delete messages' });
    await rights.getByText(': has').waitFor();
    await panel.getByText('Members', { exact: true }).waitFor();
    await panel.getByText('Ban and mute people: lacks').waitFor();
    expect(new URL(page.url()).searchParams.get('about')).toBe('chat');
    await page.mouse.move(640, 400);
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
  });

  it('appoints with single rights and a title', async () => {
    await openChat('?about=chat');
    const panel = side('About Allotments');
    await panel.getByRole('button', { name: 'Add administrator' }).click();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Person' }).fill('bor');
    await page.getByRole('option', { name: 'Boris' }).click();
    const dialog = page.getByRole('dialog', { name: 'Make Boris an administrator' });
    // The bot cannot give rights that it lacks.
    expect(await dialog.getByLabel('Ban and mute people').isDisabled()).toBe(true);
    await dialog.getByLabel('Pin messages').check();
    await dialog.getByLabel('Custom title').fill('Gardener');
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Make administrator' }).click();
    await panel.getByText(/Gardener/).waitFor();
    const appointed = await adminOf(boris);
    expect(appointed).toMatchObject({ title: 'Gardener' });
    expect(appointed?.rights).toContain('can_pin_messages');
    expect(appointed?.rights).not.toContain('can_promote_members');
  });

  it('changes a title, takes the rights away, and takes that back', async () => {
    const rights = ['can_manage_chat', 'can_pin_messages'];
    await service.post(`/api/admins/promote?${query()}&user_id=${boris.id}`, { rights });
    await openChat('?about=chat');
    const panel = side('About Allotments');
    await panel.getByRole('button', { name: 'Actions: Boris' }).click();
    await page.getByRole('menuitem', { name: 'Change title' }).click();
    const title = page.getByRole('dialog').getByLabel('Custom title');
    await title.fill('A title that is far too long');
    expect(await title.inputValue()).toHaveLength(16);
    await title.fill('Keeper');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    // The bot has this name, too.
    await panel
      .getByRole('listitem')
      .filter({ hasText: 'Boris' })
      .getByText(/Keeper/)
      .waitFor();

    await panel.getByRole('button', { name: 'Actions: Boris' }).click();
    await page.getByRole('menuitem', { name: 'Remove rights' }).click();
    await page.getByText('Boris is no longer an administrator').waitFor();
    expect(await adminOf(boris)).toBeUndefined();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await vi.waitFor(async () => {
      const again = await adminOf(boris);
      expect(again).toMatchObject({ title: 'Keeper' });
      expect(again?.rights.toSorted()).toEqual(rights);
    });
  });

  it('names the right that is missing before anybody is appointed', async () => {
    const weak = await addPracticeBot(service, 'Guest', { manage_enabled: true });
    const other = await groupOf('Strangers', weak);
    await service.post('/api/sandbox/say', { user: boris.id, chat: other.id, text: '/hello' });
    await visit(page, `${service.address}/chats/${weak.id}/${other.id}?about=chat`);
    const panel = side('About Strangers');
    await panel.getByText(/lacks the right “Add administrators”/).waitFor();
    expect(await panel.getByRole('button', { name: 'Add administrator' }).isDisabled()).toBe(true);
  });

  it('sets what warnings lead to, in words, and takes it back', async () => {
    await openChat('?about=chat');
    const panel = side('About Allotments');
    const rule = () => service.get<object>(`/api/chats/warn-settings?${query()}`);
    const before = await rule();
    await panel.getByRole('button', { name: 'Change', exact: true }).click();
    await panel.getByLabel('Warning limit').fill('2');
    await panel.getByRole('combobox', { name: 'Action at limit' }).click();
    await page.getByRole('option', { name: 'mute' }).click();
    await panel.getByRole('combobox', { name: 'Duration' }).click();
    await page.getByRole('option', { name: '1 day' }).click();
    await panel.getByText('After 2 warnings: mute for 1 day.').waitFor();
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Warning rule saved').waitFor();
    expect(await rule()).toMatchObject({ threshold: 2, action: 'mute', action_seconds: 86_400 });
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await vi.waitFor(async () => expect(await rule()).toEqual(before));
  });

  it('shows the thread of a message and leads to each of it', async () => {
    await openChat();
    await chooseFrom(more('Who has the key?'), 'Show thread');
    const panel = side('Reply thread');
    await panel.getByText('3 messages').waitFor();
    const lines = panel.getByRole('listitem');
    expect(await lines.count()).toBe(3);
    expect(
      await panel.getByRole('button', { name: /Who has the key/ }).getAttribute('aria-current'),
    ).toBe('true');
    expect(await axeProblems(page)).toEqual([]);
    await lines.first().getByRole('button').click();
    await message('The pump is mended').first().waitFor();
    // It is in the URL, so going back leaves it.
    expect(new URL(page.url()).searchParams.has('thread')).toBe(true);
    await panel.getByRole('button', { name: 'Close thread' }).click();
    await panel.waitFor({ state: 'detached' });
  });

  it('marks and lists what is pinned, and unpins all', async () => {
    await openChat();
    await chooseFrom(more('The pump is mended'), 'Pin');
    await page.getByText('Pinned', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'About this chat' }).click();
    const panel = side('About Allotments');
    await panel.getByRole('button', { name: /The pump is mended/ }).waitFor();
    const mark = message('The pump is mended').first().getByRole('img', { name: 'Pinned' });
    await mark.waitFor();

    await panel.getByRole('button', { name: 'Unpin all' }).click();
    const dialog = page.getByRole('dialog', { name: 'Unpin all messages in Allotments?' });
    await dialog.waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Unpin all' }).click();
    await panel.getByText('No pinned messages known.').waitFor();
    await mark.waitFor({ state: 'detached' });
    expect(await service.get(`/api/messages/pinned?${query()}`)).toEqual([]);
  });

  it('lists at once what somebody pins in Telegram', async () => {
    const sign = await say(boris, 'The new lock is on');
    await openChat('?about=chat');
    const panel = side('About Allotments');
    await panel.getByText('No pinned messages known.').waitFor();
    await service.post('/api/sandbox/pin', { user: olga.id, chat: group.id, message_id: sign });
    await panel.getByRole('button', { name: /The new lock is on/ }).waitFor();
    await message('The new lock is on').getByRole('img', { name: 'Pinned' }).waitFor();
    const pinned = await service.get<Named[]>(`/api/messages/pinned?${query()}`);
    expect(pinned.map(({ id }) => id)).toEqual([sign]);
  });

  it('keeps names and words apart that are read in different directions', async () => {
    const amal = await service.post<Named>('/api/sandbox/users/create', { first_name: 'أمل' });
    await service.post('/api/sandbox/chats/join', { user: amal.id, chat: group.id });
    const roses = await say(amal, 'Nine (or ten) roses!');
    await say(boris, 'وردة واحدة تكفي', roses);
    await say(amal, 'Good.');
    await openChat();
    await message('Good.').waitFor();
    /** The position of each part of a line: the name, then the text, whatever its direction. */
    const order = (line: Locator) =>
      askAll(line.locator('bdi, [dir=auto]'), (parts) =>
        parts.map((part) => [part.textContent, part.getBoundingClientRect().x] as const),
      );
    const quote = message('وردة واحدة تكفي').getByTitle('Go to original message');
    const [who, words] = await order(quote);
    expect([who?.[0], words?.[0]]).toEqual(['أمل', 'Nine (or ten) roses!']);
    expect(who?.[1]).toBeLessThan(words?.[1] ?? 0);
    const preview = page.getByRole('link', { name: /Allotments/ }).locator('[class*=said]');
    await preview.getByText('Good.').waitFor();
    const [by, text] = await order(preview);
    expect([by?.[0], text?.[0]]).toEqual(['أمل', 'Good.']);
    expect(by?.[1]).toBeLessThan(text?.[1] ?? 0);
    // In our sentences a name is isolated, so that the text after it stays after it.
    await message('Good.')
      .getByRole('button', { name: /^Reply/ })
      .click();
    await page.getByText('Reply to \u2068أمل\u2069').waitFor();
    await page.keyboard.press('Escape');
  });

  it('tells what came through a business account, and answers there or as the bot', async () => {
    const act = (action: string, body: object) => service.post(`/api/sandbox/${action}`, body);
    const textsIn = async (chat: number) =>
      (
        await service.get<{ message: { text: string; reply_to_message?: { text: string } } }[]>(
          `/api/sandbox/history?user=${boris.id}&chat=${chat}`,
        )
      ).map(({ message: { text, reply_to_message } }) => [text, reply_to_message?.text]);
    await act('business/connect', {
      user: olga.id,
      bot: bot.platform_id,
      rights: { can_reply: true, can_delete_outgoing_messages: true },
    });
    await act('say', { user: boris.id, chat: bot.platform_id, text: '/start' });
    // Within one second, the order of two chats is undefined.
    await act('time/advance', { seconds: 5 });
    await act('say', { user: boris.id, chat: olga.id, text: 'Is the shop open?' });
    await act('say', { user: olga.id, chat: boris.id, text: 'Until six' });
    await visit(page, `${service.address}/chats/${bot.id}/${boris.id}`);
    await page.getByRole('heading', { name: 'Boris' }).waitFor();
    const asked = message('Is the shop open?');
    await asked.getByText('business account of Olga').waitFor();
    expect(await message('/start').getByText('business account').count()).toBe(0);
    expect(await message('Until six').getAttribute('data-own')).toBe('true');

    const sendAs = page.getByRole('combobox', { name: 'Send as' });
    expect(await sendAs.locator('option:checked').textContent()).toBe('Olga (business account)');
    await page.getByRole('textbox', { name: 'Write as Olga' }).fill('Seven on Fridays');
    await page.keyboard.press('Enter');
    await message('Seven on Fridays').waitFor();
    await waitUntilSent(page);

    // While text is being entered, new messages do not change the target.
    await page.getByRole('textbox', { name: 'Write as Olga' }).fill('See you');
    await act('say', { user: boris.id, chat: bot.platform_id, text: '/help' });
    await message('/help').waitFor();
    expect(await sendAs.locator('option:checked').textContent()).toBe('Olga (business account)');
    const answer = await hold(page, /\/api\/messages\/send$/, 1);
    await page.keyboard.press('Enter');
    await message('See you').waitFor();

    // What is chosen while a message is being sent is for the next one.
    await sendAs.selectOption({ label: 'bot' });
    await page.getByText(/Sent in the chat of the bot/).waitFor();
    answer.release();
    await waitUntilSent(page);
    await page.getByRole('textbox', { name: 'Write as the bot' }).fill('I am only the bot');
    await page.keyboard.press('Enter');
    await message('I am only the bot').waitFor();
    await waitUntilSent(page);

    await asked.getByRole('button', { name: /^Reply/ }).click();
    await page.getByText('Olga (business account)', { exact: true }).waitFor();
    expect(await sendAs.count()).toBe(0);
    await page.getByRole('textbox', { name: 'Write as Olga' }).fill('Yes, it is');
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await message('Yes, it is').waitFor();
    await waitUntilSent(page);
    expect(await textsIn(olga.id)).toEqual([
      ['Is the shop open?', undefined],
      ['Until six', undefined],
      ['Seven on Fridays', undefined],
      ['See you', undefined],
      ['Yes, it is', 'Is the shop open?'],
    ]);
    expect((await textsIn(bot.platform_id)).at(-1)).toEqual(['I am only the bot', undefined]);

    // Everything else happens in the account as well, and its owner has the last word.
    await chooseFrom(more('Seven on Fridays'), 'Edit');
    await page.getByRole('textbox', { name: 'Edit message' }).fill('Eight on Fridays');
    await page.keyboard.press('Enter');
    await message('Eight on Fridays').waitFor();
    await chooseFrom(more('Is the shop open?'), 'Pin');
    await asked.getByRole('img', { name: 'Pinned' }).waitFor();
    await chooseFrom(more('Is the shop open?'), 'Unpin');
    await asked.getByRole('img', { name: 'Pinned' }).waitFor({ state: 'detached' });
    await chooseFrom(more('See you'), 'Delete for everyone');
    await message('See you').locator('[data-gone]').waitFor();
    await chooseFrom(more('Is the shop open?'), 'Delete for everyone');
    await page.getByText(/lacks a right .* settings of the business account/).waitFor();
    const left = (await textsIn(olga.id)).map(([text]) => text);
    expect(left).toContain('Eight on Fridays');
    expect(left).toContain('Is the shop open?');
    expect(left).not.toContain('See you');
  });

  it('says in Russian what went wrong', async () => {
    const visitor = await openPage(browser, { locale: 'ru-RU' });
    await visitor.context.addCookies(await page.context().cookies());
    const russian = visitor.page;
    await russian.goto(`${service.address}/chats/${bot.id}/${group.id}?about=${boris.id}`);
    const panel = russian.getByRole('complementary', { name: 'О человеке: Boris' });
    await panel
      .getByText('У бота нет права «Блокировка участников» в этом чате. Выдайте его в Telegram.')
      .waitFor();

    await russian.goto(`${service.address}/bots/${bot.id}`);
    await russian.getByRole('switch', { name: 'Пересылать на бэкенд' }).press('Space');
    await russian.getByRole('button', { name: 'Сохранить' }).click();
    const alert = russian.getByRole('alert').filter({ hasText: 'Не сохранено.' });
    const problem = russian.getByText('укажите URL бэкенда').first();
    await problem.waitFor();
    expect(await alert.count()).toBe(1);
    // Unsaved values are still there to be corrected.
    expect(await russian.getByRole('button', { name: 'Сохранить' }).isEnabled()).toBe(true);
    await visitor.context.close();
  });

  it('says what forgetting means, and forgets', async () => {
    await openChat('?about=chat');
    await side('About Allotments').getByRole('button', { name: 'Forget this chat' }).click();
    const dialog = page.getByRole('dialog', { name: 'Forget Allotments?' });
    await dialog.getByText(/Nothing changes in Telegram/).waitFor();
    await dialog.getByRole('button', { name: 'Forget chat' }).click();
    await page.getByText('Forgot Allotments').waitFor();
    await vi.waitFor(async () => expect(await stored()).toBe(0));
    await page.getByRole('link', { name: /Allotments/ }).waitFor({ state: 'detached' });
  });
});
