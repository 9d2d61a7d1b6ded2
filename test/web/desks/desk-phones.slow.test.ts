import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { addPracticeBot } from '../support/page-service.ts';
import { prepareWebUi, type WebUi } from '../support/web-ui.ts';

const names = ['Uma', 'Vera', 'Willi'] as const;

describe('a desk for three bots in one forum', () => {
  let ui: WebUi;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ui = await openWebUi();
    const { service } = ui;
    const bots = await Promise.all(
      ['Tea', 'Bread', 'Fish'].map((name) =>
        addPracticeBot(service, name, { manage_enabled: true }),
      ),
    );
    const [tea] = bots;
    if (!tea) throw new Error('no bot');
    const lead = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Lead',
    });
    for (const first_name of names) {
      await service.post('/api/sandbox/users/create', { first_name });
    }
    const forum = await service.post<{ id: number }>('/api/sandbox/chats/create', {
      title: 'Counter',
      owner: lead.id,
      is_forum: true,
    });
    await service.post('/api/sandbox/chats/promote', {
      chat: forum.id,
      user: tea.platform_id,
      by: lead.id,
    });
    await vi.waitFor(
      async () => expect(await service.get(`/api/chats?bot_id=${tea.id}`)).toHaveLength(1),
      { interval: 20 },
    );
    await service.post('/api/desks/add', {
      desk_bot_id: tea.id,
      chat_id: forum.id,
      bot_ids: bots.map(({ id }) => id),
    });
  });

  async function phoneOf(name: string): Promise<Locator> {
    const { page } = ui;
    await page.getByRole('button', { name: 'Add phone' }).first().click();
    await page.getByRole('menuitem', { name }).click();
    return page.getByRole('region', { name: `Phone of ${name}` });
  }
  async function write(phone: Locator, text: string): Promise<void> {
    await phone.getByLabel('Message', { exact: true }).fill(text);
    await phone.getByRole('button', { name: 'Send', exact: true }).click();
  }

  it('brings three customers into the forum, and each answer to its customer', async () => {
    const { page, service } = ui;
    await page.goto(`${service.address}/phones`);
    const customers = new Map<string, Locator>();
    for (const [index, bot] of ['Tea', 'Bread', 'Fish'].entries()) {
      const name = names[index] ?? '';
      const phone = await phoneOf(name);
      customers.set(name, phone);
      await phone.getByRole('button', { name: 'New chat' }).click();
      await page.getByRole('menuitem', { name: bot }).click();
      await write(phone, `${name} asks ${bot}`);
    }

    const team = await phoneOf('Lead');
    await team.getByRole('button', { name: /Counter/ }).click();
    for (const name of names) {
      // The topic is made a moment after the customer wrote, and shows what was asked.
      await team.getByRole('button', { name: new RegExp(name) }).click();
      await team.getByRole('log').getByText(`${name} asks`).waitFor();
      await write(team, `For ${name} only`);
      await team.getByRole('log').getByText(`For ${name} only`).waitFor();
      await team.getByRole('button', { name: 'Back to topics' }).click();
    }
    for (const [name, phone] of customers) {
      await phone.getByRole('log').getByText(`For ${name} only`).waitFor();
      expect(await phone.getByRole('log').getByText(/^For /).count()).toBe(1);
    }
    expect(ui.complaints).toEqual([]);
  });
});
