import type { sendKinds } from '../../../core/alerts/kinds/sends.ts';
import type { Finder } from './view.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const leastFailedSends = 5;

export const sendFinders = {
  unknown_sends: ({ unknownSends }) =>
    unknownSends.map(({ botId, count, since }) => ({
      kind: 'unknown_sends',
      botId,
      params: { count },
      since,
    })),
  async failed_sends({ nowMs }, { store }) {
    const failed = await store.alertConditions.failedSends(nowMs - hourMs, leastFailedSends);
    return failed.map(({ botId, count }) => ({ kind: 'failed_sends', botId, params: { count } }));
  },
  async chat_flood_wait({ nowMs }, { store }) {
    const waits = await store.alertConditions.floodWaits(nowMs);
    return waits.map(({ botId, chatId, since, until, app }) => ({
      kind: 'chat_flood_wait',
      botId,
      since,
      params: {
        chat_id: chatId,
        minutes: Math.ceil((until - since) / minuteMs),
        ...(app === '' ? {} : { app }),
      },
    }));
  },
  // If one of its bots is disabled, that is the cause.
  route_failing({ failingRoutes, stillRoutes }) {
    const still = new Set(stillRoutes.map(({ routeId }) => routeId));
    return failingRoutes
      .filter(({ routeId }) => !still.has(routeId))
      .map(({ botId, count, detail, routeId, since, targetBotId, text }) => ({
        kind: 'route_failing',
        botId,
        params: { count, route_id: routeId, target_bot_id: targetBotId },
        since,
        evidence: { text, ...(detail ? { textDetail: detail } : {}) },
      }));
  },
  route_to_disabled: ({ botOf, stillRoutes }) =>
    stillRoutes
      .filter(({ botId }) => botOf.get(botId)?.disabled === false)
      .map(({ botId, routeId, targetBotId }) => ({
        kind: 'route_to_disabled',
        botId,
        params: { route_id: routeId, target_bot_id: targetBotId },
      })),
} satisfies Record<keyof typeof sendKinds, Finder>;
