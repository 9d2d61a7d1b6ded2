import type { Clock } from '../../clock.ts';
import type { AlertConditionRepository } from '../../store/alerts/alert-conditions.ts';
import type { Background } from '../async/background.ts';
import type { RelayEvents } from '../events/relay-events.ts';

/** A chat that waits for longer raises an alert. */
const longMs = 60_000;
/** An app that goes on in spite of the wait gets a 429 for each call, which names the same end. */
const sameEndMs = 5_000;
const mostRemembered = 10_000;

/** Stores flood waits of more than a minute for the alert about them. */
export function recordLongWaits(deps: {
  clock: Clock;
  events: Pick<RelayEvents, 'on'>;
  conditions: Pick<AlertConditionRepository, 'recordFloodWait'>;
  background: Background;
  onError: (error: unknown, botId: number) => void;
}): void {
  /** The stored end of the wait of a chat. */
  const stored = new Map<string, number>();

  deps.events.on('floodWait', (botId, { chat, leftMs, waitedMs, mostUsedBy: app }) => {
    // Usernames are not stored: the alert names the chat by its ID.
    if (waitedMs + leftMs <= longMs || !/^-?\d+$/.test(chat)) return;
    const nowMs = deps.clock.now();
    const until = nowMs + leftMs;
    const key = `${botId} ${chat}`;
    if (until - (stored.get(key) ?? 0) < sameEndMs) return;
    if (stored.size >= mostRemembered) stored.clear();
    stored.set(key, until);
    const wait = { botId, chatId: Number(chat), since: nowMs - waitedMs, until, app };
    deps.background.run(
      () => deps.conditions.recordFloodWait(wait, nowMs),
      (error) => deps.onError(error, botId),
    );
  });
}
