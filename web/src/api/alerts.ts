import { queryOptions } from '@tanstack/react-query';
import type {
  Alert,
  AlertChannel,
  AlertChannelUse,
  AlertsChannelsAddRequest,
  AlertsChannelsUpdateRequest,
  CreatedAlertChannel,
  OpenAlert,
} from '../../../src/api-types.ts';
import {
  type AlertAction,
  type AlertKind,
  alertKindNames,
  alertKinds,
  type AlertParams,
  kindOf,
  severities,
  type Severity,
} from '../../../src/core/alerts/alerts.ts';
import { get, post } from './client/client.ts';
import { refreshOn } from './client/refresh-on.ts';

export {
  type AlertAction,
  type AlertKind,
  alertKindNames,
  alertKinds,
  type AlertParams,
  kindOf,
  severities,
  type Severity,
};

export type { Alert, AlertChannel, AlertChannelUse, CreatedAlertChannel, OpenAlert };
export type NewChannel = AlertsChannelsAddRequest;
export type ChannelChange = AlertsChannelsUpdateRequest;

export const alertsPerPage = 30;
const names = ['alert.opened', 'alert.changed', 'alert.resolved', 'bot'] as const;
export const alertEvents = refreshOn(names);

/** The open alerts as they are at this moment, the most severe first. */
export const openAlertsQuery = queryOptions({
  queryKey: ['attention'],
  meta: refreshOn([...names, 'delivery', 'route']),
  queryFn: ({ signal }) => get('/api/attention', {}, signal),
  refetchInterval: 10_000,
});

export const resolvedAlerts = (before_id: number | undefined, signal: AbortSignal) =>
  get('/api/alerts', { state: 'resolved', before_id, limit: alertsPerPage }, signal);

/** The most alerts that one response may contain. */
const mostAtOnce = 200;

/** The records of all open alerts, by ID: which channels were told, and how often they came back. */
export const recordedAlertsQuery = queryOptions({
  queryKey: ['alerts', 'open'],
  meta: alertEvents,
  refetchInterval: 10_000,
  async queryFn({ signal }) {
    const open = new Map<number, Alert>();
    let page: Alert[] = [];
    do {
      const before_id = page.at(-1)?.id;
      page = await get('/api/alerts', { state: 'open', before_id, limit: mostAtOnce }, signal);
      for (const alert of page) open.set(alert.id, alert);
    } while (page.length === mostAtOnce);
    return open;
  },
});

export const channelsQuery = queryOptions({
  queryKey: ['alert-channels'],
  meta: alertEvents,
  // Deliveries to a channel cause no event, so poll.
  refetchInterval: 10_000,
  queryFn: ({ signal }) => get('/api/alerts/channels', {}, signal),
});

export const acknowledge = (id: number, acknowledged: boolean) =>
  post('/api/alerts/acknowledge', { body: { id, acknowledged } });
export const mute = (id: number, minutes: number) =>
  post('/api/alerts/mute', { body: { id, minutes } });

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
