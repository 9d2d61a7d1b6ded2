import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { axeProblems } from './support/axe.ts';
import type { PageService } from './support/page-service.ts';
import { prepareWebUi } from './support/web-ui.ts';

describe('the limits of a key', () => {
  let service: PageService;
  let page: Page;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ page, service } = await openWebUi());
    await page.goto(`${service.address}/access`);
  });

  it('are set with it, for keys that do not manage, and shown in its row', async () => {
    await page.getByRole('button', { name: 'New key' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New key' });
    const chats = (label: string) => dialog.getByRole('combobox', { name: label });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('agent');
    await dialog.getByRole('radio').nth(2).check();
    expect(await chats('May read these chats').count()).toBe(0);
    await dialog.getByRole('radio').nth(1).check();
    await chats('May read these chats').fill('42 -1001234567890,');
    await chats('May write to these chats').fill('42,');
    await dialog.getByRole('textbox', { name: 'Changes per day' }).fill('200');
    expect(await axeProblems(page, { within: '[role=dialog]' })).toEqual([]);
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('reads 2 chats').waitFor();
    await page.getByText('0 of 200 changes today').waitFor();
    const keys = await service.get<{ name: string }[]>('/api/auth/api-keys');
    expect(keys.find(({ name }) => name === 'agent')).toMatchObject({
      scope: 'send',
      read_chats: [-1001234567890, 42],
      write_chats: [42],
      daily_writes: 200,
    });
  });
});
