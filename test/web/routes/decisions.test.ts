import { beforeAll, describe, expect, it, vi } from 'vitest';
import { addPracticeBot } from '../support/page-service.ts';
import { prepareWebUi, type WebUi } from '../support/web-ui.ts';

interface Made {
  id: number;
}

describe('the routing decisions of the web UI', () => {
  let ui: WebUi;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ui = await openWebUi();
    const { service } = ui;
    const person = (first_name: string) =>
      service.post<Made>('/api/sandbox/users/create', { first_name });
    const shop = await addPracticeBot(service, 'Tea shop', { manage_enabled: true });
    const store = await addPracticeBot(service, 'Store', { manage_enabled: true });
    const [ann, ben, lead] = [await person('Ann'), await person('Ben'), await person('Lead')];
    const forum = await service.post<Made>('/api/sandbox/chats/create', {
      title: 'Tea team',
      owner: lead.id,
      is_forum: true,
    });
    const promoted = { chat: forum.id, user: shop.platform_id, by: lead.id };
    await service.post('/api/sandbox/chats/promote', promoted);
    await service.post('/api/desks/add', {
      name: 'Evening team',
      desk_bot_id: shop.id,
      chat_id: forum.id,
      bot_ids: [shop.id],
    });
    const say = (who: Made, bot: { platform_id: number }, text: string) =>
      service.post('/api/sandbox/say', { user: who.id, chat: bot.platform_id, text });
    await say(lead, store, '/start');
    await service.post('/api/routes/add', {
      source_bot_id: shop.id,
      target_bot_id: store.id,
      target_chat_id: lead.id,
      action: 'copy',
      condition_type: 'keyword',
      condition_value: 'samovar',
    });
    await say(ann, shop, 'Is the samovar there?');
    await say(ben, shop, 'Good evening');
    await vi.waitFor(async () => {
      const path = `/api/routes/decisions?bot_id=${shop.id}`;
      const decided = (await service.get<{ text: string }[]>(path)).map(({ text }) => text);
      // Messages of the forum about its new topics are decided as well.
      expect(decided).toEqual(expect.arrayContaining(['Is the samovar there?', 'Good evening']));
    });
  });

  it('are found by text and by person, and lead to the timeline with its desk', async () => {
    const { page, service } = ui;
    await page.goto(`${service.address}/routes`);
    const heading = page.getByRole('heading', { name: 'Routing decisions' });
    const list = page.locator('section').filter({ has: heading });
    const rowOf = (name: string) => list.getByRole('button', { name: new RegExp(name) });
    await rowOf('Good evening').waitFor();
    await rowOf('samovar').waitFor();
    const field = list.getByRole('searchbox');
    await field.fill('GOOD');
    await rowOf('samovar').waitFor({ state: 'detached' });
    await rowOf('Ben').waitFor();
    await field.fill('ann');
    await rowOf('Ben').waitFor({ state: 'detached' });
    await field.fill('nobody like this');
    await list.getByText('No decisions match').waitFor();
    await field.fill('ann');
    await rowOf('Is the samovar there').click();
    await list.getByRole('link', { name: 'Where did it go?' }).click();
    const panel = page.getByRole('complementary', { name: 'Where did it go?' });
    await panel.getByText('Shown at desk Evening team.').waitFor();
    await panel.getByText('it says “samovar”', { exact: true }).waitFor();
    expect(ui.complaints).toEqual([]);
  });
});
