import type { Engine } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { type MessageRow, messageColumns } from './messages.ts';

/** The key of a message. */
export interface MessageKey {
  botId: number;
  chatId: number;
  id: number;
}

export interface MessageEdit {
  text: string;
  /** Unix seconds: when the text was written, and when another text replaced it. */
  written_at: number;
  replaced_at: number;
}

/** Reads messages in their order within a chat. */
export interface MessageHistoryRepository {
  get(key: MessageKey): Promise<MessageRow | undefined>;
  /** Returns, oldest first, the messages before the message, the message, and those after it. */
  around(
    message: MessageRow,
    before: number,
    after: number,
    /** Only messages of this topic. */
    threadId?: number,
  ): Promise<MessageRow[]>;
  /** Returns replies to any of these messages, oldest first. */
  repliesTo(
    botId: number,
    chatId: number,
    ids: readonly number[],
    limit: number,
  ): Promise<MessageRow[]>;
  /** Returns the pinned messages of a chat, newest first. */
  pinned(key: Omit<MessageKey, 'id'>, limit: number): Promise<MessageRow[]>;
  /** Returns the earlier texts of the message, oldest first. */
  edits(key: MessageKey): Promise<MessageEdit[]>;
  /** Returns messages of a chat from the oldest on, after the end of the last page. */
  page(
    key: Omit<MessageKey, 'id'> & { threadId?: number | undefined },
    after: { date: number; id: number } | undefined,
    limit: number,
  ): Promise<MessageRow[]>;
}

export function createMessageHistoryRepository(engine: Engine): MessageHistoryRepository {
  const ofChat = `select ${messageColumns('messages')} from messages
    where bot_id = $1 and chat_id = $2`;
  const { isIn, list } = wordsOf[engine.dialect];

  return {
    async get({ botId, chatId, id }) {
      const [row] = await engine.readRaw<MessageRow>(`${ofChat} and id = $3`, [botId, chatId, id]);
      return row;
    },
    async around(message, before, after, threadId) {
      const key = [message.bot_id, message.chat_id, message.date, message.id];
      const inTopic = threadId === undefined ? '' : 'and thread_id = $6';
      const topic = threadId === undefined ? [] : [threadId];
      const [older, newer] = await Promise.all([
        engine.readRaw<MessageRow>(
          `${ofChat} and (date, id) < ($3, $4) ${inTopic} order by date desc, id desc limit $5`,
          [...key, before, ...topic],
        ),
        engine.readRaw<MessageRow>(
          `${ofChat} and (date, id) > ($3, $4) ${inTopic} order by date, id limit $5`,
          [...key, after, ...topic],
        ),
      ]);
      return [...older.reverse(), message, ...newer];
    },
    repliesTo: (botId, chatId, ids, limit) =>
      engine.readHeavy<MessageRow>(
        `${ofChat} and ${isIn('reply_to_message_id', '$3')} order by date, id limit $4`,
        [botId, chatId, list(ids), limit],
      ),
    pinned: ({ botId, chatId }, limit) =>
      engine.readRaw<MessageRow>(
        `${ofChat} and pinned_at is not null order by date desc, id desc limit $3`,
        [botId, chatId, limit],
      ),
    edits: ({ botId, chatId, id }) =>
      engine.readRaw<MessageEdit>(
        `select text, written_at, replaced_at from message_edits
         where bot_id = $1 and chat_id = $2 and message_id = $3 order by id`,
        [botId, chatId, id],
      ),
    page: ({ botId, chatId, threadId }, after, limit) =>
      engine.readHeavy<MessageRow>(
        `${ofChat} and (date, id) > ($3, $4) ${threadId === undefined ? '' : 'and thread_id = $6'}
         order by date, id limit $5`,
        [
          botId,
          chatId,
          after?.date ?? -1,
          after?.id ?? 0,
          limit,
          ...(threadId === undefined ? [] : [threadId]),
        ],
      ),
  };
}
