import { beforeAll, describe, expect, it, vi } from 'vitest';
import { addPracticeBot } from './support/page-service.ts';
import { prepareWebUi, type WebUi } from './support/web-ui.ts';

describe('a support desk in the web UI', () => {
  let ui: WebUi;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ui = await openWebUi();
    const { service } = ui;
    const bot = await addPracticeBot(service, 'Tea shop', { manage_enabled: true });
    const lead = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Lead',
    });
    const forum = await service.post<{ id: number }>('/api/sandbox/chats/create', {
      title: 'Tea team',
      owner: lead.id,
      is_forum: true,
    });
    const promoted = { chat: forum.id, user: bot.platform_id, by: lead.id };
    await service.post('/api/sandbox/chats/promote', promoted);
    await vi.waitFor(
      async () => expect(await service.get(`/api/chats?bot_id=${bot.id}`)).toHaveLength(1),
      { interval: 20 },
    );
  });

  it('is added by choosing the forum, checked, and deleted', async () => {
    const { page, service } = ui;
    await page.goto(`${service.address}/routes`);
    await page.getByRole('button', { name: 'Add desk' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Forum of the team' }).click();
    await page.getByRole('option', { name: 'Tea team' }).click();
    await dialog.getByRole('button', { name: 'Add desk' }).click();
    await page.getByText('Desk added.').waitFor();
    await page.getByText('Tea shop → Tea team').waitFor();
    expect(await service.get('/api/desks')).toMatchObject([{ name: 'Support', problem: '' }]);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('The desk bot has all its rights.').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete desk' }).click();
    await page.getByText('No desks yet.').waitFor();
    expect(ui.complaints).toEqual([]);
  });
});
