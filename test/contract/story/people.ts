import type { Teller } from './teller.ts';
import type { World } from './bots.ts';

/** Carl advertises in the group. */
export async function moderate(teller: Teller, world: World): Promise<void> {
  const { show, hidden, act, until } = teller;
  const { bot_id, anna, group } = world;
  await show('GET /api/chats', { query: { bot_id } });
  const inGroup = { bot_id, chat_id: group.id };
  const conversation = { bot_id, chat_id: anna.id };
  const assignees = await show<{ id: number }[]>('GET /api/chats/assignees', { query: { bot_id } });
  const assignee = `user:${assignees[0]?.id}`;
  await show('POST /api/chats/assign', { body: { ...conversation, assignee } });
  await show('POST /api/chats/snooze', {
    body: { ...conversation, until: '2099-01-31T12:00:00Z' },
  });
  await show('POST /api/chats/read', { body: conversation });
  await show('POST /api/chats/writing', { body: conversation });
  await show('POST /api/chats/state', { body: { ...conversation, state: 'done' } });
  await show('GET /api/chats/counts', { query: { bot_id } });
  await show('GET /api/chats/get', { query: inGroup });
  await show('POST /api/chats/refresh', { query: inGroup });
  await listTopics(teller, bot_id);
  const note = await hidden<{ message_id: number }>('POST /api/sandbox/say', {
    body: { user: 'ben', chat: 'customer_lounge', text: 'Opening hours: 9 to 18' },
  });
  const carls = await hidden<{ message_id: number }>('POST /api/sandbox/say', {
    body: { user: 'carl', chat: 'customer_lounge', text: 'Buy cheap watches!' },
  });
  await until(
    () => hidden<{ id: number }[]>('GET /api/messages', { query: inGroup }),
    ([newest]) => newest?.id === carls.message_id,
  );
  const pinned = { query: { ...inGroup, message_id: note.message_id } };
  await show('POST /api/messages/pin', pinned);
  await show('GET /api/messages/pinned', { query: inGroup });
  await show('POST /api/messages/unpin', pinned);
  await show('POST /api/messages/unpin-all', { query: inGroup });
  await show('POST /api/messages/delete', {
    query: { ...inGroup, message_id: carls.message_id },
  });

  const carl = await hidden<{ id: number }[]>('GET /api/users/list', { query: inGroup });
  const user_id = (carl as unknown as Record<string, unknown>[]).find(
    (one) => one['username'] === 'carl',
  )?.['user_id'] as number;
  const person = { ...inGroup, user_id };
  await show('GET /api/users/list', { query: { ...inGroup, limit: 1 } });
  await show('GET /api/users/rights', { query: person });
  await show('POST /api/chats/warn-settings', {
    query: inGroup,
    body: { threshold: 3, action: 'mute', action_seconds: 86_400 },
  });
  await show('GET /api/chats/warn-settings', { query: inGroup });
  const warned = await show<{ warning: { id: number } }>('POST /api/users/warn', {
    query: person,
    body: { reason: 'Advertising' },
  });
  const written = await show<{ id: number }>('POST /api/users/notes/add', {
    body: { bot_id, user_id, text: 'Posts adverts. Warned once.' },
  });
  const tag = await show<{ id: number }>('POST /api/tags/add', {
    body: { chat_id: group.id, user_id, tag: 'spam', color: '#d9480f', bot_id, username: 'carl' },
  });
  await show('GET /api/tags', { query: { chat_id: group.id } });
  await show('GET /api/tags/user', { query: { chat_id: group.id, user_id } });
  await show('GET /api/users/profile', { query: person });
  await show('POST /api/users/unwarn', { query: { bot_id, id: warned.warning.id } });
  await show('POST /api/users/notes/delete', { query: { bot_id, id: written.id } });
  const reply = await show<{ id: number }>('POST /api/replies/add', {
    body: { name: 'rules', text: 'Hello {first_name}, adverts are not allowed here.' },
  });
  await show('POST /api/replies/update', { body: { id: reply.id, bot_id } });
  await show('POST /api/replies/used', { query: { id: reply.id } });
  await show('GET /api/replies', { query: { bot_id } });
  await show('POST /api/replies/delete', { query: { id: reply.id } });
  await show('POST /api/tags/remove', { query: { id: tag.id } });
  await show('POST /api/users/mute', { query: { ...person, duration_seconds: 3_600 } });
  await show('POST /api/users/unmute', { query: person });
  await show('POST /api/users/ban', { query: person });
  await show('POST /api/users/unban', { query: person });
  await act('chats/join', { user: 'carl', chat: 'customer_lounge' });
  await show('POST /api/users/kick', { query: person });
  const annaThere = { ...inGroup, user_id: anna.id };
  await show('POST /api/admins/promote', {
    query: annaThere,
    body: { rights: ['can_delete_messages', 'can_pin_messages'], title: 'Host' },
  });
  await show('POST /api/admins/title', { query: annaThere, body: { title: 'Moderator' } });
  await show('GET /api/admins', { query: inGroup });
  await show('POST /api/admins/demote', { query: annaThere });
}

/** The team's forum has a topic for refunds. */
async function listTopics({ hidden, show, until }: Teller, bot_id: number): Promise<void> {
  const { id: chat_id } = await hidden<{ id: number }>('POST /api/sandbox/chats/create', {
    body: { title: 'Team', owner: 'ben', members: ['support_bot'], is_forum: true },
  });
  const team = { user: 'ben', chat: chat_id };
  const { message_thread_id } = await hidden<{ message_thread_id: number }>(
    'POST /api/sandbox/topics/create',
    { body: { ...team, name: 'Refunds' } },
  );
  const text = '/refund 1187';
  await hidden('POST /api/sandbox/say', { body: { ...team, message_thread_id, text } });
  const topics = { query: { bot_id, chat_id, q: 'refunds' } };
  await until(
    () => hidden<{ last_message?: { text: string } }[]>('GET /api/chats/topics', topics),
    ([topic]) => topic?.last_message?.text === text,
  );
  await show('GET /api/chats/topics', topics);
}
