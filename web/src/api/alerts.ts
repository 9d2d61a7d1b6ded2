import { queryOptions } from '@tanstack/react-query';
import type {
  AlertChannel,
  AlertEntry,
  AlertEntryChannel,
  AlertsChannelsAddRequest,
  AlertsChannelsUpdateRequest,
  CreatedAlertChannel,
} from '../../../src/api-types.ts';
import {
  type AlertKind,
  alertKinds,
  type AlertParams,
  severities,
} from '../../../src/core/alerts/alerts.ts';
import { get, post } from './client/client.ts';
import { refreshOn } from './client/refresh-on.ts';

export { type AlertKind, alertKinds, type AlertParams, severities };

export type { AlertChannel, AlertEntry, AlertEntryChannel, CreatedAlertChannel };
export type NewChannel = AlertsChannelsAddRequest;
export type ChannelChange = AlertsChannelsUpdateRequest;

export const alertsPerPage = 30;
export const alertEvents = refreshOn(['alert.opened', 'alert.changed', 'alert.resolved', 'bot']);

export const resolvedAlerts = (before_id: number | undefined, signal: AbortSignal) =>
  get('/api/alerts', { state: 'resolved', before_id, limit: alertsPerPage }, signal);

/** The most alerts that one response may contain. */
const mostAtOnce = 200;

/** All open alerts, the most urgent first; of those, the newest. */
export const openAlertsQuery = queryOptions({
  queryKey: ['alerts', 'open'],
  meta: alertEvents,
  refetchInterval: 10_000,
  async queryFn({ signal }) {
    const open: AlertEntry[] = [];
    let page: AlertEntry[];
    do {
      const before_id = open.at(-1)?.id;
      page = await get('/api/alerts', { state: 'open', before_id, limit: mostAtOnce }, signal);
      open.push(...page);
    } while (page.length === mostAtOnce);
    return open.toSorted(
      (left, right) =>
        severities.indexOf(right.severity) - severities.indexOf(left.severity) ||
        Date.parse(right.opened_at) - Date.parse(left.opened_at),
    );
  },
});

export const channelsQuery = queryOptions({
  queryKey: ['alert-channels'],
  meta: alertEvents,
  // Deliveries to a channel cause no event, so poll.
  refetchInterval: 10_000,
  queryFn: ({ signal }) => get('/api/alerts/channels', {}, signal),
});

const withId = (id: number) => ({ query: { id } });
export const addChannel = (body: NewChannel) => post('/api/alerts/channels/add', { body });
export const updateChannel = (body: ChannelChange) => post('/api/alerts/channels/update', { body });
export const toggleChannel = (id: number) =>
  post('/api/alerts/channels/toggle-disabled', withId(id));
export const deleteChannel = (id: number) => post('/api/alerts/channels/delete', withId(id));
export const testChannel = (id: number) => post('/api/alerts/channels/test', withId(id));

/** Sets the state instead of toggling it: somebody else may have changed it. */
export async function enableChannel(id: number): Promise<void> {
  const channels = await get('/api/alerts/channels');
  if (channels.find((one) => one.id === id)?.disabled) await toggleChannel(id);
}
