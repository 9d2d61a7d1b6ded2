import { beforeAll, describe, expect, it, vi } from 'vitest';
import { axeProblems } from './support/axe.ts';
import { chooseFrom } from './support/choose-from.ts';
import { hold } from './support/hold.ts';
import { openPracticeChat, type PracticeChat } from './support/practice-chat.ts';
import { prepareWebUi } from './support/web-ui.ts';

interface Shown {
  text?: string;
  caption?: string;
  entities?: { type: string }[];
  reply_markup?: { inline_keyboard: { text: string; url?: string }[][] };
}

describe('formatting in the composer', () => {
  let page: PracticeChat['page'];
  let service: PracticeChat['service'];
  let bot: PracticeChat['bot'];
  let anna: PracticeChat['anna'];
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ page, service, bot, anna } = await openPracticeChat(openWebUi()));
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const field = () => page.getByRole('textbox', { name: 'Write as the bot' });
  const seen = async () =>
    (
      await service.get<{ message: Shown }[]>(
        `/api/sandbox/history?user=${anna.id}&chat=${bot.platform_id}&limit=10`,
      )
    ).map(({ message }) => message);

  it('marks what is selected, and shows what will arrive', async () => {
    await button('Formatting (Markdown)').click();
    await field().fill('Your order is ready');
    await field().selectText();
    await button('Bold').click();
    expect(await field().inputValue()).toBe('**Your order is ready**');
    await vi.waitFor(async () =>
      expect(await page.evaluate<string>('getSelection().toString()')).toBe('Your order is ready'),
    );
    await button('Preview').click();
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.locator('strong', { hasText: 'Your order is ready' }).waitFor();
    await button('Buttons below the message').click();
    await page.getByRole('textbox', { name: 'Label' }).fill('Track it');
    await page
      .getByRole('textbox', { name: 'URL, or callback data' })
      .fill('https://example.com/t');
    const within = 'form';
    expect(await axeProblems(page, { within })).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 360, height: 740 });
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    expect(await axeProblems(page, { within, rules: ['color-contrast'] })).toEqual([]);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('sends it with its buttons, and shows both in the history', async () => {
    await button('Send').click();
    await vi.waitFor(async () => expect(await seen()).toHaveLength(2));
    expect((await seen()).find(({ text }) => text === 'Your order is ready')).toMatchObject({
      entities: [{ type: 'bold' }],
      reply_markup: { inline_keyboard: [[{ text: 'Track it', url: 'https://example.com/t' }]] },
    });
    const sent = page
      .getByRole('log')
      .locator('[data-message]', { hasText: 'Your order is ready' });
    await sent.locator('strong').waitFor();
    await sent.getByText('Track it').waitFor();
    expect(await axeProblems(page, { within: '[role=log]' })).toEqual([]);
  });

  it('shows one empty line between a block and what follows', async () => {
    const to = { bot_id: bot.id, chat_id: anna.id, format: 'markdown' };
    await service.post('/api/messages/send', { ...to, text: '```\ncode\n```\n\nbelow it' });
    const sent = page.getByRole('log').locator('[data-message]', { hasText: 'below it' });
    await sent.locator('code').waitFor();
    const after = 'document.querySelector("[role=log] code").nextSibling.textContent';
    expect(await page.evaluate<string>(after)).toBe('\nbelow it');
  });

  it('keeps the buttons of a message that is edited', async () => {
    const to = { bot_id: bot.id, chat_id: anna.id };
    const button = (text: string) => ({ text, callback_data: text });
    const inline_keyboard = [[button('Yes'), button('No')], [button('Later')]];
    const reply_markup = { inline_keyboard };
    await service.post('/api/messages/send', { ...to, text: 'Aer you sure?', reply_markup });
    const sent = page.getByRole('log').locator('[data-message]', { hasText: 'Aer you sure?' });
    await chooseFrom(sent.getByRole('button', { name: /^More/ }), 'Edit');
    await page.getByRole('textbox', { name: 'Edit message' }).fill('Are you sure?');
    await page.getByRole('button', { name: 'Save' }).click();
    await vi.waitFor(async () =>
      expect((await seen()).find(({ text }) => text === 'Are you sure?')?.reply_markup).toEqual(
        reply_markup,
      ),
    );
  });

  it('keeps the formatting of a message that is edited, and shows it as Markdown if asked to', async () => {
    const to = { bot_id: bot.id, chat_id: anna.id, format: 'markdown' };
    await service.post('/api/messages/send', { ...to, text: 'Tea is **ready** at _nine_' });
    const edit = async (text: string) => {
      const sent = page.getByRole('log').locator('[data-message]', { hasText: text });
      await chooseFrom(sent.getByRole('button', { name: /^More/ }), 'Edit');
      return page.getByRole('textbox', { name: 'Edit message' });
    };
    const entitiesOf = async (wanted: string) =>
      (await seen()).find(({ text }) => text === wanted)?.entities?.map(({ type }) => type);
    const first = await edit('Tea is ready');
    await first.fill('The tea is ready at nine');
    await first.fill('The tea is ready at ten');
    await button('Save').click();
    await vi.waitFor(async () =>
      expect(await entitiesOf('The tea is ready at ten')).toEqual(['bold', 'italic']),
    );
    const area = await edit('The tea is ready');
    await button('Formatting (Markdown)').click();
    expect(await area.inputValue()).toBe('The tea is **ready** at _ten_');
    await area.fill('The `tea` is **ready**');
    await button('Save').click();
    await vi.waitFor(async () =>
      expect(await entitiesOf('The tea is ready')).toEqual(['code', 'bold']),
    );
  });

  it('formats the caption of a file', async () => {
    await page.locator('input[type=file]').setInputFiles({
      name: 'prices.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Sencha 4'),
    });
    await button('Formatting (Markdown)').click();
    await field().fill('The **prices**');
    await button('Preview').click();
    await page.getByRole('region', { name: 'Preview' }).locator('strong').waitFor();
    await button('Send').click();
    await vi.waitFor(async () =>
      expect((await seen()).find(({ caption }) => caption === 'The prices')).toMatchObject({
        caption_entities: [{ type: 'bold' }],
      }),
    );
    await button('Formatting (Markdown)').click();
  });

  it('offers saved replies after a slash, and fills in the name of the person', async () => {
    await field().fill('/');
    await page.getByText('No saved replies yet.').waitFor();
    // The service may have been upgraded since the page was loaded.
    const code = /replies-dialog.*\.js$/;
    await page.route(code, (route) => route.abort());
    await button('Manage saved replies…').click();
    await page.getByText('Part of the page did not load').waitFor();
    expect(await field().inputValue()).toBe('/');
    await page.unroute(code);
    await button('Try again').click();
    await page.getByText('No saved replies yet.').waitFor();
    await button('Manage saved replies…').click();
    const dialog = page.getByRole('dialog', { name: 'Saved replies' });
    await dialog.getByRole('button', { name: 'Add reply' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('on the way');
    const text = 'Hello {first_name}, it is on its way. {bot} {chat} {me} {me_too}';
    await dialog.getByRole('textbox', { name: 'Text' }).fill(text);
    expect(await axeProblems(page, { within: '[role=dialog]' })).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('/on-the-way').waitFor();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      expect(await axeProblems(page, { within: '[role=dialog]' })).toEqual([]);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    // The dialog is a form within the form of the composer.
    expect(await field().inputValue()).toBe('/');

    await field().fill('/way');
    const option = page.getByRole('option', { name: /on-the-way/ });
    await option.waitFor();
    expect(await field().getAttribute('aria-activedescendant')).toBe(
      await option.getAttribute('id'),
    );
    expect(await axeProblems(page, { within: 'form' })).toEqual([]);
    await field().press('Enter');
    const filled = 'Hello Anna, it is on its way. Keeper Anna anna {me_too}';
    expect(await field().inputValue()).toBe(filled);
    await field().press('Enter');
    await vi.waitFor(async () =>
      expect((await seen()).some((one) => one.text === filled)).toBe(true),
    );
    await vi.waitFor(async () =>
      expect(await service.get('/api/replies')).toMatchObject([{ name: 'on-the-way', uses: 1 }]),
    );
  });

  it('sends a slash that no saved reply matches, or after Escape, as it is', async () => {
    await field().fill('/way');
    await page.getByRole('option', { name: /on-the-way/ }).waitFor();
    await field().press('Escape');
    await field().press('Enter');
    // While it is being sent, nothing else is.
    await vi.waitFor(async () =>
      expect((await seen()).some(({ text }) => text === '/way')).toBe(true),
    );
    await page.getByRole('log').locator('[data-message]').getByText('/way').waitFor();
    await field().fill('/start');
    await page.getByText('No saved reply matches.').waitFor();
    await field().press('Enter');
    await vi.waitFor(async () =>
      expect((await seen()).map(({ text }) => text)).toEqual(
        expect.arrayContaining(['/way', '/start']),
      ),
    );
  });

  describe('with an internal note', () => {
    const note = (words: string) => page.getByRole('note').getByText(words, { exact: true });
    const replies = () => service.get<{ uses: number }[]>('/api/replies');

    it('never sends it: not with a file, in a change, in capitals or after a space', async () => {
      const before = JSON.stringify(await seen());
      await page.locator('input[type=file]').setInputFiles({
        name: 'angry.png',
        mimeType: 'image/png',
        buffer: Buffer.from('a picture'),
      });
      await field().fill('  /Note: Is angry');
      await page.getByText('A note takes no file').waitFor();
      await field().press('Enter');
      await button('Add note').click();
      await button('Remove').click();
      await page.getByText('only your team sees it').waitFor();
      expect(await axeProblems(page, { within: 'form' })).toEqual([]);
      await field().press('Enter');
      await note('Is angry').waitFor();
      expect(await field().inputValue()).toBe('');

      const sent = page.getByRole('log').locator('[data-message]', { hasText: 'The tea is ready' });
      await chooseFrom(sent.getByRole('button', { name: /^More/ }), 'Edit');
      const edit = page.getByRole('textbox', { name: 'Edit message' });
      await edit.fill('/note Wants tea');
      await edit.press('Enter');
      await page.getByText('You cannot add a note here').waitFor();
      await edit.press('Escape');

      await field().fill('Hello\n/note Is angry');
      await page.getByText('A line begins with /note').waitFor();
      await field().press('Enter');

      await field().fill('Pays late');
      await button('Internal note').click();
      expect(await field().inputValue()).toBe('/note Pays late');
      await button('Internal note').click();
      expect(await field().inputValue()).toBe('Pays late');
      await button('Internal note').click();
      await button('Add note').click();
      await note('Pays late').waitFor();
      expect(JSON.stringify(await seen())).toBe(before);
    });

    it('stays one from the button on, whatever the text is, until it is left', async () => {
      const before = JSON.stringify(await seen());
      await button('Internal note').click();
      await field().press('Control+a');
      await field().pressSequentially('Owes us money');
      expect(await field().inputValue()).toBe('Owes us money');
      await page.getByText('only your team sees it').waitFor();
      await page.reload();
      await page.getByText('only your team sees it').waitFor();
      expect(await field().inputValue()).toBe('/note Owes us money');
      await field().fill('');
      await button('Send').waitFor();
      await button('Internal note').click();
      await field().fill('Owes us money');
      await field().press('Enter');
      await note('Owes us money').waitFor();
      expect(await field().inputValue()).toBe('');
      await button('Send').waitFor();

      for (const leave of [() => field().press('Escape'), () => button('Internal note').click()]) {
        await button('Internal note').click();
        await field().fill('For the customer');
        await button('Add note').waitFor();
        await leave();
        await button('Send').waitFor();
        expect(await field().inputValue()).toBe('For the customer');
        await field().fill('');
      }
      expect(JSON.stringify(await seen())).toBe(before);
    });

    it('adds it once, and keeps what is written meanwhile', async () => {
      const added = await hold(page, /\/api\/users\/notes\/add$/, 1);
      await field().fill('/note Once');
      await field().press('Enter');
      await field().fill('/note Twice');
      await field().press('Enter');
      await added.isHeld;
      added.release();
      await note('Once').waitFor();
      expect(added.count()).toBe(1);
      expect(await field().inputValue()).toBe('/note Twice');
      await page.route(/\/api\/users\/notes\/add$/, (route) =>
        route.fulfill({ status: 403, json: { error: { code: 'forbidden', message: 'No' } } }),
      );
      await field().press('Enter');
      await page.getByText('No', { exact: true }).waitFor();
      expect(await field().inputValue()).toBe('/note Twice');
      await page.unroute(/\/api\/users\/notes\/add$/);
      await field().fill('');
    });

    it('counts no use of a saved reply that became a note', async () => {
      const [before] = await replies();
      await field().fill('/way');
      await page.getByRole('option', { name: /on-the-way/ }).waitFor();
      await field().press('Enter');
      await button('Internal note').click();
      await field().press('Enter');
      await note('Hello Anna, it is on its way. Keeper Anna anna {me_too}').waitFor();
      await field().fill('Something else');
      await field().press('Enter');
      await vi.waitFor(async () =>
        expect((await seen()).some(({ text }) => text === 'Something else')).toBe(true),
      );
      await field().fill('/way');
      await page.getByRole('option', { name: /on-the-way/ }).waitFor();
      await field().press('Enter');
      await field().press('Enter');
      await vi.waitFor(async () =>
        expect((await replies())[0]?.uses).toBe((before?.uses ?? 0) + 1),
      );
    });
  });
});
