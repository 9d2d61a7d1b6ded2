/* Moderation of the groups: notes, warnings, a ban, an administrator. */
import { spam } from './lines.ts';
import type { DemoSetup } from './setup.ts';

export async function keepOrder(setup: DemoSetup): Promise<void> {
  const { api, bots, people, chats } = setup;
  const chatKey = { bot_id: bots.community.id, chat_id: chats.street };
  const of = (username: string) => ({ ...chatKey, user_id: people.get(username) as number });
  await api.post('/api/chats/warn-settings', {
    query: chatKey,
    body: { threshold: 3, action: 'mute', action_seconds: 3_600, expire_seconds: 2_592_000 },
  });
  for (const reason of ['advertising', 'advertising again']) {
    await api.post('/api/users/warn', { query: of('haruki_s'), body: { reason } });
  }
  await api.post('/api/admins/promote', {
    query: of('anna_lind'),
    body: { rights: ['can_pin_messages', 'can_delete_messages'], title: 'Organiser' },
  });
  await note(setup, 'community', 'tomokelly', 'Has the keys of the cellar.');
  await note(setup, 'front', 'anna_lind', 'Prefers to be answered in the evening.');
  await note(setup, 'front', 'jonas_weber', 'Was charged twice in March; refunded.');
  await showOut(setup);
}

async function note(setup: DemoSetup, role: 'front' | 'community', username: string, text: string) {
  const { api, bots, people } = setup;
  await api.post('/api/users/notes/add', {
    body: { bot_id: bots[role].id, user_id: people.get(username) as number, text },
  });
}

/** A stranger joins, advertises, is muted and then banned. */
async function showOut({ api, bots, chats }: DemoSetup): Promise<void> {
  const chat = chats.street;
  const stranger = { first_name: 'Lucky', last_name: 'Star', username: 'lucky_star_777' };
  const { id } = await api.post('/api/sandbox/users/create', { body: stranger });
  await api.post('/api/sandbox/chats/join', { body: { user: id, chat } });
  await api.post('/api/sandbox/say', { body: { user: id, chat, text: spam } });
  const query = { bot_id: bots.community.id, chat_id: chat, user_id: id };
  await api.post('/api/users/mute', { query });
  await api.post('/api/users/ban', { query });
}
