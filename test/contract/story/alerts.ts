import type { Teller } from './teller.ts';
import type { World } from './bots.ts';

/** Alerts go to the group, where the broadcasts before them did not go, and Anna may press their buttons. */
export async function alert({ show, hidden, recorded }: Teller, world: World): Promise<void> {
  const { anna, bot_id, group } = world;
  const { id } = await show<{ id: number }>('POST /api/alerts/channels/add', {
    body: { type: 'telegram', bot_id, chat_id: group.id, allowed_user_ids: [anna.id] },
  });
  const quiet_hours = { start: '22:00', end: '07:00', timezone: 'Europe/Berlin' };
  await show('POST /api/alerts/channels/update', {
    body: { id, kinds: ['backend_down', 'dead_letters'], delay_seconds: 300, quiet_hours },
  });
  await show('GET /api/alerts/channels');
  await show('POST /api/alerts/channels/test', { query: { id } });
  await show('POST /api/alerts/channels/toggle-disabled', { query: { id } });
  await show('POST /api/alerts/channels/delete', { query: { id } });
  const query = { state: 'open', limit: 1 };
  await hidden('GET /api/alerts', { query });
  // Which alerts are open depends on the moment.
  recorded['GET /api/alerts'] = {
    query,
    response: [
      {
        id: 1,
        kind: 'backend_down',
        severity: 'critical',
        bot_id,
        params: { bot: 'Support desk', count: 12, host: 'backend.example.com:443' },
        text: 'Support desk: Backend backend.example.com:443 is down. 12 updates waiting.',
        url: 'https://relay.example.com/bots/1',
        opened_at: '2026-01-31T12:00:00.000Z',
        changed_at: '2026-01-31T12:00:00.000Z',
        resolved_at: '',
        occurrences: 1,
        muted_until: '',
        channels: [
          { channel_id: 1, state: 'sent', error: '', error_detail: null, used_channel_id: 0 },
        ],
      },
    ],
  };
}
