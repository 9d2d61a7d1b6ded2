// What every committed database holds, told to a service over its API only, so that any version
// can be asked to write it.
import { patienceMs } from '../support/patience.ts';

export const masterKey = 'the master key of the databases of earlier versions';
export const adminKey = `brs_${'u'.repeat(40)}`;

/** The sandbox numbers its people from here. */
export const annaId = 980_000_000_001;

export const story = {
  shop: { name: 'Tea shop', description: 'Sells tea', secret: 'a-secret-for-the-backend' },
  desk: { name: 'Stock desk' },
  lines: ['Do you have green tea?', 'And black tea?', 'What about coffee?'],
  answer: 'Always.',
  tag: 'regular',
  note: 'Likes it strong',
  keyword: 'tea',
  consumer: 'reports',
} as const;

export type Call = <T>(path: string, body?: object) => Promise<T>;

/** A backend that is never reached, two bots, a route between them, a person who writes. */
export async function tellStory(call: Call): Promise<void> {
  const shop = await addBot(call, story.shop.name);
  const desk = await addBot(call, story.desk.name);
  await call('/api/bots/update', {
    id: shop.id,
    description: story.shop.description,
    long_poll_enabled: true,
    manage_enabled: true,
    proxy_enabled: true,
    backend_url: 'http://127.0.0.1:9/none',
    secret_token: story.shop.secret,
  });
  const anna = await call<{ id: number }>('/api/sandbox/users/create', {
    first_name: 'Anna',
    username: 'anna',
  });
  const group = await call<{ id: number }>('/api/sandbox/chats/create', {
    title: 'Stock',
    owner: anna.id,
  });
  await call('/api/sandbox/chats/add-member', {
    chat: group.id,
    user: desk.platformId,
    by: anna.id,
  });
  await call('/api/routes/add', {
    source_bot_id: shop.id,
    target_bot_id: desk.id,
    target_chat_id: group.id,
    condition_type: 'keyword',
    condition_value: story.keyword,
    action: 'copy',
  });
  const [first, second, third] = story.lines;
  const say = (text: string) =>
    call<{ message_id: number }>('/api/sandbox/say', {
      user: anna.id,
      chat: shop.platformId,
      text,
    });
  await say(first);
  // Polled once without confirming anything, so that the consumer has a position.
  await call(`/api/updates/poll?bot_id=${shop.id}&consumer=${story.consumer}&timeout=10`);
  await say(second);
  await say(third);
  await call('/api/messages/send', { bot_id: shop.id, chat_id: anna.id, text: story.answer });
  await call('/api/tags/add', {
    bot_id: shop.id,
    chat_id: anna.id,
    user_id: anna.id,
    tag: story.tag,
    color: '#00aa00',
  });
  await call('/api/users/notes/add', { bot_id: shop.id, user_id: anna.id, text: story.note });
  await call('/api/auth/users/create', {
    username: 'boris',
    password: 'a password of the story',
    role: 'user',
    bot_ids: [shop.id],
  });
  await call('/api/auth/api-keys', { name: 'reporting', scope: 'read', bot_ids: [shop.id] });
  await until(async () => {
    const stored = await messages(call, shop.id, anna.id);
    const routed = await messages(call, desk.id, group.id);
    return stored.length === 4 && routed.length >= 2;
  });
}

export function messages(call: Call, botId: number, chatId: number): Promise<{ text: string }[]> {
  return call(`/api/messages?bot_id=${botId}&chat_id=${chatId}`);
}

async function addBot(call: Call, name: string) {
  const made = await call<{ id: number; token: string }>('/api/sandbox/bots', { first_name: name });
  const bot = await call<{ id: number }>('/api/bots/add', { token: made.token, name });
  return { id: bot.id, platformId: made.id };
}

/** Asks again until it holds: the service does the rest in the background. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error('it did not come to hold');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
