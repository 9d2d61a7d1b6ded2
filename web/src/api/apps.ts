import { queryOptions } from '@tanstack/react-query';
import type {
  App,
  AppFilter,
  BotsAppsAddRequest,
  BotsAppsUpdateRequest,
  CreatedApp,
} from '../../../src/api-types.ts';
import { get, post } from './client/client.ts';
import { refreshOn } from './client/refresh-on.ts';

export type { App, AppFilter, CreatedApp };
export type NewApp = BotsAppsAddRequest;
export type AppChange = BotsAppsUpdateRequest;

export { updateKinds } from '../../../src/core/log/update-kinds.ts';

/** The name of the app that the bot's own settings describe. */
export const defaultApp = 'default';
export const isDefault = ({ name }: Pick<App, 'name'>): boolean => name === defaultApp;

export const appsQuery = (botId: number) =>
  queryOptions({
    queryKey: ['apps', botId],
    meta: refreshOn(['bot', 'delivery', 'sent'], botId),
    queryFn: ({ signal }) => get('/api/bots/apps', { bot_id: botId }, signal),
  });

export const previewQuery = (botId: number, filter: AppFilter) =>
  queryOptions({
    queryKey: ['apps', botId, 'preview', filter],
    retry: false,
    queryFn: ({ signal }) =>
      post('/api/bots/apps/preview', { body: { bot_id: botId, filter }, signal }),
  });

export const addApp = (body: NewApp) => post('/api/bots/apps/add', { body });
export const updateApp = (body: AppChange) => post('/api/bots/apps/update', { body });
export const rotateApp = (id: number) => post('/api/bots/apps/rotate', { query: { id } });
export const toggleApp = (id: number) => post('/api/bots/apps/toggle-disabled', { query: { id } });
export const deleteApp = (id: number) => post('/api/bots/apps/delete', { query: { id } });

/** Sets the state instead of toggling it: somebody else may have changed it. */
export async function enableApp({ id, bot_id }: Pick<App, 'id' | 'bot_id'>): Promise<void> {
  const apps = await get('/api/bots/apps', { bot_id });
  if (apps.find((one) => one.id === id)?.disabled) await toggleApp(id);
}
