import type { GameHighScore, Gift, StarTransactions } from '@grammyjs/types';
import { describe, expect, test } from 'vitest';
import { pending, scene } from '../helpers.ts';

async function chatting() {
  const made = await scene();
  const ann = made.sandbox.createUser({ first_name: 'Ann', username: 'ann' });
  made.sandbox.say(ann, made.bot, 'hi');
  await pending(made.api, { offset: -1 });
  return { ...made, ann, chat_id: ann.id };
}

describe('games', () => {
  test('are sent, played and scored', async () => {
    const { api, sandbox, bot, ann, chat_id } = await chatting();
    sandbox.addGame(bot, { shortName: 'snake', title: 'Snake', description: 'Eat.' });
    const sent = await api.ok('sendGame', { chat_id, game_short_name: 'snake' });
    expect(sent.game).toMatchObject({ title: 'Snake', description: 'Eat.', photo: [{}, {}] });
    expect(sent.reply_markup?.inline_keyboard).toEqual([
      [{ text: 'Play Snake', callback_game: {} }],
    ]);
    const { message_id } = sent;
    sandbox.press(ann, bot, message_id, 'Play Snake');
    const update = (await pending(api)).at(-1);
    expect(update?.callback_query).toMatchObject({
      game_short_name: 'snake',
      from: { id: ann.id },
    });

    const ben = sandbox.createUser({ first_name: 'Ben' });
    const game = { chat_id, message_id };
    await api.ok('setGameScore', { ...game, user_id: ann.id, score: 10 });
    await api.ok('setGameScore', { ...game, user_id: ben.id, score: 20 });
    expect(await api.refused('setGameScore', { ...game, user_id: ann.id, score: 9 })).toBe(
      'Bad Request: BOT_SCORE_NOT_MODIFIED',
    );
    await api.ok('setGameScore', { ...game, user_id: ann.id, score: 9, force: true });
    const scores = await api.ok<GameHighScore[]>('getGameHighScores', { ...game, user_id: ann.id });
    expect(scores.map(({ position, user, score }) => [position, user.first_name, score])).toEqual([
      [1, 'Ben', 20],
      [2, 'Ann', 9],
    ]);
    const worded = await api.ok('editMessageText', { ...game, text: 'Best: Ben' });
    expect(worded.game?.text).toBe('Best: Ben');
  });

  test('are refused where Telegram refuses them', async () => {
    const { api, sandbox, bot, ann, chat_id } = await chatting();
    sandbox.addGame(bot, { shortName: 'snake' });
    const channel = sandbox.createChat({ type: 'channel', title: 'C', owner: ann, members: [bot] });
    const markup = (...buttons: object[]) => ({ reply_markup: { inline_keyboard: [buttons] } });
    const link = { text: 'x', url: 'https://example.com' };
    const game = { chat_id, game_short_name: 'snake' };
    const wrong: [object, string][] = [
      [{ chat_id }, 'parameter "game_short_name" is required'],
      [{ chat_id, game_short_name: 'chess' }, 'wrong game short name specified'],
      [{ ...game, ...markup(link) }, 'REPLY_MARKUP_GAME_EMPTY'],
      [{ ...game, ...markup(link, { text: 'Go', callback_game: {} }) }, 'BUTTON_POS_INVALID'],
      [{ ...game, chat_id: channel.id }, "games can't be sent to channel chats"],
    ];
    for (const [params, reason] of wrong) {
      expect(await api.refused('sendGame', params)).toBe(`Bad Request: ${reason}`);
    }
    const { message_id } = await api.ok('sendMessage', { chat_id, text: 'no game' });
    expect(
      await api.refused('setGameScore', { chat_id, message_id, user_id: ann.id, score: 1 }),
    ).toBe('Bad Request: MESSAGE_ID_INVALID');
  });
});

describe('gifts', () => {
  test('are paid from the stars of the bot and shown to whom they are given', async () => {
    const { api, sandbox, bot, ann } = await chatting();
    const { gifts } = await api.ok<{ gifts: Gift[] }>('getAvailableGifts');
    const [gift] = gifts;
    const params = {
      user_id: ann.id,
      gift_id: gift?.id,
      text: 'For <b>you</b>',
      text_parse_mode: 'HTML',
    };
    expect(await api.refused('sendGift', params)).toBe('Bad Request: BALANCE_TOO_LOW');
    expect(sandbox.giveStars(bot, 40)).toBe(40);
    expect(await api.ok('sendGift', params)).toBe(true);
    expect(await api.ok('getMyStarBalance')).toEqual({ amount: 40 - (gift?.star_count ?? 0) });
    expect(sandbox.history(ann, bot).at(-1)?.message.gift).toMatchObject({
      gift: { id: gift?.id, star_count: gift?.star_count },
      text: 'For you',
      entities: [{ type: 'bold', offset: 4, length: 3 }],
    });
    const { transactions } = await api.ok<StarTransactions>('getStarTransactions');
    expect(transactions).toMatchObject([
      { amount: gift?.star_count, receiver: { type: 'user', user: { id: ann.id } } },
      { amount: 40, source: { type: 'other' } },
    ]);
    const sticker = gift?.sticker.file_id;
    expect((await api.ok('sendSticker', { chat_id: ann.id, sticker })).sticker?.emoji).toBe('💝');
  });

  test('are refused', async () => {
    const { api, ann } = await chatting();
    const [gift] = (await api.ok<{ gifts: Gift[] }>('getAvailableGifts')).gifts;
    const gift_id = gift?.id;
    expect(await api.refused('sendGift', { user_id: ann.id })).toBe(
      'Bad Request: parameter "gift_id" is required',
    );
    expect(await api.refused('sendGift', { user_id: ann.id, gift_id: '1' })).toBe(
      'Bad Request: STARGIFT_INVALID',
    );
    expect(await api.refused('sendGift', { gift_id })).toBe(
      'Bad Request: invalid user_id specified',
    );
    expect(await api.refused('sendGift', { user_id: 77, gift_id })).toBe(
      'Bad Request: user not found',
    );
  });
});

describe('checklists', () => {
  const checklist = {
    title: 'Shop',
    tasks: [
      { id: 1, text: 'Tea' },
      { id: 2, text: '*Milk*', parse_mode: 'Markdown' },
    ],
  };

  test('are sent and edited in the name of a business account', async () => {
    const { api, sandbox, bot, ann } = await chatting();
    const olga = sandbox.createUser({ first_name: 'Olga', username: 'olga' });
    const { id } = sandbox.connectBusiness(olga, bot);
    sandbox.say(ann, olga, 'What do you need?');
    const where = { business_connection_id: id, chat_id: ann.id };
    const sent = await api.ok('sendChecklist', {
      ...where,
      checklist: { ...checklist, others_can_mark_tasks_as_done: true },
    });
    expect(sent.checklist).toEqual({
      title: 'Shop',
      tasks: [
        { id: 1, text: 'Tea' },
        { id: 2, text: 'Milk', text_entities: [{ type: 'bold', offset: 0, length: 4 }] },
      ],
      others_can_mark_tasks_as_done: true,
    });
    expect(sent.business_connection_id).toBe(id);
    const edited = await api.ok('editMessageChecklist', {
      ...where,
      message_id: sent.message_id,
      checklist: { title: 'Shop today', tasks: [{ id: 1, text: 'Tea' }] },
    });
    expect(edited.checklist).toEqual({ title: 'Shop today', tasks: [{ id: 1, text: 'Tea' }] });
    expect(sandbox.history(ann, olga).at(-1)?.message.checklist?.title).toBe('Shop today');
  });

  test('are refused', async () => {
    const { api, chat_id } = await chatting();
    const wrong: [object, string][] = [
      [{}, 'parameter "checklist" is required'],
      [{ checklist: '[]' }, 'object expected as checklist'],
      [{ checklist: { title: 'T', tasks: [] } }, 'checklist must have at least 1 task'],
      [
        { checklist: { title: 'T', tasks: [{ id: 0, text: 'x' }] } },
        'checklist task identifier must be positive',
      ],
      [{ checklist }, 'business connection not found'],
      [{ checklist, business_connection_id: 'x' }, 'business connection not found'],
    ];
    for (const [params, reason] of wrong) {
      expect(await api.refused('sendChecklist', { chat_id, ...params })).toBe(
        `Bad Request: ${reason}`,
      );
    }
  });
});

describe('invoices', () => {
  const bill = {
    title: 'Tea',
    description: 'Green',
    payload: 'p',
    prices: [{ label: 'Tea', amount: 250 }],
  };

  test('ask for stars, and for money with a test token of a provider', async () => {
    const { api, sandbox, bot, ann, chat_id } = await chatting();
    const stars = await api.ok('sendInvoice', { chat_id, ...bill, currency: 'XTR' });
    expect(stars.invoice).toMatchObject({ currency: 'XTR', total_amount: 250 });
    expect(stars.reply_markup?.inline_keyboard).toEqual([[{ text: 'Pay ⭐️250', pay: true }]]);
    const money = await api.ok('sendInvoice', {
      chat_id,
      ...bill,
      currency: 'EUR',
      provider_token: '284685063:TEST:abc',
      prices: [...bill.prices, { label: 'Tax', amount: 50 }],
      max_tip_amount: 100,
      suggested_tip_amounts: [50, 100],
    });
    expect(money.invoice).toEqual({
      title: 'Tea',
      description: 'Green',
      start_parameter: '',
      currency: 'EUR',
      total_amount: 300,
    });
    expect(sandbox.history(ann, bot).at(-1)?.message.invoice?.currency).toBe('EUR');
  });

  test('are refused', async () => {
    const { api, chat_id } = await chatting();
    const eur = { ...bill, currency: 'EUR' };
    const test_token = { provider_token: '1:TEST:x' };
    const wrong: [object, string][] = [
      [{ ...bill, title: '' }, 'parameter "title" is required'],
      [{ ...bill }, 'parameter "currency" is required'],
      [{ ...eur, prices: undefined }, 'parameter "prices" is required'],
      [{ ...eur, prices: '{' }, "can't parse prices JSON object"],
      [{ ...eur, prices: {} }, 'expected an Array of labeled prices'],
      [{ ...eur, prices: [] }, 'there must be at least one price'],
      [
        { ...eur, prices: [{ amount: 1 }] },
        'can\'t parse labeled price: Can\'t find field "label"',
      ],
      [{ ...eur }, 'PAYMENT_PROVIDER_INVALID'],
      [{ ...eur, provider_token: '1:LIVE:x' }, 'PAYMENT_PROVIDER_INVALID'],
      [{ ...eur, ...test_token, currency: 'euro' }, 'CURRENCY_INVALID'],
      [
        { ...eur, ...test_token, prices: [{ label: 'x', amount: 0 }] },
        'CURRENCY_TOTAL_AMOUNT_INVALID',
      ],
      [
        { ...bill, currency: 'XTR', prices: [...bill.prices, ...bill.prices] },
        'STARS_INVOICE_INVALID',
      ],
      [
        {
          ...bill,
          currency: 'XTR',
          reply_markup: { inline_keyboard: [[{ text: 'x', callback_data: 'x' }]] },
        },
        'REPLY_MARKUP_BUY_EMPTY',
      ],
    ];
    for (const [params, reason] of wrong) {
      expect(await api.refused('sendInvoice', { chat_id, ...params }), reason).toBe(
        `Bad Request: ${reason}`,
      );
    }
  });
});

test('buttons in the words of a rich message can be pressed', async () => {
  const { api, sandbox, bot, ann, chat_id } = await chatting();
  const html = '<p>Tea? <tg-button type="callback_data" data="yes">Yes</tg-button></p>';
  const { message_id } = await api.ok('sendRichMessage', { chat_id, rich_message: { html } });
  sandbox.press(ann, bot, message_id, 'yes');
  expect((await pending(api)).at(-1)?.callback_query?.data).toBe('yes');
});
