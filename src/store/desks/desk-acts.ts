/* What people of the team do with a customer by commands in the topic. */
import type { DeskCommand } from '../../core/desks/desk.ts';
import { readOptions } from '../../core/desks/desk-options.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { endWaiting, whoHas } from '../conversations/topic-states.ts';
import { personAssignee } from '../messages/conversation-turns.ts';
import { addCard, askedCardKey, cardOf, refreshCard } from './desk-card.ts';
import { tellCustomer } from './desk-replies.ts';
import { addDeskCall, noteInTopic } from './desk-queue.ts';
import { endConversation, hasUnseen } from './desk-ratings.ts';

export interface DeskAct {
  command: Exclude<DeskCommand, 'del' | 'help'>;
  /** What follows the command. */
  text: string;
  /** The person of the team; left out for an anonymous administrator. */
  person?: { id: number; name: string } | undefined;
  key: string;
  /** When they wrote it; Infinity for a press, of which Telegram does not tell. */
  at: number;
  /** Left out for a press on a button. */
  replyTo?: number | undefined;
}

interface CustomerRow {
  bot_id: number;
  chat_id: number;
  connection: string;
  from_thread_id: number;
  banned: number;
  card_id: number;
  generation: number;
  name: string;
  settings: string;
}

/** Does what a command says, and says so in the topic. Returns the bots that write there and to the customer. */
export function* actInTopic(
  dialect: DialectName,
  newNonce: () => string,
  topicId: number,
  { command, text, person, key, at, replyTo }: DeskAct,
  nowMs: number,
): Step<readonly number[]> {
  const [customer] = yield* raw<CustomerRow>(
    `select t.bot_id, t.chat_id, t.connection, t.from_thread_id, t.banned, t.card_id, t.generation, d.name, d.settings
     from desk_topics t join desks d on d.id = t.desk_id where t.id = $1`,
    [topicId],
  );
  if (!customer) return [];
  const { ban_replies } = readOptions(customer);
  const target = {
    botId: customer.bot_id,
    chatId: customer.chat_id,
    connection: customer.connection,
    fromThreadId: customer.from_thread_id,
  };
  let asking = 0;
  const isUnseen = command === 'close' && (yield* hasUnseen(topicId, at));
  const why = yield* doneBy();
  const reply = replyTo === undefined ? {} : { replyTo };
  const botId = yield* noteInTopic(dialect, topicId, { key, why, ...reply }, nowMs);
  // Topics of other bots and of older versions have no card that is known.
  if (command === 'info' && customer.card_id === 0) {
    yield* addCard({ id: topicId, generation: customer.generation }, newNonce());
  } else {
    const cardKey = command === 'info' ? askedCardKey(key) : `${key}:card`;
    yield* refreshCard(dialect, topicId, cardKey, nowMs);
  }
  if (command === 'ban' && customer.banned === 0) {
    return [botId, yield* tellCustomer(ban_replies, target, `${key}:told`, nowMs)];
  }
  if (command !== 'close' || isUnseen) return [botId];
  const params = {};
  return [
    botId,
    asking,
    yield* addDeskCall(dialect, topicId, `${key}:close`, 'closeForumTopic', params, nowMs),
  ];

  function* doneBy(): Step<Reason> {
    const { bot_id, chat_id } = customer as CustomerRow;
    if (isUnseen) return reason('desk_unseen');
    if (command === 'close') {
      asking = yield* endConversation(newNonce, { botId: bot_id, chatId: chat_id }, nowMs);
      return reason('desk_done');
    }
    if (command === 'ban' || command === 'unban') {
      if (command === 'ban') yield* endWaiting(bot_id, chat_id);
      yield* raw('update desk_topics set banned = $2 where id = $1', [
        topicId,
        command === 'ban' ? 1 : 0,
      ]);
      return reason(command === 'ban' ? 'desk_banned' : 'desk_unbanned');
    }
    if (command === 'note') {
      if (text === '') return reason('desk_note_empty');
      yield* raw(
        `insert into notes (bot_id, user_id, text, author, created_at)
         values ($1, $2, $3, $4, $5)`,
        [bot_id, chat_id, text, person?.name ?? 'desk', nowMs],
      );
      return reason('desk_noted');
    }
    if (command === 'assign') {
      if (!person || person.id <= 0) return reason('desk_anonymous');
      const isConfirmed = text.toLowerCase() === 'confirm';
      if (text !== '' && !isConfirmed) return reason('desk_assign_whom');
      const { key: assignee, name } = yield* personAssignee(person);
      const holder = yield* heldBy(bot_id, chat_id, assignee);
      if (holder !== '' && !isConfirmed) return reason('desk_held', { name: holder });
      yield* assignAll(bot_id, chat_id, assignee, name);
      return reason('desk_assigned', { name });
    }
    const card = yield* cardOf(topicId);
    return card ? reason('desk_card', card) : reason('desk_event');
  }
}

/** Names who has the conversation, if that is somebody else. */
function* heldBy(botId: number, chatId: number, assignee: string): Step<string> {
  const [held] = yield* raw<{ assignee: string; name: string }>(
    `select ${whoHas('assignee')} as assignee, ${whoHas('assignee_name')} as name
     from chats c where c.bot_id = $1 and c.chat_id = $2`,
    [botId, chatId],
  );
  return held && held.assignee !== '' && held.assignee !== assignee ? held.name : '';
}

/** The chat, and those of its topics in which something is left to do. */
function* assignAll(botId: number, chatId: number, assignee: string, name: string): Step<void> {
  const given = 'assignee = $3, assignee_name = $4 where bot_id = $1 and chat_id = $2';
  const parameters = [botId, chatId, assignee, name];
  yield* raw(`update chats set ${given}`, parameters);
  yield* raw(`update topics set ${given} and (unanswered_since > 0 or is_done = 0)`, parameters);
}
