/* Says how a message counts: as received or sent, and in the time until a person is answered. */
import { answererOf, readAuthor } from '../../core/messages/author.ts';
import { isServiceContent } from '../../core/messages/message-content.ts';
import { isStart, type ManagedBot } from '../../core/messages/turns.ts';

/**
 * `asks` starts the wait for an answer; `ends` is what the owner of a business account wrote. Both
 * count as received, like `received`, which changes no wait; `answers` and `sent` are of the bot.
 */
export const turns = { asks: 0, sent: 1, answers: 2, received: 3, ends: 4 } as const;

export const isOwn = (turn: number) => turn === turns.sent || turn === turns.answers;

/** What a stored message tells of its turn. */
export interface StoredTurn {
  origin: string;
  chat_id: number;
  user_id: number;
  text: string;
  extra: string | null;
  author: string | null;
  reply_to_message_id: number | null;
}

/** Only private chats and those of business accounts are conversations: their number is positive. */
export function turnOfStored(
  row: StoredTurn,
  { automatic_answers }: Pick<ManagedBot, 'automatic_answers'>,
): number {
  const { origin, chat_id: chatId, user_id: userId, text, extra, author: stored } = row;
  if (origin === 'received') {
    if (chatId <= 0) return turns.received;
    if (userId !== chatId) return turns.ends;
    return isStart(text) || isServiceContent(extra) ? turns.received : turns.asks;
  }
  if (chatId <= 0) return turns.sent;
  const author = readAuthor(stored);
  // A route replies on its return path only. Messages of older versions have no author.
  const by = author ? answererOf(author, row.reply_to_message_id !== null) : 'automatic';
  const counts = by === 'automatic' ? automatic_answers !== 'ignore' : by !== undefined;
  return counts ? turns.answers : turns.sent;
}

const by = (kind: string) => `author like '%"kind":"${kind}"%'`;
/** SQL: the same for messages of the bot in a private chat. */
export const isAnswerSql = `(${['user', 'key', 'desk'].map(by).join(' or ')}
  or (${by('route')} and reply_to_message_id is not null)
  or ((author is null or ${by('app')} or ${by('backend')})
    and (select automatic_answers from bots where id = $1) <> 'ignore'))`;
