/*
 * The pinned card of a topic: what is known of the customer, with buttons. It is edited when that
 * changes: at once after a command, otherwise with the next look, while nothing else waits.
 */
import { cardButtons } from '../../core/desks/card-buttons.ts';
import type { DeskCall } from '../../core/desks/desk.ts';
import { isoTime } from '../../core/iso-time.ts';
import { type ParamsOf, reason } from '../../core/reasons/reason.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { allDone, whoHas } from '../conversations/topic-states.ts';
import { addItem, first, inTurn, noteCall, takeStep } from './desk-queue.ts';
import type { TopicRow } from './desk-steps.ts';

interface CustomerRow {
  bot_id: number;
  chat_id: number;
  bot: string;
  name: string;
  username: string | null;
  language_code: string | null;
  since: number;
  banned: number;
  assignee_name: string;
  done: number;
}

/** What is known of a customer; undefined of one who is forgotten. */
export function* cardOf(topicId: number): Step<ParamsOf<'desk_card'> | undefined> {
  const [customer] = yield* raw<CustomerRow>(
    `select t.bot_id, t.chat_id, b.name as bot, t.name, p.username, p.language_code, t.banned,
       ${whoHas('assignee_name')} as assignee_name, ${allDone} as done,
       coalesce((select m.date * 1000 from messages m where m.bot_id = t.bot_id
         and m.chat_id = t.chat_id order by m.date, m.id limit 1), t.created_at) as since
     from desk_topics t join bots b on b.id = t.bot_id left join people p on p.user_id = t.chat_id
       left join chats c on c.bot_id = t.bot_id and c.chat_id = t.chat_id
     where t.id = $1 and t.chat_id > 0`,
    [topicId],
  );
  if (!customer) return undefined;
  const { bot_id, chat_id } = customer;
  const others = yield* raw<{ name: string }>(
    `select b.name from desk_bots d join bots b on b.id = d.bot_id
       join chats c on c.bot_id = d.bot_id and c.chat_id = $1
     where d.desk_id = (select desk_id from desk_topics where id = $3) and d.bot_id <> $2
     order by b.id limit 10`,
    [chat_id, bot_id, topicId],
  );
  const notes = yield* raw<{ text: string }>(
    'select text from notes where bot_id = $1 and user_id = $2 order by id desc limit 3',
    [bot_id, chat_id],
  );
  const tags = yield* raw<{ tag: string }>(
    `select tag from tags where chat_id = $1 and user_id = $1
       and id in (select tag_id from tag_bots where bot_id in (0, $2)) order by id limit 20`,
    [chat_id, bot_id],
  );
  return {
    name: customer.name,
    username: customer.username ?? '',
    language: customer.language_code ?? '',
    bot: customer.bot,
    since: isoTime(customer.since).slice(0, 10),
    others: others.map(({ name }) => name),
    notes: notes.map(({ text: note }) => note.slice(0, 500)),
    tags: tags.map(({ tag }) => tag),
    assignee: customer.assignee_name,
    done: customer.done === 1,
    banned: customer.banned !== 0,
  };
}

export const cardKey = (topicId: number, generation: number) =>
  `desk:card:${topicId}:${generation}`;

/** Writes the card before what waits, unless it waits itself; it is pinned once it is there. */
export function* addCard(
  { id, generation }: { id: number; generation: number },
  nonce: string,
): Step<void> {
  const card = yield* cardOf(id);
  const key = cardKey(id, generation);
  const waiting = yield* raw('select 1 from desk_items where key = $1', [key]);
  if (!card || waiting.length > 0) return;
  yield* raw(
    `update desk_topics set card_id = 0, card_nonce = $2, card_shown = $3, card_stale = 0
     where id = $1`,
    [id, nonce, JSON.stringify(card)],
  );
  const call = { ...noteCall(reason('desk_card', card)), buttons: cardButtons(id, nonce, card) };
  yield* addItem(id, { key, call }, first);
}

const askedFor = ':info';
/** An edit with this key is made even if it shows nothing else, and finds out whether the card is there. */
export const askedCardKey = (key: string) => `${key}${askedFor}`;

/** Somebody deleted this card: who asked for it gets another one, which an earlier edit may have added. */
export function* cardGone(
  { id, generation, doing }: TopicRow,
  { message_id }: DeskCall['params'],
): Step<void> {
  const [topic] = yield* raw<{ card_nonce: string }>(
    'update desk_topics set card_id = 0 where id = $1 and card_id = $2 returning card_nonce',
    [id, message_id],
  );
  if (topic && doing.endsWith(askedFor)) yield* addCard({ id, generation }, topic.card_nonce);
}

/** Edits the card if it would show something else. Returns the bot that does, or 0. */
export function* refreshCard(
  dialect: DialectName,
  topicId: number,
  key: string,
  nowMs: number,
): Step<number> {
  const [topic] = yield* raw<{ card_id: number; card_nonce: string; card_shown: string }>(
    `update desk_topics set card_stale = 0 where id = $1
     returning card_id, card_nonce, card_shown`,
    [topicId],
  );
  // A card that is being written, or is no longer known, cannot be edited.
  if (!topic || topic.card_id === 0) return 0;
  const card = yield* cardOf(topicId);
  if (!card) return 0;
  const shown = JSON.stringify(card);
  if (shown === topic.card_shown && !key.endsWith(askedFor)) return 0;
  yield* raw('update desk_topics set card_shown = $2 where id = $1', [topicId, shown]);
  // In a topic with a problem, edits would pile up.
  yield* raw(
    `delete from desk_items where topic_id = $1 and key not like '%${askedFor}'
       and call like '{"method":"editMessageText"%"code":"desk_card"%'
       and key <> (select doing from desk_topics where id = $1)`,
    [topicId],
  );
  const call: DeskCall = {
    ...noteCall(reason('desk_card', card)),
    method: 'editMessageText',
    params: { message_id: topic.card_id },
    buttons: cardButtons(topicId, topic.card_nonce, card),
  };
  yield* addItem(topicId, { key, call }, inTurn);
  return yield* takeStep(dialect, topicId, nowMs);
}

/** A forum takes few changes in a minute, and messages come first. */
const editsAtOnce = 3;

/**
 * The topics whose cards are to be edited: some of each desk for which nothing waits. A topic with a
 * problem may have it for long.
 */
export const staleCardsSql = `select id from (
    select id, row_number() over (partition by desk_id order by id) as turn from desk_topics
    where card_stale = 1 and desk_id not in (
      select t.desk_id from desk_items i join desk_topics t on t.id = i.topic_id
      where t.problem = '')) stale
  where turn <= ${editsAtOnce} order by id`;
