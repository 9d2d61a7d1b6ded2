/*
 * The state of a conversation is in the row of its chat, or of its topic if the bot has `per_topic`.
 *
 * Invariant: somebody waits, or something is left to do, only in topics of private chats of bots that
 * have it. So the steps here move the state when a bot gets or loses the setting.
 */
import { changes, raw, type Step } from '../engine.ts';

/** A conversation: a chat, or with a topic other than 0 that topic of it. */
export interface ConversationOfBot {
  botId: number;
  chatId: number;
  threadId: number;
}

/** The same, of which the topic may be left out. */
export type ChangedConversation = Omit<ConversationOfBot, 'threadId'> & Partial<ConversationOfBot>;

export const conversationTables = ['chats', 'topics'] as const;

/** Returns the row that has the state of a conversation. */
export function stateRow({ botId, chatId, threadId }: ConversationOfBot) {
  const [table, topic] =
    threadId === 0 ? (['chats', '$3 = 0'] as const) : (['topics', 'thread_id = $3'] as const);
  const ids = [botId, chatId, threadId];
  return { table, key: `bot_id = $1 and chat_id = $2 and ${topic}`, ids };
}

const unfinished = '(unanswered_since > 0 or is_done = 0)';

// A customer of a desk is one for all conversations in chat `c`.
const someLeft = `from topics x where x.bot_id = c.bot_id and x.chat_id = c.chat_id
  and (x.unanswered_since > 0 or x.is_done = 0)`;
export const allDone = `case when c.unanswered_since = 0 and c.is_done = 1
  and not exists (select 1 ${someLeft}) then 1 else 0 end`;
/** Who has the chat, or else the last of its topics in which something is left to do. */
export const whoHas = (column: 'assignee' | 'assignee_name') => `coalesce(nullif(c.${column}, ''),
  (select x.${column} ${someLeft} and x.assignee <> '' order by x.last_message_at desc limit 1), '')`;

/** Who waits in a chat waits in the topics of the message that began it; all else stays with the chat. */
export function* splitByTopic(botId: number): Step<void> {
  yield* raw(
    `update topics set unanswered_since = c.unanswered_since, is_done = c.is_done,
       needs_person = c.needs_person, snoozed_until = c.snoozed_until,
       assignee = c.assignee, assignee_name = c.assignee_name
     from chats c join messages m on m.bot_id = c.bot_id and m.chat_id = c.chat_id
       and m.user_id = c.chat_id and m.date = c.unanswered_since / 1000
     where c.bot_id = $1 and c.unanswered_since > 0 and c.chat_id > 0
       and topics.bot_id = c.bot_id and topics.chat_id = c.chat_id
       and topics.thread_id = m.thread_id`,
    [botId],
  );
  yield* raw(
    `update chats set unanswered_since = 0, is_done = 1, needs_person = 0, snoozed_until = 0,
       assignee = '', assignee_name = ''
     where bot_id = $1 and unanswered_since > 0 and chat_id in (
       select chat_id from topics where bot_id = $1 and unanswered_since > 0)`,
    [botId],
  );
}

/** A chat waits since the first of its topics does, and is done if all are. */
export function* joinTopics(botId: number): Step<void> {
  const ofWaitingLongest = (column: string) => `case when chats.assignee <> '' then chats.${column}
    else coalesce((select t.${column} from topics t where t.bot_id = $1 and t.chat_id = f.chat_id
      and t.assignee <> '' and ${unfinished}
      order by case when t.unanswered_since > 0 then 0 else 1 end, t.unanswered_since, t.thread_id
      limit 1), '') end`;
  yield* raw(
    `update chats set
       unanswered_since = case when chats.unanswered_since = 0
         or (f.since > 0 and f.since < chats.unanswered_since) then f.since
         else chats.unanswered_since end,
       snoozed_until = case when chats.unanswered_since = 0
         or (f.since > 0 and f.snoozed < chats.snoozed_until) then f.snoozed
         else chats.snoozed_until end,
       is_done = case when f.done = 0 then 0 else chats.is_done end,
       needs_person = case when f.person = 1 then 1 else chats.needs_person end,
       assignee = ${ofWaitingLongest('assignee')},
       assignee_name = ${ofWaitingLongest('assignee_name')}
     from (select chat_id, coalesce(min(nullif(unanswered_since, 0)), 0) as since,
         coalesce(min(case when unanswered_since > 0 then snoozed_until end), 0) as snoozed,
         min(is_done) as done, max(needs_person) as person
       from topics where bot_id = $1 and ${unfinished} group by chat_id) f
     where chats.bot_id = $1 and chats.chat_id = f.chat_id`,
    [botId],
  );
  yield* endTopics(botId);
}

/** Nobody waits in a chat and its topics, which else stay as they are; false if nobody did. */
export function* endWaiting(botId: number, chatId: number): Step<boolean> {
  let ended = 0;
  for (const table of conversationTables) {
    ended += yield* changes(
      `update ${table} set unanswered_since = 0, needs_person = 0, snoozed_until = 0
       where bot_id = $1 and chat_id = $2 and unanswered_since > 0`,
      [botId, chatId],
    );
  }
  return ended > 0;
}

/** Nobody waits in the topics of the bot, or of one chat, and nothing is left to do. */
export function* endTopics(botId: number, chatId?: number): Step<void> {
  const [ofChat, ids] =
    chatId === undefined ? ['', [botId]] : ['and chat_id = $2', [botId, chatId]];
  yield* raw(
    `update topics set unanswered_since = 0, is_done = 1, needs_person = 0, snoozed_until = 0
     where bot_id = $1 ${ofChat} and ${unfinished}`,
    ids,
  );
}
