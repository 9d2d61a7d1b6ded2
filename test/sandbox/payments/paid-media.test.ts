import type { Message, StarAmount, StarTransactions } from '@grammyjs/types';
import { describe, expect, test } from 'vitest';
import { paintPicture } from '../../../sandbox/src/world/messages/picture.ts';
import { pending } from '../helpers.ts';
import { shop, type Shop } from '../support/shop.ts';

describe('paid media', () => {
  const picture = paintPicture(40, 30, 7).toString('base64');

  async function sell(made: Shop, chat_id: number, more: object = {}): Promise<Message> {
    const { sandbox, ann, bot, newest, api } = made;
    sandbox.sendMedia(ann, bot, { bytes: Buffer.from(picture, 'base64') });
    const photo = (await newest('message')).photo?.at(-1)?.file_id;
    const media = [{ type: 'photo', media: photo }];
    return api.ok('sendPaidMedia', { chat_id, star_count: 30, media, ...more });
  }

  test('is bought once, and the bot hears of it', async () => {
    const made = await shop();
    const { api, act, ann, newest, status } = made;
    const { message_id } = await sell(made, ann.id, { payload: 'view-1' });
    const at = { user: 'ann', chat: 'scene_bot', message_id };
    const bought = await act('pay', at);
    expect(bought).toMatchObject({ status: 'paid', currency: 'XTR', total_amount: 30 });
    expect(await newest('purchased_paid_media')).toEqual({
      from: expect.objectContaining({ id: ann.id }) as object,
      paid_media_payload: 'view-1',
    });
    const { transactions } = await api.ok<StarTransactions>('getStarTransactions');
    expect(transactions[0]).toMatchObject({
      id: bought.telegram_payment_charge_id,
      amount: 30,
      source: {
        type: 'user',
        transaction_type: 'paid_media_payment',
        user: { id: ann.id },
        paid_media: [{ type: 'photo' }],
        paid_media_payload: 'view-1',
      },
    });
    expect(await act('pay', at)).toMatchObject({ error: 'Ann has already paid this.' });
    await api.ok('refundStarPayment', {
      user_id: ann.id,
      telegram_payment_charge_id: bought.telegram_payment_charge_id,
    });
    expect((await status(bought.id)).status).toBe('refunded');
    expect(await api.ok<StarAmount>('getMyStarBalance')).toEqual({ amount: 0 });
  });

  test('without a payload no update is sent; in a channel the stars are its own', async () => {
    const made = await shop();
    const { api, act, ann, sandbox, bot } = made;
    const plain = await sell(made, ann.id);
    await act('pay', { user: 'ann', chat: 'scene_bot', message_id: plain.message_id });
    expect(await api.ok<StarAmount>('getMyStarBalance')).toEqual({ amount: 30 });
    const channel = sandbox.createChat({
      type: 'channel',
      title: 'News',
      username: 'news',
      owner: ann,
      members: [bot],
    });
    const post = await sell(made, channel.id, { payload: 'view-2' });
    const { message_id } = post;
    const bought = await act('pay', { user: 'ann', chat: 'news', message_id });
    expect(bought.status).toBe('paid');
    expect(await api.ok<StarAmount>('getMyStarBalance')).toEqual({ amount: 30 });
    expect((await pending(api)).some((update) => update.purchased_paid_media)).toBe(false);
    expect(
      await api.refused('refundStarPayment', {
        user_id: ann.id,
        telegram_payment_charge_id: bought.telegram_payment_charge_id,
      }),
    ).toBe('Bad Request: CHARGE_NOT_FOUND');
    const media = [{ type: 'photo', media: 'x' }];
    expect(await api.refused('sendPaidMedia', { chat_id: ann.id, star_count: 0, media })).toBe(
      'Bad Request: STARS_AMOUNT_INVALID',
    );
  });
});
