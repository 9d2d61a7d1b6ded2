import { expect, test } from 'vitest';
import { createManualClock } from '../../sandbox/src/clock.ts';
import { apiOf, pending, scene } from './helpers.ts';

const menuKeyboard = {
  inline_keyboard: [
    [
      { text: 'Yes', callback_data: 'yes' },
      { text: 'Site', url: 'example.com' },
    ],
  ],
};

test('a press is asked and answered once it is not too old', async () => {
  const clock = createManualClock();
  const { api, sandbox, bot, url } = await scene({ clock });
  const ann = sandbox.createUser({ first_name: 'Ann' });
  sandbox.say(ann, bot, '/start');
  const menu = await api.ok('sendMessage', {
    chat_id: ann.id,
    text: 'menu',
    reply_markup: menuKeyboard,
  });
  expect(sandbox.press(ann, bot, menu.message_id, 'Site')).toEqual({
    type: 'url',
    url: 'http://example.com/',
  });
  const press = sandbox.press(ann, bot, menu.message_id, { row: 0, column: 0 });
  const query = (await pending(api)).at(-1)?.callback_query;
  expect(query).toMatchObject({
    id: press.type === 'callback' ? press.id : '',
    from: { first_name: 'Ann' },
    message: { message_id: menu.message_id, text: 'menu', reply_markup: expect.any(Object) },
    data: 'yes',
    chat_instance: expect.stringMatching(/^\d+$/),
  });
  const id = query?.id ?? '';
  expect(sandbox.callbackAnswer(id)).toBeUndefined();
  await api.ok('answerCallbackQuery', { callback_query_id: id, text: 'ok', show_alert: true });
  expect(sandbox.callbackAnswer(id)).toEqual({ text: 'ok', showAlert: true });
  const tooOld =
    'Bad Request: query is too old and response timeout expired or query ID is invalid';
  expect(await api.refused('answerCallbackQuery', { callback_query_id: 'unknown' })).toBe(tooOld);
  const other = apiOf(url, sandbox.createBot().token);
  expect(await other.refused('answerCallbackQuery', { callback_query_id: id })).toBe(tooOld);
  clock.advance(3_600_000);
  expect(await api.refused('answerCallbackQuery', { callback_query_id: id })).toBe(tooOld);
  expect(() => sandbox.press(ann, bot, menu.message_id, 'Maybe')).toThrow('no such button');
});

test('a disabled button does nothing, and its keyboard may ask for a reply', async () => {
  const { api, sandbox, bot } = await scene();
  const ann = sandbox.createUser({ first_name: 'Ann' });
  sandbox.say(ann, bot, '/start');
  const reply_markup = { inline_keyboard: [[{ text: 'Later', disabled: {} }]], force_reply: true };
  const sent = await api.ok('sendMessage', { chat_id: ann.id, text: 'menu', reply_markup });
  expect(sent.reply_markup).toEqual(reply_markup);
  const before = await pending(api);
  expect(() => sandbox.press(ann, bot, sent.message_id, 'Later')).toThrow('button is disabled');
  const html = '<tg-button type="disabled">Sold out</tg-button>';
  const rich = await api.ok('sendRichMessage', { chat_id: ann.id, rich_message: { html } });
  expect(() => sandbox.press(ann, bot, rich.message_id, 'Sold out')).toThrow('button is disabled');
  expect(await pending(api)).toEqual(before);
});

test('inline mode: query, answer, chosen message, its button and its edit', async () => {
  const { api, sandbox, bot } = await scene({}, { inlineMode: true, inlineFeedback: true });
  const ann = sandbox.createUser();
  const group = sandbox.createChat({ title: 'G', owner: ann });
  const queryId = sandbox.inlineQuery(ann, bot, group, 'cats');
  const [asked] = await pending(api);
  expect(asked?.inline_query).toMatchObject({
    id: queryId,
    query: 'cats',
    chat_type: 'supergroup',
  });
  const result = {
    type: 'article',
    id: 'r1',
    title: 'Cat',
    input_message_content: { message_text: '<i>cat</i>', parse_mode: 'HTML' },
    reply_markup: { inline_keyboard: [[{ text: 'More', callback_data: 'more' }]] },
  };
  expect(
    await api.refused('answerInlineQuery', { inline_query_id: queryId, results: [result, result] }),
  ).toBe('Bad Request: RESULT_ID_DUPLICATE');
  await api.ok('answerInlineQuery', {
    inline_query_id: queryId,
    results: JSON.stringify([result]),
  });
  expect(sandbox.inlineResults(queryId)).toEqual([result]);
  const message = sandbox.chooseInlineResult(queryId, 'r1', 'cats');
  expect(message).toMatchObject({
    text: 'cat',
    via_bot: { id: bot.id },
    entities: [{ type: 'italic' }],
  });
  sandbox.press(ann, group, message.message_id, 'More');
  const updates = await pending(api);
  const inlineId = updates.find((update) => update.chosen_inline_result)?.chosen_inline_result
    ?.inline_message_id;
  const press = updates.find((update) => update.callback_query)?.callback_query;
  expect(press).toMatchObject({ data: 'more', inline_message_id: inlineId });
  expect(press?.message).toBeUndefined();
  expect(await api.ok('editMessageText', { inline_message_id: inlineId, text: 'more cats' })).toBe(
    true,
  );
  expect(sandbox.history(ann, group).at(-1)?.message.text).toBe('more cats');
});
