import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { chooseFrom } from './support/choose-from.ts';
import { waitUntilSent } from './support/elements.ts';
import { keepNotices } from './support/keep-notices.ts';
import { addPracticeBot, type PageService } from './support/page-service.ts';
import { visit } from './support/visit.ts';
import { prepareWebUi } from './support/web-ui.ts';

interface Named {
  id: number;
}

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('people and their messages', () => {
  let service: PageService;
  let page: Page;
  let bot: { id: number; platform_id: number };
  let boris: Named;
  let simon: Named;
  let group: Named;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ page, service } = await openWebUi());
    await keepNotices(page);
    bot = await addPracticeBot(service, 'Keeper', { manage_enabled: true });
    const make = (first_name: string) =>
      service.post<Named>('/api/sandbox/users/create', { first_name });
    const olga = await make('Olga');
    boris = await make('Boris');
    simon = await make('Simon');
    group = await service.post<Named>('/api/sandbox/chats/create', {
      title: 'Allotments',
      owner: olga.id,
      members: [boris.id, simon.id, bot.platform_id],
    });
    await service.post('/api/sandbox/chats/promote', {
      user: bot.platform_id,
      chat: group.id,
      by: olga.id,
      rights: { can_restrict_members: true, can_delete_messages: true, can_pin_messages: true },
    });
    const say = (user: number, text: string) =>
      service.post('/api/sandbox/say', { user, chat: group.id, text });
    await say(olga.id, 'The pump is mended');
    await say(boris.id, 'Buy cheap watches');
    await say(simon.id, 'Buy cheap shoes');
    await vi.waitFor(async () => {
      const query = `bot_id=${bot.id}&chat_id=${group.id}`;
      const stored = await service.get<unknown[]>(`/api/messages?${query}`);
      expect(stored.length).toBeGreaterThanOrEqual(3);
    });
  });

  const log = () => page.getByRole('log');
  const message = (text: string) => log().locator('[data-message]').filter({ hasText: text });
  const panel = (name = 'Boris') => page.getByRole('complementary', { name: `About ${name}` });

  async function openGroup(): Promise<void> {
    await visit(page, `${service.address}/chats`);
    await page.getByRole('link', { name: /Allotments/ }).click();
    await message('Buy cheap watches').waitFor();
  }
  async function openPerson(name: string): Promise<void> {
    await openGroup();
    await log().getByRole('button', { name, exact: true }).click();
    await panel(name).getByRole('heading', { name: 'Actions' }).waitFor();
  }

  it('sends, answers, changes and deletes', async () => {
    await openGroup();
    const field = page.getByLabel('Write as the bot');
    await field.fill('Please no adverts');
    await page.keyboard.press('Enter');
    await message('Please no adverts').waitFor();
    await waitUntilSent(page);

    await message('The pump is mended').hover();
    await log().getByRole('button', { name: 'Reply: The pump is mended' }).click();
    await page.getByText('Reply to Olga').waitFor();
    await field.fill('Thank you');
    await page.keyboard.press('Enter');
    await message('Thank you').getByText('Olga: The pump is mended').waitFor();
    await waitUntilSent(page);

    // The draft waits until that is done.
    await field.fill('Half a thought');
    await chooseFrom(log().getByRole('button', { name: 'More: Please no adverts' }), 'Edit');
    await page.getByLabel('Edit message').fill('Please no adverts here');
    await page.keyboard.press('Enter');
    const changed = message('Please no adverts here');
    await changed.waitFor();
    await openGroup();
    expect(await field.inputValue()).toBe('Half a thought');
    await field.fill('');
    await changed.getByRole('button', { name: 'edited' }).click();
    await page.getByText('Edit history').waitFor();
    await page.getByRole('listitem').getByText('Please no adverts', { exact: true }).waitFor();
    await page.keyboard.press('Escape');

    await chooseFrom(
      log().getByRole('button', { name: 'More: Buy cheap watches' }),
      'Delete for everyone',
    );
    await message('Buy cheap watches').getByText('deleted').waitFor();
  });

  it('sends a picture and shows it large', async () => {
    await openGroup();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Attach file' }).click();
    await (await chooser).setFiles({ name: 'pump.png', mimeType: 'image/png', buffer: onePixel });
    await page.getByLabel('Write as the bot').fill('The new pump');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('button', { name: 'Open: The new pump' }).click();
    const picture = page.getByRole('dialog').getByRole('img', { name: 'The new pump' });
    await picture.waitFor();
    await vi.waitFor(async () => expect(await picture.boundingBox()).toMatchObject({ height: 1 }));
    await page.keyboard.press('Escape');
  });

  it('finds a message and shows it in its chat', async () => {
    await openGroup();
    await page.getByRole('button', { name: 'Search this chat' }).click();
    const hit = page.getByRole('link', { name: /pump is mended/ });
    await page.getByRole('searchbox', { name: 'Search this chat' }).fill('mended');
    await hit.click();
    await message('The pump is mended').first().waitFor();
    await vi.waitFor(() => expect(page.url()).toMatch(/message=\d+/));
  });

  it('tags and notes, and takes both back', async () => {
    await openPerson('Boris');
    await panel().getByRole('button', { name: 'Add tag' }).click();
    await panel().getByLabel('Tag', { exact: true }).fill('seller');
    await page.keyboard.press('Enter');
    await panel().getByRole('button', { name: 'Remove tag seller' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await panel().getByRole('button', { name: 'Remove tag seller' }).waitFor();

    await panel().getByRole('button', { name: 'Add note' }).click();
    await panel().getByLabel('Note', { exact: true }).fill('Sells watches');
    await panel().getByRole('button', { name: 'Save' }).click();
    await panel().getByText('Sells watches').waitFor();
    const add = panel().getByRole('button', { name: 'Add tag' });
    expect(
      await panel()
        .getByRole('button', { name: /^Remove tag / })
        .count(),
    ).toBe(1);
    expect(await add.isVisible()).toBe(true);
  });

  it('warns, bans and lets back in, as the audit log tells', async () => {
    await openPerson('Simon');
    const about = panel('Simon');
    await about.getByRole('button', { name: 'Warn' }).click();
    await page.getByLabel('Reason').fill('adverts');
    await page.getByRole('dialog').getByRole('button', { name: 'Warn' }).click();
    const warning = about.getByRole('button', { name: 'Remove warning: adverts' });
    await warning.waitFor();
    // It tells how many there are, and covers nothing of the person.
    const notice = page.getByRole('status').locator('> div').filter({ hasText: 'Warned: 1 of 3.' });
    const [told, beside] = await Promise.all([notice.boundingBox(), about.boundingBox()]);
    expect((told?.x ?? 9_999) + (told?.width ?? 0)).toBeLessThanOrEqual(beside?.x ?? 0);
    await notice.getByRole('button', { name: 'Undo' }).click();
    await warning.waitFor({ state: 'detached' });

    await about.getByRole('button', { name: 'Ban' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Ban' }).click();
    await about.getByText('banned').waitFor();
    const isMember = async () => {
      const world = await service.get<{
        chats: { id: number; members: { user: Named; status: string }[] }[];
      }>('/api/sandbox/snapshot');
      const members = world.chats.find(({ id }) => id === group.id)?.members ?? [];
      return members.some(({ user, status }) => user.id === simon.id && status === 'member');
    };
    expect(await isMember()).toBe(false);
    await about.getByRole('button', { name: 'Unban' }).click();
    await page.getByText('Unbanned. They can rejoin.').waitFor();

    await visit(page, `${service.address}/audit`);
    await page.getByRole('button', { name: /^Person banned · .*Simon/ }).click();
    const after = page.getByRole('region', { name: 'After' });
    expect(await after.innerText()).toContain(String(simon.id));
  });

  it('says which right is missing before anything is tried', async () => {
    const weak = await addPracticeBot(service, 'Guest', { manage_enabled: true });
    const other = await service.post<Named>('/api/sandbox/chats/create', {
      title: 'Strangers',
      owner: boris.id,
      members: [weak.platform_id],
    });
    await service.post('/api/sandbox/say', { user: boris.id, chat: other.id, text: '/hello' });
    await visit(page, `${service.address}/chats/${weak.id}/${other.id}`);
    await message('/hello').waitFor();
    await log().getByRole('button', { name: 'Boris', exact: true }).click();
    await panel()
      .getByText(/lacks the right “Ban and mute people”/)
      .waitFor();
    expect(await panel().getByRole('button', { name: 'Ban' }).isDisabled()).toBe(true);
  });

  it('offers to turn chat management on where it is off', async () => {
    const plain = await addPracticeBot(service, 'Plain');
    await service.post('/api/sandbox/say', {
      user: boris.id,
      chat: plain.platform_id,
      text: 'Anybody there?',
    });
    await visit(page, `${service.address}/chats`);
    const off = page.getByRole('listitem').filter({ hasText: 'Plain' });
    await off.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('link', { name: /Anybody there\?/ }).waitFor();
    const bots = await service.get<{ id: number }[]>('/api/bots');
    expect(bots.find(({ id }) => id === plain.id)).toMatchObject({ manage_enabled: true });
  });

  it('shows in the statistics who wrote', async () => {
    await visit(page, `${service.address}/statistics?bot=${bot.id}&days=1`);
    await page.getByRole('link', { name: 'Boris' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Busy hours' }).count()).toBe(1);
  });
});
