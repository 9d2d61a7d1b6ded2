import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { keepNotices } from '../support/keep-notices.ts';
import type { PageService } from '../support/page-service.ts';
import { prepareWebUi } from '../support/web-ui.ts';

describe('topics on sandbox phones', () => {
  let service: PageService;
  let page: Page;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ page, service } = await openWebUi());
    await keepNotices(page);
  });

  const bot = async (name: string, more: object = {}) => {
    const { token } = await service.post<{ token: string }>('/api/sandbox/bots', {
      first_name: name,
      username: `${name.toLowerCase()}_bot`,
      ...more,
    });
    return (method: string, params: object) =>
      service.post(`/sandbox/bot${token}/${method}`, params);
  };
  const person = (first_name: string) =>
    service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name,
      username: first_name.toLowerCase(),
    });
  async function phoneOf(name: string): Promise<Locator> {
    await page.getByRole('button', { name: 'Add phone' }).first().click();
    await page.getByRole('menuitem', { name }).click();
    return page.getByRole('region', { name: `Phone of ${name}` });
  }
  async function write(phone: Locator, text: string): Promise<void> {
    await phone.getByLabel('Message', { exact: true }).fill(text);
    await phone.getByRole('button', { name: 'Send', exact: true }).click();
  }

  it('lets two people and a bot talk in a topic of a forum', async () => {
    const call = await bot('Clerk');
    await person('Gina');
    await person('Hugo');
    const { id: chat_id } = await service.post<{ id: number }>('/api/sandbox/chats/create', {
      title: 'Help',
      owner: 'gina',
      members: ['hugo', 'clerk_bot'],
      is_forum: true,
    });
    await page.goto(`${service.address}/phones`);
    const gina = await phoneOf('Gina');
    const hugo = await phoneOf('Hugo');
    await gina.getByRole('button', { name: /Help/ }).click();
    await gina.getByRole('textbox', { name: 'Name of a new topic' }).fill('Delivery');
    await gina.getByRole('button', { name: 'Create topic' }).click();
    await write(gina, 'Where is my parcel?');

    await hugo.getByRole('button', { name: /Help/ }).click();
    await hugo.getByRole('button', { name: /General/ }).waitFor();
    await hugo.getByRole('button', { name: /Delivery.*Where is my parcel/ }).click();
    await write(hugo, 'On its way');
    await gina.getByRole('log').getByText('On its way').waitFor();
    const [topic] = await service
      .get<{ message_thread_id: number }[]>(`/api/sandbox/topics?user=hugo&chat=${chat_id}`)
      .then((topics) => topics.slice(1));
    await call('sendMessage', { chat_id, text: 'To all' });
    await call('sendMessage', { chat_id, text: 'Tomorrow', ...topic });
    await hugo.getByRole('log', { name: 'Delivery' }).getByText('Tomorrow').waitFor();
    expect(await hugo.getByText('To all').count()).toBe(0);

    await gina.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Close topic' }).click();
    await hugo.getByText('Topic closed').waitFor();
    await write(hugo, 'Thanks');
    await page.getByText(/may not write in the closed topic/).waitFor();
    await gina.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete topic' }).click();
    await hugo.getByText('1 topic').waitFor();
  });

  it('lets a person turn the topics of a bot off', async () => {
    await bot('Agent', { has_topics_enabled: true });
    await person('Ivan');
    await page.goto(`${service.address}/phones`);
    const ivan = await phoneOf('Ivan');
    await ivan.getByRole('button', { name: 'New chat' }).click();
    await page.getByRole('menuitem', { name: 'Agent' }).click();
    await ivan.getByRole('textbox', { name: 'Name of a new topic' }).fill('Trip');
    await ivan.getByRole('button', { name: 'Create topic' }).click();
    await write(ivan, 'Plan it');
    await ivan.getByRole('button', { name: 'Back to topics' }).click();
    await ivan.getByRole('button', { name: /All messages/ }).waitFor();
    await ivan.getByRole('button', { name: /Trip.*Plan it/ }).waitFor();
    await ivan.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Turn topics off' }).click();
    await ivan.getByRole('log').getByText('Plan it').waitFor();
    expect(await service.get('/api/sandbox/topics?user=ivan&chat=agent_bot')).toEqual([]);
  });
});
