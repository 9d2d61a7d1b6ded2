import { makesMessages } from '../../core/messages/answer-facts.ts';
import type { MessageFact } from '../../core/messages/archive-facts.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { bulkInsert } from '../sql/bulk-insert.ts';

/** The messages that an app sent. */
interface SentByApp {
  botId: number;
  appId: number;
  messages: readonly MessageFact[];
}

const insertMessages = bulkInsert<{
  bot_id: number;
  chat_id: number;
  message_id: number;
  app_id: number;
  sent_at: number;
}>({
  table: 'app_messages',
  columns: {
    bot_id: 'bigint',
    chat_id: 'bigint',
    message_id: 'bigint',
    app_id: 'bigint',
    sent_at: 'bigint',
  },
  onConflict:
    '(bot_id, chat_id, message_id) do update set app_id = excluded.app_id, sent_at = excluded.sent_at',
});

/**
 * Stores the sender, because presses on these messages, and replies to them, go to the app that
 * sent them.
 */
export function* rememberSender(
  dialect: DialectName,
  sent: readonly SentByApp[],
  nowMs: number,
): Step<void> {
  const rows = new Map<string, Parameters<typeof insertMessages>[1][number]>();
  for (const { botId, appId, messages } of sent) {
    for (const { chatId, id } of messages) {
      if (id === 'from-position') continue;
      const key = { bot_id: botId, chat_id: chatId, message_id: id };
      rows.set(Object.values(key).join(' '), { ...key, app_id: appId, sent_at: nowMs });
    }
  }
  yield* insertMessages(dialect, [...rows.values()]);
}

/**
 * Stores the sender after a call of this method, if the app asks for the replies to its messages.
 */
export function* rememberSenderIfAsked(
  dialect: DialectName,
  { method, ...sent }: SentByApp & { method: string },
  nowMs: number,
): Step<void> {
  if (sent.messages.length === 0 || !makesMessages(method)) return;
  const [app] = yield* raw('select 1 as one from apps where id = $1 and own_replies = 1', [
    sent.appId,
  ]);
  if (app) yield* rememberSender(dialect, [sent], nowMs);
}
