import type { MessageOfChat } from '../../core/log/update-facts.ts';
import { makesMessages } from '../../core/messages/answer-facts.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import type { OfferedUpdates } from '../log/claims.ts';
import { wordsOf } from '../sql/dialect.ts';
import { type AppSend, outboxSendId } from './app-sends.ts';

/** What apps of a bot sent, as far as updates reply to it. */
export interface SendersOfBot {
  /** Returns the app that sent the message; 0 if none is known. */
  of(message: MessageOfChat): number;
  /** Sends whose messages are not known yet. */
  inFlight: readonly AppSend[];
}

/** The senders by bot; bots that were not asked about are missing. */
export type Senders = ReadonlyMap<number, SendersOfBot>;

interface SenderRow {
  botId: number;
  chatId: number;
  messageId: number;
  appId: number | null;
  /** The ID of a send in flight; null for a message. */
  send: string | null;
  /** The method of a send of the outbox. */
  method: string;
}

/**
 * Reads all senders with one query, because the requests share a commit that locks the logs of all
 * its bots. Both parts see the same moment, so a send is always in one of them.
 */
export function* readSenders(
  dialect: DialectName,
  offered: readonly OfferedUpdates[],
): Step<Senders> {
  const known = new Map<number, { sent: Map<string, number>; inFlight: AppSend[] }>();
  const asked = new Map<string, readonly [bot: number, chat: number, message: number]>();
  for (const { botId, updates } of offered) {
    known.set(botId, { sent: new Map(), inFlight: [] });
    for (const { repliesTo } of updates) {
      if (!repliesTo) continue;
      const { chatId, messageId } = repliesTo;
      asked.set(`${botId} ${keyOf(repliesTo)}`, [botId, chatId, messageId]);
    }
  }
  if (asked.size > 0) {
    const keys = [...asked.values()];
    const rows = yield* raw<SenderRow>(
      sendersSql[dialect],
      wordsOf[dialect].rowParameters(keyColumns, keys),
    );
    for (const { botId, chatId, messageId, appId, send, method } of rows) {
      const ofBot = known.get(botId);
      if (!ofBot || appId === null) continue;
      if (send === null) ofBot.sent.set(keyOf({ chatId, messageId }), appId);
      else if (method === '') ofBot.inFlight.push({ id: send, botId, appId, chatId });
      else if (makesMessages(method)) {
        ofBot.inFlight.push({ id: outboxSendId(Number(send)), botId, appId, chatId });
      }
    }
  }
  return new Map(
    [...known].map(([botId, { sent, inFlight }]) => [
      botId,
      { of: (message) => sent.get(keyOf(message)) ?? 0, inFlight },
    ]),
  );
}

const keyOf = ({ chatId, messageId }: MessageOfChat): string => `${chatId} ${messageId}`;

const keyColumns = { bot_id: 'bigint', chat_id: 'bigint', message_id: 'bigint' } as const;

const sendersFrom = (keys: string) => `with k as (${keys})
  select k.bot_id as "botId", k.chat_id as "chatId", k.message_id as "messageId",
    (select app_id from app_messages m
     where m.bot_id = k.bot_id and m.chat_id = k.chat_id and m.message_id = k.message_id) as "appId",
    null as send, '' as method
  from k
  union all
  select bot_id, chat_id, 0, app_id, id, '' from app_sends
  where bot_id in (select bot_id from k)
  union all
  select bot_id, chat_id, 0, app_id, cast(id as text), method from outbox
  where state = 'sending' and app_id <> 0 and bot_id in (select bot_id from k)`;

const sendersSql: Record<DialectName, string> = {
  sqlite: sendersFrom(wordsOf.sqlite.rows(keyColumns, 1)),
  postgres: sendersFrom(wordsOf.postgres.rows(keyColumns, 1)),
};
