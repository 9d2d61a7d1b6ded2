/*
 * Stores which messages are pinned, in `messages.pinned_at`. The platform reports pinning (by a
 * service message, or the answer to a call), but not unpinning by others, so a request for the
 * chat's details corrects that.
 */
import type { MessageFact, PinFact } from '../../core/messages/archive-facts.ts';
import { raw, type Step } from '../engine.ts';

/**
 * Returns the origin of a pinned message that is not stored: it may be older than the archive, or
 * its own update or the answer to its send may be late. Undefined for a message that is stored.
 */
export function* unknownPinned(
  botId: number,
  { chatId, id, userId }: MessageFact,
): Step<'sent' | 'received' | undefined> {
  const [bot] = yield* raw<{ platform_id: number }>(
    `select platform_id from bots where id = $1 and not exists (
       select 1 from messages where bot_id = $1 and chat_id = $2 and id = $3)`,
    [botId, chatId, id],
  );
  if (!bot) return undefined;
  return bot.platform_id === userId ? 'sent' : 'received';
}

export function* applyPin(botId: number, pin: PinFact, nowMs: number): Step<void> {
  const ofChat = 'bot_id = $1 and chat_id = $2';
  const unpin = 'update messages set pinned_at = null, unpinned_at = $3 where';
  const { chatId, messageId } = pin;
  if (messageId === 'all') {
    yield* raw(`${unpin} ${ofChat} and pinned_at is not null`, [botId, chatId, nowMs]);
  } else if (messageId === 'newest') {
    yield* raw(
      `${unpin} ${ofChat} and id = (
         select id from messages where ${ofChat} and pinned_at is not null
         order by date desc, id desc limit 1)`,
      [botId, chatId, nowMs],
    );
  } else if (!pin.isPinned) {
    yield* raw(`${unpin} ${ofChat} and id = $4`, [botId, chatId, nowMs, messageId]);
  } else {
    // An announcement may arrive after its pin was already undone; a call has just been made.
    const since = pin.announcedAt === undefined ? Number.MAX_SAFE_INTEGER : pin.announcedAt * 1000;
    yield* raw(
      `update messages set pinned_at = coalesce(pinned_at, $3), unpinned_at = null
       where ${ofChat} and id = $4 and (unpinned_at is null or unpinned_at < $5)`,
      [botId, chatId, nowMs, messageId, since],
    );
  }
}

/**
 * Applies the platform's answer about a chat: the pinned message that was sent last, if there is
 * any.
 */
export function* settlePins(
  botId: number,
  chatId: number,
  newest: { id: number; date: number } | undefined,
  nowMs: number,
): Step<void> {
  if (!newest) {
    yield* applyPin(botId, { chatId, messageId: 'all', isPinned: false }, nowMs);
    return;
  }
  yield* raw(
    `update messages set pinned_at = null where bot_id = $1 and chat_id = $2
       and pinned_at is not null and (date, id) > ($3, $4)`,
    [botId, chatId, newest.date, newest.id],
  );
  yield* applyPin(botId, { chatId, messageId: newest.id, isPinned: true }, nowMs);
}
