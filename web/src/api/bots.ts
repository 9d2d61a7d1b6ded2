import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { BotsAddRequest, BotsUpdateRequest } from '../../../src/api-types.ts';
import { changeData } from './client/change-data.ts';
import { get, post } from './client/client.ts';
import type { Bot } from './client/types.ts';
import { refreshOn } from './client/refresh-on.ts';

export const botsQuery = queryOptions({
  queryKey: ['bots'],
  meta: refreshOn(['bot', 'delivery']),
  // Successful deliveries cause no event, but they update backend_seen_at.
  refetchInterval: 60_000,
  queryFn: ({ signal }) => get('/api/bots', {}, signal),
});

/** Puts the response of an action into the cache. */
export function cacheBot(client: QueryClient, changed: Bot): void {
  changeData(client, botsQuery.queryKey, (bots) =>
    bots.map((bot) => (bot.id === changed.id ? changed : bot)),
  );
}

export const botHealthQuery = (id: number) =>
  queryOptions({
    queryKey: ['bot-health', id],
    staleTime: 60_000,
    queryFn: ({ signal }) => get('/api/bots/health', { id }, signal),
  });

export type NewBot = BotsAddRequest;
export type BotChange = BotsUpdateRequest;

export const addBot = (body: NewBot) => post('/api/bots/add', { body });
export const updateBot = (body: BotChange) => post('/api/bots/update', { body });
export const toggleBot = (id: number) => post('/api/bots/toggle-disabled', { query: { id } });
/** Sets the state instead of toggling it: somebody else may have changed it. */
export async function startBot(id: number): Promise<Bot> {
  const bot = (await get('/api/bots')).find((one) => one.id === id);
  return bot && !bot.disabled ? bot : toggleBot(id);
}
export const deleteBot = (id: number) => post('/api/bots/delete', { query: { id } });

/** Disables the bot and returns it to its earlier receiver. */
export const restoreWebhook = (id: number, secret: string) =>
  post('/api/bots/restore-webhook', {
    query: { id },
    body: secret === '' ? {} : { secret_token: secret },
  });

/** Asks Telegram for the owner of a token; the token is sent in the body, never in a URL. */
export const validateToken = (token: string, signal?: AbortSignal) =>
  post('/api/bots/validate', { body: { token }, ...(signal ? { signal } : {}) });

export function botName(bot: Pick<Bot, 'id' | 'name' | 'username'>): string {
  return bot.name || (bot.username ? `@${bot.username}` : `#${bot.id}`);
}

/** Returns a function for the name of a bot by ID, which also names deleted bots. */
export function namesOf(bots: readonly Bot[]): (id: number) => string {
  return (id) => {
    const bot = bots.find((one) => one.id === id);
    return bot ? botName(bot) : `#${id}`;
  };
}
