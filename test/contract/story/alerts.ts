import type { Teller } from './teller.ts';

/** What people did about an alert. */
const handled = {
  acknowledged_by: 'Ann',
  acknowledged_at: '2026-01-31T12:04:00.000Z',
  muted_until: '',
  muted_by: '',
  action: 'retry',
  action_by: 'Ann',
  action_at: '2026-01-31T12:05:00.000Z',
};
import type { World } from './bots.ts';

/** Alerts go to the group, where the broadcasts before them did not go, and Anna may press their buttons. */
export async function alert(
  { show, hidden, recorded, until }: Teller,
  world: World,
): Promise<void> {
  const { anna, billingId, bot_id, group } = world;
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
  await hidden('POST /api/bots/toggle-disabled', { query: { id: billingId } });
  const about = { state: 'open', bot_id: billingId };
  const open = await until(
    () => hidden<{ id: number; kind: string }[]>('GET /api/alerts', { query: about }),
    (alerts) => alerts.some(({ kind }) => kind === 'bot_disabled'),
  );
  const { id: alertId = 0 } = open.find(({ kind }) => kind === 'bot_disabled') ?? {};
  await show('POST /api/alerts/acknowledge', { body: { id: alertId } });
  await show('POST /api/alerts/mute', { body: { id: alertId, minutes: 60 } });
  await hidden('POST /api/bots/toggle-disabled', { query: { id: billingId } });
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
        params: { bot: 'Support bot', count: 12, host: 'backend.example.com:443' },
        text: 'Support bot: Backend backend.example.com:443 is down. 12 updates waiting.',
        url: 'https://relay.example.com/bots/1',
        opened_at: '2026-01-31T12:00:00.000Z',
        changed_at: '2026-01-31T12:00:00.000Z',
        resolved_at: '',
        occurrences: 1,
        ...handled,
        channels: [
          { channel_id: 1, state: 'sent', error: '', error_detail: null, used_channel_id: 0 },
        ],
      },
    ],
  };
}
