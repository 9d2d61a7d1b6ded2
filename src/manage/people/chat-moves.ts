import type { Clock } from '../../clock.ts';
import type { EventBus } from '../../core/ports.ts';
import type { ChatMoveRepository } from '../../store/messages/chat-moves.ts';

const everyMs = 1_000;

/**
 * Publishes changes of routes that moved with their group. The same transaction that stored the
 * update changed them, where no event can be published.
 */
export async function watchChatMoves(
  { moves, events, clock }: { moves: ChatMoveRepository; events: EventBus; clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  let seen: number | undefined;
  while (!signal.aborted) {
    try {
      const latest = await moves.latest();
      if (seen !== undefined && latest > seen) {
        for (const { id, source_bot_id } of await moves.routesChangedSince(seen + 1)) {
          events.publish('route', source_bot_id, { route_id: id });
        }
      }
      seen = latest;
      await clock.sleep(everyMs, signal);
    } catch {
      // A rejected sleep means a stop; if the database was unavailable, the next round finds out.
      if (!signal.aborted) await clock.sleep(everyMs, signal).catch(() => {});
    }
  }
}
