import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { addPracticeBot, type PageService } from '../support/page-service.ts';
import { openPage } from '../support/visitor.ts';
import { prepareWebUi, type WebUi } from '../support/web-ui.ts';

describe('the route simulator', () => {
  let ui: WebUi;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ui = await openWebUi();
    await addRoutes(ui.service);
  });

  it('lists every route and marks the one that matches by meaning', async () => {
    await ui.page.goto(`${ui.service.address}/routes`);
    await ui.page.getByRole('heading', { name: 'Routes of Front desk', exact: true }).waitFor();
    const order =
      'Checked from top to bottom; routes that match by meaning only if no other route matches.';
    expect(await ui.page.getByText(order).count()).toBe(1);
    expect(await simulated(ui.page, 'Message', 'Try')).toEqual([
      ['idle', 'Route “Refunds” · does not match'],
      ['ok', 'Route “Money” · chosen by meaning'],
      ['idle', 'Route “Devices” · not chosen by meaning'],
      ['idle', 'Route “Urgent” · disabled'],
    ]);
    await ui.page.getByText('Its description matches best: invoice.').waitFor();
    expect(ui.complaints).toEqual([]);
  });

  it('says the same in Russian', async () => {
    const { context, page } = await openPage(ui.browser, { locale: 'ru-RU' });
    await context.addCookies(await ui.context.cookies());
    await page.goto(`${ui.service.address}/routes`);
    await page.getByText(/^Проверяются сверху вниз; маршруты по смыслу — только если/).waitFor();
    expect(await simulated(page, 'Сообщение', 'Проверить')).toEqual([
      ['idle', 'Маршрут «Refunds» · не подходит'],
      ['ok', 'Маршрут «Money» · выбран по смыслу'],
      ['idle', 'Маршрут «Devices» · не выбран по смыслу'],
      ['idle', 'Маршрут «Urgent» · отключён'],
    ]);
    await context.close();
  });
});

async function addRoutes(service: PageService): Promise<void> {
  const front = await addPracticeBot(service, 'Front desk');
  await service.post('/api/bots/update', { id: front.id, llm_routing_enabled: true });
  const billing = await addPracticeBot(service, 'Billing', {
    description: 'An invoice or a refund',
    manage_enabled: true,
  });
  const tech = await addPracticeBot(service, 'Tech', { description: 'Broken devices' });
  const boris = await service.post<{ id: number }>('/api/sandbox/users/create', {
    first_name: 'Boris',
  });
  const team = await service.post<{ id: number }>('/api/sandbox/chats/create', {
    title: 'Team',
    owner: boris.id,
    type: 'supergroup',
    members: [billing.platform_id],
  });
  await service.post('/api/sandbox/say', { user: boris.id, chat: team.id, text: '/hello' });
  await vi.waitFor(async () =>
    expect(await service.get(`/api/chats?bot_id=${billing.id}`)).toHaveLength(1),
  );
  const add = (description: string, target: { id: number }, condition: object) =>
    service.post('/api/routes/add', {
      source_bot_id: front.id,
      target_bot_id: target.id,
      target_chat_id: team.id,
      action: 'copy',
      description,
      ...condition,
    });
  await add('Refunds', billing, { condition_type: 'keyword', condition_value: 'refund' });
  await add('Money', billing, { condition_type: 'llm' });
  await add('Devices', tech, { condition_type: 'llm' });
  await add('Urgent', tech, { enabled: false });
}

/** The tone and the text of each route that the simulator lists. */
async function simulated(page: Page, field: string, button: string): Promise<string[][]> {
  await page.getByLabel(field, { exact: true }).fill('my invoice is wrong');
  await page.getByRole('button', { name: button, exact: true }).click();
  const items = page.locator('[aria-live=polite]').getByRole('listitem');
  await items.first().waitFor();
  return Promise.all(
    (await items.all()).map(async (item) => {
      const tone = await item.locator('[data-tone]').first().getAttribute('data-tone');
      return [tone ?? '', (await item.innerText()).replaceAll(/\s+/g, ' ')];
    }),
  );
}
