import { queryOptions } from '@tanstack/react-query';
import type {
  AlertChannel,
  AlertEntry,
  AlertEntryChannel,
  AlertsChannelsAddRequest,
  AlertsChannelsUpdateRequest,
  CreatedAlertChannel,
} from '../../../src/api-types.ts';
import { get, post } from './client/client.ts';
import { refreshOn } from './client/refresh-on.ts';

export { type AlertKind, alertKinds, severities } from '../../../src/core/ops/alerts.ts';

export type { AlertChannel, AlertEntry, AlertEntryChannel, CreatedAlertChannel };
export type NewChannel = AlertsChannelsAddRequest;
export type ChannelChange = AlertsChannelsUpdateRequest;

export const alertsPerPage = 30;
export const alertEvents = refreshOn(['alert.opened', 'alert.changed', 'alert.resolved', 'bot']);

export const alertsOf = (
  filter: { state?: 'open' | 'resolved'; before_id?: number | undefined },
  signal?: AbortSignal,
) => get('/api/alerts', { ...filter, limit: alertsPerPage }, signal);

export const channelsQuery = queryOptions({
  queryKey: ['alert-channels'],
  meta: alertEvents,
  // What arrived at a channel causes no event.
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
