import type { World } from './bots.ts';
import type { Teller } from './teller.ts';

/** The team answers customers from its forum. */
export async function runDesk(teller: Teller, { bot_id, billingId }: World): Promise<void> {
  const { show, hidden, act } = teller;
  const forum = await hidden<{ id: number }>('POST /api/sandbox/chats/create', {
    body: { title: 'Team', owner: 'ben', members: ['billing_team_bot'], is_forum: true },
  });
  await act('chats/promote', { user: 'billing_team_bot', chat: forum.id, by: 'ben' });
  const desk = await show<{ id: number }>('POST /api/desks/add', {
    body: { name: 'Support', desk_bot_id: billingId, chat_id: forum.id, bot_ids: [bot_id] },
  });
  await show('GET /api/desks');
  await show('POST /api/desks/import-topics', {
    body: {
      id: desk.id,
      bot_id,
      topics: [
        { user_id: 77, message_thread_id: 40, name: 'Clara' },
        { user_id: 77, message_thread_id: 42 },
      ],
      dry_run: true,
    },
  });
  await show('POST /api/desks/check', { query: { id: desk.id } });
  await show('POST /api/desks/update', { body: { id: desk.id, bot_ids: [bot_id, billingId] } });
  await show('POST /api/desks/delete', { query: { id: desk.id } });
}
