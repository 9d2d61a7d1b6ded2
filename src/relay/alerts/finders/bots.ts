import type { botKinds } from '../../../core/alerts/kinds/bots.ts';
import { isShortSecret } from '../../../core/bots/bot-token.ts';
import { isConflict } from '../../intake/intake-faults.ts';
import type { Finder, Found, View } from './view.ts';

/** Finds what keeps bots from receiving; a bot that is disabled keeps itself. */
const intake: Finder = (view) => {
  const routes = countByBot(view);
  return view.bots.flatMap(({ disabled, id: botId, updated_at }): Found[] => {
    if (disabled) {
      const count = routes.get(botId) ?? 0;
      return [{ kind: 'bot_disabled', botId, params: { count }, since: updated_at }];
    }
    const status = view.statusOf.get(botId);
    if (!status || status.lastError === '') return [];
    const { lastError: text, lastErrorDetail: detail } = status;
    const { state, lastErrorAt: since = 0 } = view.stateOf.get(botId) ?? {};
    const kind =
      state === 'refused' ? 'bot_refused' : isConflict(detail) ? 'bot_conflict' : 'bot_trouble';
    const evidence = { text, ...(detail ? { textDetail: detail } : {}) };
    return [{ kind, botId, since, evidence }];
  });
};

/** Counts, for each bot, the routes that start or end at it. */
function countByBot({ botOf, stillRoutes }: View): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { botId, targetBotId } of stillRoutes) {
    if (!botOf.has(botId)) continue;
    for (const id of new Set([botId, targetBotId])) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** A client that guesses the secret can call /hooks/backend. */
const secrets: Finder = ({ bots }) =>
  bots
    .filter(({ disabled, secret_token }) => !disabled && isShortSecret(secret_token))
    .map(({ id: botId }) => ({ kind: 'weak_secret', botId }));

export const botFinders = {
  bot_refused: intake,
  bot_conflict: intake,
  bot_trouble: intake,
  bot_disabled: intake,
  weak_secret: secrets,
  webhook_moved: ({ movedWebhooks }) =>
    movedWebhooks.map(({ botId }) => ({ kind: 'webhook_moved', botId })),
} satisfies Record<keyof typeof botKinds, Finder>;
