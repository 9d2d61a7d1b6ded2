import type { StarAmount } from '@grammyjs/types';
import { Bot } from 'grammy';
import { describe, expect, test } from 'vitest';
import { createSandbox } from '../../../sandbox/src/sandbox.ts';
import { pending } from '../helpers.ts';
import { tooOld, stars, money, address, orderInfo, invoice, shop } from '../support/shop.ts';

describe('money', () => {
  const flexible = {
    ...money,
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
    const asked = await act('pay', { ...at, order_info: orderInfo, tip: 40 });
    expect(asked).toMatchObject({ status: 'shipping', total_amount: 590 });
    const query = await newest('shipping_query');
    expect(query).toMatchObject({
      invoice_payload: 'order-1',
      shipping_address: address,
      from: { username: 'ann' },
    });
    const answer = { shipping_query_id: query.id, ok: true, shipping_options };
    expect(await act('pay/shipping', { id: asked.id, option: 'post' })).toMatchObject({
      error: 'No shipping options are offered at the moment.',
    });
    expect(await api.ok('answerShippingQuery', answer)).toBe(true);
    expect(await api.refused('answerShippingQuery', answer)).toBe(tooOld);
    expect(await status(asked.id)).toMatchObject({ status: 'choose_shipping', shipping_options });
    expect(await act('pay/shipping', { id: asked.id, option: 'ship' })).toMatchObject({
      error: 'The bot did not offer this shipping option. Choose one of shipping_options.',
    });
    expect(await act('pay/shipping', { id: asked.id, option: 'bike' })).toMatchObject({
      status: 'checkout',
      total_amount: 740,
    });
    const order = { name: 'Ann A', email: 'ann@example.com', shipping_address: address };
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
    const { id } = await act('pay', { ...at, order_info: orderInfo });
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
      [{ shipping_query_id: '1', ok: false, error_message: 'No' }, tooOld.slice(13)],
    ];
    for (const [params, reason] of cases) {
      expect(await api.refused('answerShippingQuery', params), JSON.stringify(params)).toBe(
        `Bad Request: ${reason}`,
      );
    }
    await api.ok('answerShippingQuery', { ...shipping, ok: false, error_message: 'Too far.' });
    expect(await status(id)).toMatchObject({ status: 'refused', error_message: 'Too far.' });

    const plain = await invoice(made, money);
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
    expect(await api.refused('answerPreCheckoutQuery', { ...checkout, ok: true })).toBe(tooOld);
    expect((await pending(api)).some((update) => update.message?.successful_payment)).toBe(false);
  });

  test('is not paid when the bot takes longer than ten seconds', async () => {
    const made = await shop();
    const { api, act, newest, status, clock, sandbox, url } = made;
    for (const fields of [money, flexible]) {
      const { message_id } = await invoice(made, fields);
      const { id } = await act('pay', {
        user: 'ann',
        chat: 'scene_bot',
        message_id,
        order_info: orderInfo,
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
    ).toBe(tooOld);
    expect(await api.refused('answerPreCheckoutQuery', { pre_checkout_query_id, ok: true })).toBe(
      tooOld,
    );
    // A question to one bot is none to another.
    const { message_id } = await invoice(made, money);
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
    const { shipping_address: _address, ...nowhere } = orderInfo;
    const cases: [object, string][] = [
      [at, 'The invoice asks for "name". Set it in "order_info".'],
      [
        { ...at, order_info: nowhere },
        'The invoice asks for "shipping_address". Set it in "order_info".',
      ],
      [{ ...at, order_info: orderInfo, tip: 101 }, 'The tip must be from 0 to 100.'],
      [{ ...at, order_info: 'x' }, '"order_info" must be an object.'],
      [{ ...at, message_id: 1 }, 'There is nothing to pay in this message.'],
      [{ user: 'ann' }, '"chat" is missing.'],
    ];
    for (const [input, error] of cases) expect(await act('pay', input)).toMatchObject({ error });
    expect(sandbox.history(ann, bot)).toHaveLength(2);
  });
});

test('a forwarded invoice is paid by others, or leads to the bot; none can be copied', async () => {
  const made = await shop();
  const { api, act, sandbox, ann, bot, newest } = made;
  const group = sandbox.createChat({ title: 'G', username: 'tea_club', owner: ann });
  sandbox.addMember(ann, group, sandbox.createUser({ first_name: 'Ben', username: 'ben' }));
  const { message_id } = await invoice(made, stars);
  const copy = sandbox.forward(ann, bot, message_id, group);
  await act('pay', { user: 'ben', chat: 'tea_club', message_id: copy.message_id });
  const { id } = await newest('pre_checkout_query');
  await api.ok('answerPreCheckoutQuery', { pre_checkout_query_id: id, ok: true });
  // The bot gets it in its private chat with the person.
  expect(await newest('message')).toMatchObject({
    chat: { username: 'ben', type: 'private' },
    successful_payment: { total_amount: 25 },
  });
  const linked = await invoice(made, { ...stars, start_parameter: 'tea' });
  const link = sandbox.forward(ann, bot, linked.message_id, group);
  expect(link.reply_markup).toEqual({
    inline_keyboard: [[{ text: 'Pay', url: 'https://t.me/scene_bot?start=tea' }]],
  });
  expect(
    await api.refused('copyMessage', { chat_id: ann.id, from_chat_id: ann.id, message_id }),
  ).toBe("Bad Request: message can't be copied");
});

test('a kept world keeps payments and their time; one from before has none', async () => {
  const made = await shop();
  const { sandbox, act, ann, bot, clock, newest } = made;
  const { message_id } = await invoice(made, stars);
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
  const link = (await older.call(bot.token, 'createInvoiceLink', stars)) as string;
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
  const sent = await seller.api.sendInvoice(ann.id, 'Tea', 'A pot', 'p', 'XTR', stars.prices);
  sandbox.pay(ann, { chat: bot, messageId: sent.message_id });
  expect(await sold).toBe(25);
  await seller.stop();
  await polling;
});
