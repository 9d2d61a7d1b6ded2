import type { Message, OrderInfo, StarAmount, StarTransactions, Update } from '@grammyjs/types';
import { Bot } from 'grammy';
import { describe, expect, test } from 'vitest';
import type { ShownPayment } from '../../src/sandbox/actions/pay.ts';
import { createManualClock } from '../../src/sandbox/clock.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { paintPicture } from '../../src/sandbox/world/picture.ts';
import type { UserRecord } from '../../src/sandbox/world/records.ts';
import { pending, type Scene, scene } from './helpers.ts';

const TOO_OLD = 'Bad Request: query is too old and response timeout expired or query ID is invalid';
const STARS = {
  title: 'Tea',
  description: 'A pot of it',
  payload: 'order-1',
  currency: 'XTR',
  prices: [{ label: 'Tea', amount: 25 }],
};
const MONEY = {
  ...STARS,
  currency: 'EUR',
  provider_token: '1:TEST:x',
  prices: [
    { label: 'Tea', amount: 400 },
    { label: 'Cup', amount: 150 },
  ],
};
const ADDRESS = {
  country_code: 'SE',
  state: '',
  city: 'Stockholm',
  street_line1: 'Gamla gatan 1',
  street_line2: '',
  post_code: '11122',
};
const ORDER: OrderInfo = {
  name: 'Ann A',
  phone_number: '+46700000000',
  email: 'ann@example.com',
  shipping_address: ADDRESS,
};

interface Shop extends Scene {
  clock: ReturnType<typeof createManualClock>;
  ann: UserRecord;
  /** What the control API answers, or the error it names. */
  act<T = ShownPayment & { error?: string }>(action: string, input: object): Promise<T>;
  status(id: string): Promise<ShownPayment>;
  newest<K extends keyof Update>(kind: K): Promise<NonNullable<Update[K]>>;
}

async function shop(): Promise<Shop> {
  const clock = createManualClock();
  const made = await scene({ clock });
  const { sandbox, bot, url, api } = made;
  const ann = sandbox.createUser({ first_name: 'Ann', username: 'ann' });
  sandbox.say(ann, bot, 'tea, please');
  const act: Shop['act'] = async (action, input) => {
    const response = await fetch(`${url}/sandbox/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    return (await response.json()) as never;
  };
  return {
    ...made,
    clock,
    ann,
    act,
    async status(id) {
      return (await (await fetch(`${url}/sandbox/pay/status?id=${id}`)).json()) as ShownPayment;
    },
    async newest(kind) {
      const found = (await pending(api)).findLast((update) => update[kind] !== undefined)?.[kind];
      if (!found) throw new Error(`There is no ${kind}.`);
      return found;
    },
  };
}

const invoice = ({ api, ann }: Shop, fields: object): Promise<Message> =>
  api.ok('sendInvoice', { chat_id: ann.id, ...fields });

describe('stars', () => {
  test('are paid, counted and given back', async () => {
    const made = await shop();
    const { api, act, ann, bot, newest, status, sandbox, clock } = made;
    const { message_id } = await invoice(made, STARS);
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
    expect(await act('pay', { user: 'ann', chat: 'scene_bot', message_id })).toEqual({
      error: 'Ann has paid this already.',
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
    const { message_id } = await invoice(made, STARS);
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
    const invoice_link = await api.ok<string>('createInvoiceLink', STARS);
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
    expect(await act('pay', { user: 'ann', invoice_link: 'https://t.me/$x' })).toEqual({
      error: 'There is no such invoice.',
    });
    expect(
      await api.refused('createInvoiceLink', { ...STARS, subscription_period: 2_592_000 }),
    ).toBe('Bad Request: subscriptions are not supported by the sandbox');
  });
});

describe('money', () => {
  const flexible = {
    ...MONEY,
    is_flexible: true,
    need_name: true,
    need_email: true,
    max_tip_amount: 100,
  };
  const shipping_options = [
    { id: 'post', title: 'Post', prices: [{ label: 'Post', amount: 60 }] },
    {
      id: 'bike',
      title: 'Bike',
      prices: [
        { label: 'Ride', amount: 200 },
        { label: 'Discount', amount: -50 },
      ],
    },
  ];

  test('with an address, a way of shipping and a tip', async () => {
    const made = await shop();
    const { api, act, newest, status } = made;
    const { message_id } = await invoice(made, flexible);
    const at = { user: 'ann', chat: 'scene_bot', message_id };
    const asked = await act('pay', { ...at, order_info: ORDER, tip: 40 });
    expect(asked).toMatchObject({ status: 'shipping', total_amount: 590 });
    const query = await newest('shipping_query');
    expect(query).toMatchObject({
      invoice_payload: 'order-1',
      shipping_address: ADDRESS,
      from: { username: 'ann' },
    });
    const answer = { shipping_query_id: query.id, ok: true, shipping_options };
    expect(await act('pay/shipping', { id: asked.id, option: 'post' })).toEqual({
      error: 'There is nothing to choose just now.',
    });
    expect(await api.ok('answerShippingQuery', answer)).toBe(true);
    expect(await api.refused('answerShippingQuery', answer)).toBe(TOO_OLD);
    expect(await status(asked.id)).toMatchObject({ status: 'choose_shipping', shipping_options });
    expect(await act('pay/shipping', { id: asked.id, option: 'ship' })).toEqual({
      error: 'The bot did not offer this way of shipping.',
    });
    expect(await act('pay/shipping', { id: asked.id, option: 'bike' })).toMatchObject({
      status: 'checkout',
      total_amount: 740,
    });
    const order = { name: 'Ann A', email: 'ann@example.com', shipping_address: ADDRESS };
    const checkout = await newest('pre_checkout_query');
    expect(checkout).toMatchObject({
      currency: 'EUR',
      total_amount: 740,
      shipping_option_id: 'bike',
      invoice_payload: 'order-1',
    });
    // Nothing that was not asked for.
    expect(checkout.order_info).toEqual(order);
    await api.ok('answerPreCheckoutQuery', { pre_checkout_query_id: checkout.id, ok: true });
    expect((await newest('message')).successful_payment).toMatchObject({
      currency: 'EUR',
      total_amount: 740,
      shipping_option_id: 'bike',
      order_info: order,
    });
    // Only stars are the bot's own.
    expect(await api.ok<StarAmount>('getMyStarBalance')).toEqual({ amount: 0 });
    const charge = (await status(asked.id)).telegram_payment_charge_id;
    expect(
      await api.refused('refundStarPayment', {
        user_id: made.ann.id,
        telegram_payment_charge_id: charge,
      }),
    ).toBe('Bad Request: CHARGE_NOT_FOUND');
  });

  test('is refused by the bot, in its own words', async () => {
    const made = await shop();
    const { api, act, newest, status } = made;
    const { message_id } = await invoice(made, flexible);
    const at = { user: 'ann', chat: 'scene_bot', message_id };
    const { id } = await act('pay', { ...at, order_info: ORDER });
    const shipping = { shipping_query_id: (await newest('shipping_query')).id };
    const options = (given: unknown) => ({ ...shipping, ok: true, shipping_options: given });
    const cases: [object, string][] = [
      [shipping, 'parameter "error_message" is required'],
      [{ ...shipping, ok: true }, 'parameter "shipping_options" is required'],
      [options('{'), "can't parse shipping options JSON object"],
      [options({}), 'expected an Array of shipping options'],
      [options([]), 'there must be at least one shipping option'],
      [options([1]), "can't parse shipping option: ShippingOption must be an Object"],
      [options([{ id: 'a' }]), 'can\'t parse shipping option: Can\'t find field "title"'],
      [
        options([{ id: 'a', title: 'A' }]),
        'can\'t parse shipping option: Can\'t find field "prices"',
      ],
      [options([shipping_options[0], shipping_options[0]]), 'SHIPPING_ID_DUPLICATE'],
      [{ shipping_query_id: '1', ok: false, error_message: 'No' }, TOO_OLD.slice(13)],
    ];
    for (const [params, reason] of cases) {
      expect(await api.refused('answerShippingQuery', params), JSON.stringify(params)).toBe(
        `Bad Request: ${reason}`,
      );
    }
    await api.ok('answerShippingQuery', { ...shipping, ok: false, error_message: 'Too far.' });
    expect(await status(id)).toMatchObject({ status: 'refused', error_message: 'Too far.' });

    const plain = await invoice(made, MONEY);
    const second = await act('pay', { ...at, message_id: plain.message_id });
    const checkout = { pre_checkout_query_id: (await newest('pre_checkout_query')).id };
    expect(await api.refused('answerPreCheckoutQuery', checkout)).toBe(
      'Bad Request: parameter "error_message" is required',
    );
    await api.ok('answerPreCheckoutQuery', { ...checkout, ok: false, error_message: 'Sold out.' });
    expect(await status(second.id)).toMatchObject({
      status: 'refused',
      error_message: 'Sold out.',
    });
    expect(await api.refused('answerPreCheckoutQuery', { ...checkout, ok: true })).toBe(TOO_OLD);
    expect((await pending(api)).some((update) => update.message?.successful_payment)).toBe(false);
  });

  test('is not paid when the bot takes longer than ten seconds', async () => {
    const made = await shop();
    const { api, act, newest, status, clock, sandbox, url } = made;
    for (const fields of [MONEY, flexible]) {
      const { message_id } = await invoice(made, fields);
      const { id } = await act('pay', {
        user: 'ann',
        chat: 'scene_bot',
        message_id,
        order_info: ORDER,
      });
      clock.advance(9_999);
      expect((await status(id)).status).not.toBe('expired');
      clock.advance(1);
      expect((await status(id)).status).toBe('expired');
    }
    const shipping_query_id = (await newest('shipping_query')).id;
    const pre_checkout_query_id = (await newest('pre_checkout_query')).id;
    expect(
      await api.refused('answerShippingQuery', { shipping_query_id, ok: true, shipping_options }),
    ).toBe(TOO_OLD);
    expect(await api.refused('answerPreCheckoutQuery', { pre_checkout_query_id, ok: true })).toBe(
      TOO_OLD,
    );
    // A question to one bot is none to another.
    const { message_id } = await invoice(made, MONEY);
    await act('pay', { user: 'ann', chat: 'scene_bot', message_id });
    const query = await newest('pre_checkout_query');
    const other = sandbox.createBot();
    const answer = await fetch(
      `${url}/bot${other.token}/answerPreCheckoutQuery?ok=true&pre_checkout_query_id=${query.id}`,
    );
    expect(answer.status).toBe(400);
  });

  test('asks for what the invoice needs', async () => {
    const made = await shop();
    const { act, sandbox, bot, ann } = made;
    const { message_id } = await invoice(made, flexible);
    const at = { user: 'ann', chat: 'scene_bot', message_id };
    const { shipping_address: _address, ...nowhere } = ORDER;
    const cases: [object, string][] = [
      [at, 'The invoice asks for "name": give it in "order_info".'],
      [
        { ...at, order_info: nowhere },
        'The invoice asks for "shipping_address": give it in "order_info".',
      ],
      [{ ...at, order_info: ORDER, tip: 101 }, 'A tip can be from 0 to 100 here.'],
      [{ ...at, order_info: 'x' }, '"order_info" has to be an object.'],
      [{ ...at, message_id: 1 }, 'There is nothing to pay in this message.'],
      [{ user: 'ann' }, '"chat" is missing.'],
    ];
    for (const [input, error] of cases) expect(await act('pay', input)).toEqual({ error });
    expect(sandbox.history(ann, bot)).toHaveLength(2);
  });
});

test('a forwarded invoice is paid by others, or leads to the bot; none can be copied', async () => {
  const made = await shop();
  const { api, act, sandbox, ann, bot, newest } = made;
  const group = sandbox.createChat({ title: 'G', username: 'tea_club', owner: ann });
  sandbox.addMember(ann, group, sandbox.createUser({ first_name: 'Ben', username: 'ben' }));
  const { message_id } = await invoice(made, STARS);
  const copy = sandbox.forward(ann, bot, message_id, group);
  await act('pay', { user: 'ben', chat: 'tea_club', message_id: copy.message_id });
  const { id } = await newest('pre_checkout_query');
  await api.ok('answerPreCheckoutQuery', { pre_checkout_query_id: id, ok: true });
  // The bot is told in its own chat with the person.
  expect(await newest('message')).toMatchObject({
    chat: { username: 'ben', type: 'private' },
    successful_payment: { total_amount: 25 },
  });
  const linked = await invoice(made, { ...STARS, start_parameter: 'tea' });
  const link = sandbox.forward(ann, bot, linked.message_id, group);
  expect(link.reply_markup).toEqual({
    inline_keyboard: [[{ text: 'Pay', url: 'https://t.me/scene_bot?start=tea' }]],
  });
  expect(
    await api.refused('copyMessage', { chat_id: ann.id, from_chat_id: ann.id, message_id }),
  ).toBe("Bad Request: message can't be copied");
});

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
    expect(await act('pay', at)).toEqual({ error: 'Ann has paid this already.' });
    await api.ok('refundStarPayment', {
      user_id: ann.id,
      telegram_payment_charge_id: bought.telegram_payment_charge_id,
    });
    expect((await status(bought.id)).status).toBe('refunded');
    expect(await api.ok<StarAmount>('getMyStarBalance')).toEqual({ amount: 0 });
  });

  test('without a payload nobody is told; in a channel the stars are its own', async () => {
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

test('a kept world keeps payments and their time; one from before has none', async () => {
  const made = await shop();
  const { sandbox, act, ann, bot, clock, newest } = made;
  const { message_id } = await invoice(made, STARS);
  const { id } = await act('pay', { user: 'ann', chat: 'scene_bot', message_id });
  const query = await newest('pre_checkout_query');
  const saved = sandbox.exportState();
  const answer = { pre_checkout_query_id: query.id, ok: true };

  const next = createSandbox({ clock });
  next.importState(saved);
  await next.call(bot.token, 'answerPreCheckoutQuery', answer);
  expect(next.paymentOf(id).status).toBe('paid');
  expect(() => next.pay(ann.id, { chat: bot.id, messageId: message_id })).toThrow('already');

  const slow = createSandbox({ clock });
  slow.importState(saved);
  clock.advance(10_000);
  expect(slow.paymentOf(id).status).toBe('expired');

  const before = JSON.parse(saved) as { payments?: unknown; invoiceLinks?: unknown };
  delete before.payments;
  delete before.invoiceLinks;
  const older = createSandbox({ clock });
  older.importState(JSON.stringify(before));
  const link = (await older.call(bot.token, 'createInvoiceLink', STARS)) as string;
  expect(older.pay(ann.id, { link }).status).toBe('checkout');
  for (const one of [next, slow, older]) await one.close();
});

test('grammY sells', async () => {
  const { sandbox, url, bot, ann } = await shop();
  const seller = new Bot(bot.token, { client: { apiRoot: url } });
  const sold = new Promise<number>((resolve, reject) => {
    seller.on('pre_checkout_query', (ctx) => ctx.answerPreCheckoutQuery(true));
    seller.on('message:successful_payment', (ctx) => {
      resolve(ctx.message.successful_payment.total_amount);
    });
    seller.catch(reject);
  });
  const polling = seller.start();
  const sent = await seller.api.sendInvoice(ann.id, 'Tea', 'A pot', 'p', 'XTR', STARS.prices);
  sandbox.pay(ann, { chat: bot, messageId: sent.message_id });
  expect(await sold).toBe(25);
  await seller.stop();
  await polling;
});
