import type { Teller } from './teller.ts';
import type { World } from './bots.ts';

/** An order desk and a report use the support bot's token at the same time. */
export async function connectApps(teller: Teller, { bot_id }: World): Promise<void> {
  const { show, hidden } = teller;
  const filter = { chat_types: ['private'], keywords: ['order', 'refund'] };
  await show('POST /api/bots/apps/preview', { body: { bot_id, filter } });
  const { id } = await show<{ id: number }>('POST /api/bots/apps/add', {
    body: {
      bot_id,
      name: 'order-desk',
      filter,
      exclusive: true,
      own_replies: true,
      keep_pending: true,
      per_topic: true,
      urgent: ['/stop'],
      pacing: 'on',
      patience: 30,
      format: 'markdown',
      methods: ['!banChatMember'],
    },
  });
  await show('POST /api/bots/apps/update', { body: { id, priority: 10 } });
  await show('GET /api/bots/apps', { query: { bot_id } });
  await show('POST /api/bots/apps/rotate', { query: { id } });
  const report = await hidden<{ id: number }>('POST /api/bots/apps/add', {
    body: { bot_id, name: 'report' },
  });
  await show('POST /api/bots/apps/toggle-disabled', { query: { id: report.id } });
  await show('POST /api/bots/apps/delete', { query: { id: report.id } });
  await hidden('POST /api/bots/apps/delete', { query: { id } });
}
