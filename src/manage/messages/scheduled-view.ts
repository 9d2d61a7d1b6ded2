/* Scheduled messages as clients see them. */
import type { Author } from '../../core/messages/author.ts';
import { type Reason, reason, reasonText } from '../../core/reasons/reason.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import { mostOverdueMs, type ScheduledSend } from '../../store/outbox/scheduled-sends.ts';
import { given } from './message-words.ts';
import { requestOf } from './scheduled-request.ts';

export interface ScheduledView {
  scheduled_id: number;
  bot_id: number;
  chat_id: number;
  send_at: number;
  state: 'scheduled' | 'held';
  /** Why it is held; '' if it is not. */
  error: string;
  error_detail: Reason | null;
  text: string;
  format?: string;
  parse_mode?: string;
  media_type?: string;
  file_name?: string;
  message_thread_id?: number;
  reply_to_message_id?: number;
  author?: Author;
  created_at: number;
}

export function viewOf(
  send: ScheduledSend,
  bot: BotRecord | undefined,
  now: number,
): ScheduledView {
  const request = requestOf(send);
  const held = heldReason(send, bot, now);
  // A database that its operator restored holds a sentence instead of a reason.
  const isHeld = held !== undefined || (send.state === 'scheduled' && send.error !== '');
  return {
    scheduled_id: send.id,
    bot_id: send.botId,
    chat_id: send.chatId,
    send_at: send.sendAt / 1_000,
    state: isHeld ? 'held' : 'scheduled',
    error: held ? reasonText(held) : send.error,
    error_detail: held ?? send.errorDetail,
    text: request.text ?? request.caption ?? '',
    ...given({
      media_type: request.type,
      format: request.format,
      parse_mode: request.parse_mode,
      file_name: request.file_name,
      message_thread_id: request.message_thread_id,
      reply_to_message_id: request.reply_to_message_id,
      author: send.author,
    }),
    created_at: Math.floor(send.createdAt / 1_000),
  };
}

/** Why it was or will not be sent, though it is due. */
function heldReason(
  send: ScheduledSend,
  bot: BotRecord | undefined,
  now: number,
): Reason | undefined {
  if (send.errorDetail && send.state === 'scheduled') return send.errorDetail;
  const lateMs = now - send.sendAt;
  if (send.state !== 'scheduled' || lateMs <= 0) return undefined;
  if (lateMs >= mostOverdueMs) return reason('scheduled_overdue');
  return bot?.disabled ? reason('bot_disabled', { bot_id: bot.id }) : undefined;
}
