import type { StarAmount, StarTransactions } from '@grammyjs/types';
import { describe, expect, test } from 'vitest';
import { stars, invoice, shop } from '../support/shop.ts';

describe('stars', () => {
  test('are paid, counted and given back', async () => {
    const made = await shop();
    const { api, act, ann, bot, newest, status, sandbox, clock } = made;
    const { message_id } = await invoice(made, stars);
    const asked = await act('pay', { user: 'ann', chat: 'scene_bot', message_id });
    expect(asked).toEqual({
      id: asked.id,
      status: 'checkout',
      currency: 'XTR',
      total_amount: 25,
    });
    const query = await newest('pre_checkout_query');
    expect(query).toEqual({
      id: expect.stringMatching(/^\d+$/) as string,
      from: expect.objectContaining({ id: ann.id }) as object,
      currency: 'XTR',
      total_amount: 25,
      invoice_payload: 'order-1',
    });
    expect(
      await api.ok('answerPreCheckoutQuery', { pre_checkout_query_id: query.id, ok: true }),
    ).toBe(true);
    const paid = await status(asked.id);
    expect(paid.status).toBe('paid');
    const message = await newest('message');
    expect(message).toMatchObject({ from: { id: ann.id }, chat: { id: ann.id, type: 'private' } });
    expect(message.successful_payment).toEqual({
      currency: 'XTR',
      total_amount: 25,
      invoice_payload: 'order-1',
      telegram_payment_charge_id: paid.telegram_payment_charge_id,
      provider_payment_charge_id: expect.any(String) as string,
    });
    expect(await api.ok<StarAmount>('getMyStarBalance')).toEqual({ amount: 25 });
    const now = Math.floor(clock.now() / 1000);
    const partner = {
      type: 'user',
      transaction_type: 'invoice_payment',
      user: query.from,
      invoice_payload: 'order-1',
    };
    const id = paid.telegram_payment_charge_id ?? '';
    const income = { id, amount: 25, date: now, source: partner };
    expect(await api.ok<StarTransactions>('getStarTransactions')).toEqual({
      transactions: [income],
    });
    expect(await act('pay', { user: 'ann', chat: 'scene_bot', message_id })).toMatchObject({
      error: 'Ann has already paid this.',
    });

    const refund = { user_id: ann.id, telegram_payment_charge_id: id };
    const other = sandbox.createUser();
    sandbox.say(other, bot, 'hi');
    for (const wrong of [{ user_id: other.id }, { telegram_payment_charge_id: 'stx1' }]) {
      expect(await api.refused('refundStarPayment', { ...refund, ...wrong })).toBe(
        'Bad Request: CHARGE_NOT_FOUND',
      );
    }
    expect(await api.ok('refundStarPayment', refund)).toBe(true);
    expect((await status(asked.id)).status).toBe('refunded');
    expect((await newest('message')).refunded_payment).toEqual({
      currency: 'XTR',
      total_amount: 25,
      invoice_payload: 'order-1',
      telegram_payment_charge_id: id,
    });
    expect(await api.ok<StarAmount>('getMyStarBalance')).toEqual({ amount: 0 });
    expect(await api.ok<StarTransactions>('getStarTransactions')).toEqual({
      transactions: [{ id, amount: 25, date: now, receiver: partner }, income],
    });
    expect(await api.refused('refundStarPayment', refund)).toBe(
      'Bad Request: CHARGE_ALREADY_REFUNDED',
    );
  });

  test('that are spent cannot be given back', async () => {
    const made = await shop();
    const { api, act, newest, ann } = made;
    const { message_id } = await invoice(made, stars);
    await act('pay', { user: 'ann', chat: 'scene_bot', message_id });
    const { id } = await newest('pre_checkout_query');
    await api.ok('answerPreCheckoutQuery', { pre_checkout_query_id: id, ok: true });
    const { gifts } = await api.ok<{ gifts: { id: string; star_count: number }[] }>(
      'getAvailableGifts',
    );
    const gift = gifts.find((one) => one.star_count === 15);
    await api.ok('sendGift', { user_id: ann.id, gift_id: gift?.id });
    const charge = (await api.ok<StarTransactions>('getStarTransactions')).transactions.at(-1)?.id;
    expect(
      await api.refused('refundStarPayment', {
        user_id: ann.id,
        telegram_payment_charge_id: charge,
      }),
    ).toBe('Bad Request: BALANCE_TOO_LOW');
  });

  test('by a link, again and again, by anyone', async () => {
    const { api, act, newest, sandbox } = await shop();
    const invoice_link = await api.ok<string>('createInvoiceLink', stars);
    expect(invoice_link).toMatch(/^https:\/\/t\.me\/\$\w+$/);
    sandbox.createUser({ first_name: 'Ben', username: 'ben' });
    for (const user of ['ben', 'ben', 'ann']) {
      await act('pay', { user, invoice_link });
      const { id, from } = await newest('pre_checkout_query');
      expect(from.username).toBe(user);
      await api.ok('answerPreCheckoutQuery', { pre_checkout_query_id: id, ok: true });
      expect((await newest('message')).successful_payment?.total_amount).toBe(25);
    }
    expect(await api.ok<StarAmount>('getMyStarBalance')).toEqual({ amount: 75 });
    expect(await act('pay', { user: 'ann', invoice_link: 'https://t.me/$x' })).toMatchObject({
      error: 'Unknown invoice link. The bot creates one with createInvoiceLink.',
    });
    expect(
      await api.refused('createInvoiceLink', { ...stars, subscription_period: 2_592_000 }),
    ).toBe('Bad Request: subscriptions are not supported by the sandbox');
  });
});
