import type { IssuedBot, Teller } from './teller.ts';

/** Shared by the chapters. */
export interface World {
  /** Of the support bot. */
  bot_id: number;
  /** Of the billing team. */
  billingId: number;
  /** A customer; her id is also that of her chat with a bot. */
  anna: { id: number };
  /** A group with both bots. */
  group: { id: number };
}

/** Two bots, three people and a group. */
export async function addBots(teller: Teller, backendUrl: string): Promise<World> {
  const { show, hidden, act } = teller;
  const support = await show<IssuedBot>('POST /api/sandbox/bots', {
    body: { username: 'support_bot', first_name: 'Support bot' },
  });
  const billing = await act<IssuedBot>('bots/create', {
    username: 'billing_team_bot',
    first_name: 'Billing team',
    inline_mode: true,
  });
  await show('POST /api/bots/validate', { body: { token: support.token } });
  const { id: bot_id } = await show<{ id: number }>('POST /api/bots/add', {
    body: {
      token: support.token,
      name: 'Support bot',
      description: 'Answers customers',
      manage_enabled: true,
      backend_url: backendUrl,
      secret_token: 'kL3v9Qz7TfX2mB8wR5yN',
      proxy_enabled: true,
    },
  });
  const { id: billingId } = await hidden<{ id: number }>('POST /api/bots/add', {
    body: {
      token: billing.token,
      name: 'Billing team',
      manage_enabled: true,
      long_poll_enabled: true,
    },
  });
  await show('POST /api/bots/update', {
    body: { id: bot_id, description: 'Answers customers about orders and refunds', pacing: 'on' },
  });
  await show('POST /api/bots/check-backend', { query: { id: bot_id } });

  // People and chats of the sandbox
  const anna = await act<{ id: number }>('users/create', {
    first_name: 'Anna',
    last_name: 'Petrova',
    username: 'anna',
  });
  await hidden('POST /api/sandbox/users/create', {
    body: { first_name: 'Ben', username: 'ben' },
  });
  await hidden('POST /api/sandbox/users/create', {
    body: { first_name: 'Carl', username: 'carl' },
  });
  await act('users/photo', { user: 'anna' });
  const group = await act<{ id: number }>('chats/create', {
    title: 'Customer lounge',
    username: 'customer_lounge',
    owner: 'ben',
    members: ['anna', 'support_bot', 'billing_team_bot'],
  });
  await act('chats/promote', {
    user: 'support_bot',
    chat: 'customer_lounge',
    by: 'ben',
  });
  await act('chats/add-member', { user: 'carl', chat: 'customer_lounge', by: 'ben' });
  return { bot_id, billingId, anna, group };
}

/** A webhook that was there before is restored; a bot is disabled and deleted, a chat forgotten. */
export async function removeBots(teller: Teller, world: World): Promise<void> {
  const { show, hidden, until, method } = teller;
  const { bot_id, billingId, anna } = world;
  const old = await hidden<IssuedBot>('POST /api/sandbox/bots', {
    body: { username: 'news_feed_bot' },
  });
  await method(old.token, 'setWebhook', { url: 'https://old.example.com/hook' });
  const { id: newsId } = await hidden<{ id: number }>('POST /api/bots/add', {
    body: { token: old.token, name: 'News feed' },
  });
  await until(
    () => hidden('GET /api/bots/health', { query: { id: newsId } }),
    (health) => 'previous_webhook' in health,
  );
  await show('POST /api/bots/restore-webhook', { query: { id: newsId }, body: {} });
  await show('POST /api/bots/toggle-disabled', { query: { id: billingId } });
  await show('POST /api/bots/delete', { query: { id: billingId } });
  await show('POST /api/chats/forget', {
    query: { bot_id, chat_id: anna.id },
  });
}
