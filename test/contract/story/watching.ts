import type { Teller } from './teller.ts';
import type { World } from './bots.ts';

export async function watch({ show, recorded }: Teller, { bot_id }: World): Promise<void> {
  const ofBot = { query: { bot_id } };
  await show('GET /api/stats', { query: { bot_id } });
  const metrics = await show<{ slices: object[] }>('GET /api/live-metrics', ofBot);
  // Not in every time bucket something was delivered.
  const slices = metrics.slices.filter((slice) => 'p50_ms' in slice).slice(0, 1);
  recorded['GET /api/live-metrics'] = { ...ofBot, response: { ...metrics, slices } };
  await show('POST /api/service/backup');
  await show('GET /api/service');
  const history = {
    body: {
      chats: [
        {
          bot_id,
          chat_id: -1001234567890,
          type: 'supergroup',
          title: 'Old customers',
          username: '',
          member_status: '',
          member_count: 12,
          description: '',
          last_message_at: 1_767_225_600_000,
        },
      ],
      people: [{ user_id: 123456789, username: 'dora', first_name: 'Dora', is_bot: false }],
    },
  };
  await show('POST /api/import', history);
  await show('GET /metrics');
  const listed = await show<{ id: number; platform_id: number }[]>('GET /api/bots');
  const { platform_id } = listed.find(({ id }) => id === bot_id) ?? { platform_id: 0 };
  await show('GET /api/config');
  const bots = [{ platform_id, name: 'Support bot', manage_enabled: true }];
  await show('POST /api/config/apply', { body: { config: { version: 1, bots }, dry_run: true } });
  await show('GET /api/bots/health', { query: { id: bot_id } });
}
