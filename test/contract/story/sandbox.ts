import type { IssuedBot, Teller } from './teller.ts';
import type { World } from './bots.ts';

interface Update {
  shipping_query?: { id: string };
  pre_checkout_query?: { id: string };
  chat_join_request?: { query_id: string };
}

/** People and bots do all that the sandbox offers. */
export async function playInSandbox(teller: Teller, { anna }: World): Promise<void> {
  const { show, hidden, act, method } = teller;
  const at = { user: 'anna', chat: 'support_bot' };
  const message = await hidden<{ message_id: number }>('POST /api/sandbox/say', {
    body: { ...at, text: 'Thank yuo!' },
  });
  const { message_id } = message;
  await act('edit', { ...at, message_id, text: 'Thank you!' });
  await act('react', { ...at, message_id, emoji: '👍' });
  await act('pin', { ...at, message_id });
  await act('forward', { ...at, message_id, from_chat: 'support_bot' });
  await act('send-media', { ...at, kind: 'photo', caption: 'My receipt' });
  await act('send-album', { ...at, items: [{ caption: 'Front' }, { caption: 'Back' }] });
  await act('send-content', { ...at, location: { latitude: 59.3, longitude: 18.1 } });
  await act('talk', {
    lines: [
      { user: 'anna', chat: 'customer_lounge', text: 'Is anyone here?' },
      { user: 'ben', chat: 'customer_lounge', text: 'Yes!', after_seconds: 5, reply: true },
    ],
  });
  await act('delete', { ...at, message_id });
  await show('GET /api/sandbox/history', { query: { ...at, limit: 2 } });
  await show('GET /api/sandbox/users/chats', { query: { user: 'anna' } });
  const keyboard = { inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }]] };
  const helper = await hidden<IssuedBot>('POST /api/sandbox/bots/create', {
    body: {
      username: 'tea_shop_bot',
      first_name: 'Tea shop',
      inline_mode: true,
      join_request_queries: true,
    },
  });
  const tea = { user: 'anna', chat: 'tea_shop_bot' };
  await hidden('POST /api/sandbox/say', { body: { ...tea, text: '/start' } });
  const call = <T = unknown>(name: string, params: object = {}) =>
    method<T>(helper.token, name, params);
  const newest = async () => (await call<Update[]>('getUpdates')).at(-1) as Update;
  const offer = await call<{ message_id: number }>('sendMessage', {
    chat_id: anna.id,
    text: 'A pot of tea?',
    reply_markup: keyboard,
  });
  const pressed = await act<{ id: string }>('press', {
    ...tea,
    message_id: offer.message_id,
    button: 'Yes',
  });
  await call('answerCallbackQuery', { callback_query_id: pressed.id, text: 'It is coming.' });
  await show('GET /api/sandbox/callback-answer', { query: { id: pressed.id } });
  const question2 = await call<{ message_id: number }>('sendPoll', {
    chat_id: anna.id,
    question: 'Which tea?',
    options: [{ text: 'Green' }, { text: 'Black' }],
    is_anonymous: false,
  });
  await act('vote', { ...tea, message_id: question2.message_id, options: [0] });
  const inline = await act<{ id: string }>('inline-query', {
    ...tea,
    bot: 'tea_shop_bot',
    query: 'green',
  });
  await call('answerInlineQuery', {
    inline_query_id: inline.id,
    results: [
      {
        type: 'article',
        id: 'sencha',
        title: 'Sencha',
        input_message_content: { message_text: 'Sencha, please' },
      },
    ],
  });
  await show('GET /api/sandbox/inline-results', { query: { id: inline.id } });
  await act('inline-choose', { id: inline.id, result_id: 'sencha' });
  await call('sendMessageDraft', {
    chat_id: anna.id,
    draft_id: 1,
    text: 'Let me see',
    can_stop: true,
  });
  await act('stop-draft', { user: 'anna', bot: 'tea_shop_bot' });
  await act('bots/add-game', { bot: 'tea_shop_bot', short_name: 'tea_quiz', title: 'Tea quiz' });
  await act('bots/give-stars', { bot: 'tea_shop_bot', stars: 100 });
  await act('bots/jump-update-ids', { bot: 'tea_shop_bot' });

  const invoice = await call<{ message_id: number }>('sendInvoice', {
    chat_id: anna.id,
    title: 'Sencha',
    description: '100 g of green tea',
    payload: 'sencha-100',
    currency: 'EUR',
    provider_token: '1:TEST:x',
    prices: [{ label: 'Sencha', amount: 900 }],
    need_shipping_address: true,
    is_flexible: true,
  });
  const payment = await act<{ id: string }>('pay', {
    ...tea,
    message_id: invoice.message_id,
    order_info: { shipping_address: { country_code: 'SE', city: 'Stockholm' } },
  });
  await call('answerShippingQuery', {
    shipping_query_id: (await newest()).shipping_query?.id,
    ok: true,
    shipping_options: [{ id: 'post', title: 'Post', prices: [{ label: 'Post', amount: 400 }] }],
  });
  await act('pay/shipping', { id: payment.id, option: 'post' });
  await call('answerPreCheckoutQuery', {
    pre_checkout_query_id: (await newest()).pre_checkout_query?.id,
    ok: true,
  });
  await show('GET /api/sandbox/pay/status', { query: { id: payment.id } });

  const club = { user: 'anna', chat: 'tea_club' };
  const { id: clubId } = await hidden<{ id: number }>('POST /api/sandbox/chats/create', {
    body: {
      title: 'Tea club',
      username: 'tea_club',
      owner: 'ben',
      members: ['anna', 'tea_shop_bot'],
    },
  });
  await call('setMyCommands', {
    commands: [{ command: 'price', description: 'Show a price', is_ephemeral: true }],
  });
  const whisper = await act<{ ephemeral_message_id: number }>('ephemeral/say', {
    ...club,
    text: '/price sencha',
  });
  const whispered = await call<{ ephemeral_message_id: number }>('sendMessage', {
    chat_id: clubId,
    text: '9 EUR. Put it into the basket?',
    reply_markup: keyboard,
    ephemeral_message_parameters: { receiver_user_id: anna.id },
    reply_parameters: { ephemeral_message_id: whisper.ephemeral_message_id },
  });
  await show('GET /api/sandbox/ephemeral', { query: club });
  await act('ephemeral/press', {
    ...club,
    ephemeral_message_id: whispered.ephemeral_message_id,
    button: 'Yes',
  });
  await hidden('POST /api/sandbox/chats/promote', {
    body: { user: 'tea_shop_bot', chat: 'tea_club', by: 'ben' },
  });
  await act('chats/guard-bot', { chat: 'tea_club', by: 'ben', bot: 'tea_shop_bot' });
  const joining = { user: 'carl', chat: 'tea_club' };
  await hidden('POST /api/sandbox/chats/join', { body: joining });
  const query = { chat_join_request_query_id: (await newest()).chat_join_request?.query_id };
  await call('sendChatJoinRequestWebApp', {
    ...query,
    web_app_url: 'https://captcha.example.com/',
  });
  await show('GET /api/sandbox/chats/join-status', { query: joining });
  await act('chats/join-web-app', joining);
  await call('answerChatJoinRequestQuery', { ...query, result: 'queue' });
  await act('chats/answer-request', { ...joining, by: 'ben' });
  await act('chats/leave', joining);
  await act('chats/remove-member', { user: 'anna', chat: 'tea_club', by: 'ben' });
  await hidden('POST /api/sandbox/chats/create', {
    body: { type: 'group', title: 'Tea tasting', owner: 'ben', members: ['anna'] },
  }).then(({ id }) => act('chats/upgrade', { user: 'ben', chat: id }));
  await playTopics(teller);
  await act('business/connect', {
    user: 'ben',
    bot: 'tea_shop_bot',
    rights: { can_reply: true },
  });
  await act('business/disconnect', { user: 'ben' });
  const fault = await act<{ id: number }>('faults/add', {
    kind: 'too_many_requests',
    bot: 'tea_shop_bot',
    method: 'sendMessage',
    times: 1,
    retryAfterSeconds: 3,
  });
  await show('GET /api/sandbox/faults/list');
  await act('faults/remove', { id: fault.id });
  await act('faults/clear', { bot: 'tea_shop_bot' });
  await act('flood-limits', { on: true, counting: 'together' });
  await show('GET /api/sandbox/time');
  await act('time/advance', { seconds: 3_600 });
  await act('time/set', { now: 1_893_456_000 });
  await act('time/reset', {});
  await show('GET /api/sandbox/snapshot');
}

/** The tea club becomes a forum, with a topic for deliveries. */
async function playTopics({ act, show }: Teller): Promise<void> {
  const club = { user: 'ben', chat: 'tea_club' };
  await act('topics/enable', club);
  const { message_thread_id } = await act<{ message_thread_id: number }>('topics/create', {
    ...club,
    name: 'Delivery',
  });
  await act('topics/edit', { ...club, message_thread_id, is_closed: true });
  await show('GET /api/sandbox/topics', { query: club });
  await act('topics/prune', { ...club, message_thread_id });
  await act('topics/delete', { ...club, message_thread_id });
}
