/* Lists all backends that updates are forwarded to: those of bots and those of their apps. */
import type { Caller } from '../../core/access/access.ts';
import { defaultApp } from '../../core/apps/app.ts';
import { readerOf } from '../../core/log/reader-kinds.ts';
import type { AppRepository } from '../../store/apps/apps.ts';
import type { BotRepository } from '../../store/bots/bots.ts';
import type { DeliveryStatus, UnreadByBot } from './delivery-status.ts';

export interface BackendView extends DeliveryStatus {
  botId: number;
  /** `default` means the backend of the bot itself. */
  app: string;
}

interface BackendDeps {
  apps: Pick<AppRepository, 'withBackends'>;
  statuses(
    botIds: readonly number[],
    reader: string,
    unreadByBot: UnreadByBot,
  ): Promise<ReadonlyMap<number, DeliveryStatus>>;
}

async function statusesOf(
  { statuses }: Pick<BackendDeps, 'statuses'>,
  backends: readonly { botId: number; app: string }[],
): Promise<BackendView[]> {
  const unreadByBot: UnreadByBot = new Map();
  const byApp = [...Map.groupBy(backends, ({ app }) => app)];
  const views = await Promise.all(
    byApp.map(async ([app, ofApp]) => {
      const botIds = ofApp.map(({ botId }) => botId);
      const reader = readerOf('push', app === defaultApp ? '' : app);
      const known = await statuses(botIds, reader, unreadByBot);
      return [...known].map(([botId, status]) => ({ botId, app, ...status }));
    }),
  );
  return views.flat();
}

/** Counts, by bot, the updates that wait for the backends of these bots and of their apps. */
export function createBacklogs(deps: BackendDeps) {
  return async (
    botIds: readonly number[],
  ): Promise<ReadonlyMap<number, Pick<DeliveryStatus, 'pendingUpdates'>>> => {
    const asked = new Set(botIds);
    const named = (await deps.apps.withBackends()).filter(({ botId }) => asked.has(botId));
    const own = botIds.map((botId) => ({ botId, app: defaultApp }));
    const views = await statusesOf(deps, [...own, ...named]);
    const byBot = Map.groupBy(views, ({ botId }) => botId);
    return new Map(
      [...byBot].map(([botId, ofBot]) => {
        const pendingUpdates = ofBot.reduce((sum, one) => sum + one.pendingUpdates, 0);
        return [botId, { pendingUpdates }];
      }),
    );
  };
}

export function createBackendList(deps: BackendDeps & { bots: Pick<BotRepository, 'list'> }) {
  return async (botIds: Caller['botIds']): Promise<BackendView[]> => {
    const bots = (await deps.bots.list(botIds)).filter(({ disabled }) => !disabled);
    const running = new Set(bots.map(({ id }) => id));
    const named = (await deps.apps.withBackends()).filter(({ botId }) => running.has(botId));
    const own = bots
      .filter(({ proxy_enabled }) => proxy_enabled)
      .map(({ id }) => ({ botId: id, app: defaultApp }));
    const views = await statusesOf(deps, [...own, ...named]);
    return views.toSorted(
      (left, right) =>
        left.botId - right.botId ||
        Number(right.app === defaultApp) - Number(left.app === defaultApp) ||
        left.app.localeCompare(right.app),
    );
  };
}
