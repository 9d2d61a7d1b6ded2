import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { keepNotices } from '../support/keep-notices.ts';
import type { PageService } from '../support/page-service.ts';
import { prepareWebUi } from '../support/web-ui.ts';

interface Asked {
  pre_checkout_query?: { id: string };
}

describe('an invoice on a sandbox phone', () => {
  let service: PageService;
  let page: Page;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ page, service } = await openWebUi());
    await keepNotices(page);
  });

  it('is paid, or not, as the bot decides', async () => {
    const bot = await service.post<{ token: string }>('/api/sandbox/bots', {
      first_name: 'Teashop',
      username: 'teashop_bot',
    });
    const fay = await service.post<{ id: number }>('/api/sandbox/users/create', {
      first_name: 'Fay',
      username: 'fay',
    });
    await service.post('/api/sandbox/say', { user: 'fay', chat: 'teashop_bot', text: '/start' });
    const call = <T = unknown>(method: string, params: object = {}) =>
      service
        .post<{ result: T }>(`/sandbox/bot${bot.token}/${method}`, params)
        .then(({ result }) => result);
    const sell = (title: string) =>
      call('sendInvoice', {
        chat_id: fay.id,
        title,
        description: 'From the hills',
        payload: title,
        currency: 'XTR',
        prices: [{ label: title, amount: 25 }],
      });
    /** The next query to the bot; it is confirmed at once. */
    const query = () =>
      vi.waitFor(async () => {
        const updates = await call<(Asked & { update_id: number })[]>('getUpdates');
        const last = updates.at(-1);
        const id = last?.pre_checkout_query?.id;
        if (!last || id === undefined) throw new Error('The bot is not asked yet.');
        await call('getUpdates', { offset: last.update_id + 1 });
        return id;
      });

    await sell('Green tea');
    await page.goto(`${service.address}/phones`);
    await page.getByRole('button', { name: 'Add phone' }).first().click();
    await page.getByRole('menuitem', { name: 'Fay' }).click();
    const phone = page.getByRole('region', { name: 'Phone of Fay' });
    await phone.getByRole('button', { name: /Teashop/ }).click();
    const log = phone.getByRole('log');
    await log.getByText('From the hills').waitFor();
    await log.getByRole('button', { name: /^Pay/ }).click();
    await call('answerPreCheckoutQuery', {
      pre_checkout_query_id: await query(),
      ok: false,
      error_message: 'Sold out',
    });
    await page.getByText('Not paid: Sold out').waitFor();

    await log.getByRole('button', { name: /^Pay/ }).click();
    await call('answerPreCheckoutQuery', { pre_checkout_query_id: await query(), ok: true });
    await log.getByText('Paid', { exact: true }).waitFor();
    expect(await call('getMyStarBalance')).toEqual({ amount: 25 });
  });
});
