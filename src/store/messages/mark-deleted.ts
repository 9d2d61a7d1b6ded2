import type { DeletionFact } from '../../core/messages/archive-facts.ts';
import { raw, type Step } from '../engine.ts';

/** Marks messages as deleted. */
export function* markDeleted(botId: number, deleted: DeletionFact, nowMs: number): Step<void> {
  for (const messageId of deleted.messageIds) {
    yield* raw(
      `update messages set deleted_at = $1, pinned_at = null
       where bot_id = $2 and chat_id = $3 and id = $4 and deleted_at is null`,
      [nowMs, botId, deleted.chatId, messageId],
    );
  }
}
