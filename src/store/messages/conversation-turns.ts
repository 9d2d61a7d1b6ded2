/*
 * Changes conversations by what was said in them: who waits for an answer since when, and whose it is.
 *
 * This is part of the transaction that stores the messages, and of the statement that counts them,
 * because a chat is updated then anyway. `is_done` keeps its value while somebody waits, so that a
 * question that a route drops, or that only a bot answered, leaves the conversation as it was.
 */
import type { ArchiveEntry } from '../../core/messages/archive-facts.ts';
import { archivedId } from '../../core/messages/business-messages.ts';
import type { Author } from '../../core/messages/author.ts';
import { buttonsMark } from '../../core/messages/message-buttons.ts';
import { isServiceContent } from '../../core/messages/message-content.ts';
import { isStart, type ManagedBot, type ManagedBots, wordOf } from '../../core/messages/turns.ts';
import { type DialectName, raw, type Statement, type Step } from '../engine.ts';
import { binaryArrays } from '../sql/binary-array.ts';
import { type ConversationOfBot, stateRow } from '../conversations/topic-states.ts';

/** The changes of one commit to a chat of a managed bot, or to a topic, whose messages nobody counts. */
interface ChatChange extends ConversationOfBot {
  added: number;
  /** The time of the newest new message, in milliseconds; 0 if there is none. */
  lastAt: number;
  /** The first question that no answer in this commit follows, in milliseconds; 0 if there is none. */
  since: number;
  /** 1 if only a person can answer it. */
  handoff: number;
  /** 0 for no answer, 1 for an automatic one, 2 for that of a person, 3 if it answers a question of this commit. */
  answer: number;
  assignee: string;
  assigneeName: string;
}

const wordLists = new Map<string, ReadonlySet<string>>();
const mostLists = 1_000;

function handsOver({ handoff }: Pick<ManagedBot, 'handoff'>, words: readonly string[]): boolean {
  if (handoff === '[]' || words.length === 0) return false;
  let list = wordLists.get(handoff);
  if (!list) {
    if (wordLists.size >= mostLists) wordLists.clear();
    list = new Set((JSON.parse(handoff) as string[]).map(wordOf));
    wordLists.set(handoff, list);
  }
  return words.some((said) => list.has(wordOf(said)));
}

/** Updates the chats of managed bots: `added` are their new messages. */
export function* changeChats(
  dialect: DialectName,
  added: readonly { bot_id: number; chat_id: number; date: number }[],
  entries: readonly ArchiveEntry[],
  managed: ManagedBots,
): Step<void> {
  const changes = new Map<string, ChatChange>();
  const ofTopics = new Map<string, ChatChange>();
  function changeOf(botId: number, chatId: number, threadId = 0): ChatChange {
    const key = threadId === 0 ? `${botId} ${chatId}` : `${botId} ${chatId} ${threadId}`;
    const changed = threadId === 0 ? changes : ofTopics;
    let change = changed.get(key);
    if (!change) {
      const none = { added: 0, lastAt: 0, since: 0, handoff: 0, answer: 0 };
      change = { botId, chatId, threadId, ...none, assignee: '', assigneeName: '' };
      changed.set(key, change);
    }
    return change;
  }
  for (const { bot_id, chat_id, date } of added) {
    const change = changeOf(bot_id, chat_id);
    change.added++;
    change.lastAt = Math.max(change.lastAt, date * 1000);
  }
  for (const entry of entries) {
    const bot = managed.get(entry.botId);
    const { answeredBy, facts, author } = entry;
    if (!bot || (!facts.turn && !answeredBy)) continue;
    if (facts.turn) {
      const { chatId, threadId } = facts.turn;
      takeTurn(changeOf(entry.botId, chatId, topicFor(bot, threadId)), facts.turn, bot);
    }
    if (!answeredBy) continue;
    if (answeredBy === 'automatic') {
      if (bot.automatic_answers === 'ignore' || (yield* isPressed(entry))) continue;
    }
    const answered = new Set<ChatChange>();
    for (const { chatId, threadId } of facts.messages) {
      if (chatId > 0) answered.add(changeOf(entry.botId, chatId, topicFor(bot, threadId)));
    }
    for (const change of answered) {
      takeAnswer(change, answeredBy);
      if (answeredBy === 'person') yield* assignTo(change, author);
    }
  }
  if (ofTopics.size > 0) yield* changeTopics(dialect, [...ofTopics.values()]);
  if (changes.size === 0) return;
  if (dialect === 'postgres') yield changeAll([...changes.values()]);
  else yield* changeEach([...changes.values()]);
}

/** Returns the topic if it is a conversation; 0 if the whole chat is. */
function topicFor(bot: ManagedBot, threadId: number | null): number {
  return bot.per_topic === 1 ? (threadId ?? 0) : 0;
}

function takeTurn(
  change: ChatChange,
  { at, does, words }: NonNullable<ArchiveEntry['facts']['turn']>,
  bot: ManagedBot,
): void {
  if (does === 'answers') {
    takeAnswer(change, 'person');
    return;
  }
  const isHandedOver = handsOver(bot, words);
  if (does === 'starts' && !isHandedOver) return;
  change.since ||= at;
  if (isHandedOver) change.handoff = 1;
}

function takeAnswer(change: ChatChange, by: 'person' | 'automatic'): void {
  if (by === 'person') {
    const answer = change.since > 0 || change.answer === 3 ? 3 : 2;
    Object.assign(change, { answer, since: 0, handoff: 0 });
    return;
  }
  if (change.handoff === 0) Object.assign(change, { answer: change.answer || 1, since: 0 });
}

/** What is stored of a send may come after a press on its buttons, which it does not answer. */
function* isPressed({ botId, facts }: ArchiveEntry): Step<boolean> {
  for (const { chatId, editedAt, extra, id } of facts.messages) {
    if (chatId <= 0 || editedAt !== null || !extra?.includes(buttonsMark)) continue;
    const pressed = yield* raw(
      `select 1 as one from messages where bot_id = $1 and chat_id = $2
         and reply_to_message_id = $3 and media_type = 'callback' limit 1`,
      [botId, chatId, id],
    );
    if (pressed.length > 0) return true;
  }
  return false;
}

/** Answering an unassigned conversation assigns it; a person may be a user of the web UI as well. */
function* assignTo(change: ChatChange, author: Author | undefined): Step<void> {
  if (!author || change.assignee !== '') return;
  const { kind, id, name, person } = author;
  if (kind === 'user') Object.assign(change, { assignee: `user:${id}`, assigneeName: name });
  else if (person && person.id > 0) {
    const { key, name: known } = yield* personAssignee(person);
    Object.assign(change, { assignee: key, assigneeName: known });
  }
}

export function* personAssignee(person: {
  id: number;
  name: string;
}): Step<{ key: string; name: string }> {
  const [user] = yield* raw<{ id: number; username: string }>(
    'select id, username from users where telegram_user_id = $1',
    [person.id],
  );
  return user
    ? { key: `user:${user.id}`, name: user.username }
    : { key: `person:${person.id}`, name: person.name };
}

/** The messages among which the next question is looked for. */
const mostNext = 100;

/**
 * Takes back the question of a message that a route dropped; the next one of the person counts.
 * Returns the conversation if that changed it.
 */
export function* dropTurn(botId: number, position: number): Step<ConversationOfBot | undefined> {
  const [dropped] = yield* raw<{ chat_id: number; message_id: number; connection: string }>(
    `select chat_id, message_id, connection from route_decisions
     where bot_id = $1 and position = $2 and chat_id > 0`,
    [botId, position],
  );
  if (!dropped) return undefined;
  const { chat_id: chatId, message_id, connection } = dropped;
  const id = archivedId(connection, message_id);
  const [asked] = yield* raw<Asked>(
    `select m.date, m.media_group_id, b.handoff, b.per_topic, coalesce(t.thread_id, 0) as thread_id
     from messages m join chats c using (bot_id, chat_id) join bots b on b.id = m.bot_id
     left join topics t on b.per_topic = 1 and t.bot_id = m.bot_id and t.chat_id = m.chat_id
       and t.thread_id = m.thread_id
     where m.bot_id = $1 and m.chat_id = $2 and m.id = $3
       and coalesce(t.unanswered_since, c.unanswered_since) = m.date * 1000`,
    [botId, chatId, id],
  );
  if (!asked) return undefined;
  const { thread_id: threadId } = asked;
  const later = yield* raw<{ date: number; text: string; extra: string | null }>(
    `select date, text, extra from messages m
     where bot_id = $1 and chat_id = $2 and user_id = $2 and date >= $3 and id <> $4
       and origin = 'received' and (media_group_id is null or media_group_id <> $5)
       and not exists (select 1 from route_decisions d where d.bot_id = $1 and d.chat_id = $2
         and d.message_id = m.id and d.outcome = 'dropped')
       and ($6 = 0 or coalesce(thread_id, 0) = $7)
     order by date, id limit ${mostNext}`,
    [botId, chatId, asked.date, id, asked.media_group_id ?? '', asked.per_topic, threadId],
  );
  const isHandedOver = (words: string) => handsOver(asked, [words]);
  const next = later.find(
    ({ extra, text }) => !isServiceContent(extra) && (!isStart(text) || isHandedOver(text)),
  );
  const { table, key, ids } = stateRow({ botId, chatId, threadId });
  yield* raw(
    `update ${table} set unanswered_since = $4,
       needs_person = case when $5 = 0 then 0 else needs_person end where ${key}`,
    [...ids, (next?.date ?? 0) * 1000, next ? 1 : 0],
  );
  return next?.date === asked.date ? undefined : { botId, chatId, threadId };
}

interface Asked extends Pick<ManagedBot, 'handoff' | 'per_topic'> {
  date: number;
  media_group_id: string | null;
  thread_id: number;
}

// Whether the answer ($4) ends the waiting: an automatic one does not after a handoff.
const ends = (answer: string) =>
  `(${answer} > 1 or (${answer} = 1 and needs_person = 0 and unanswered_since > 0))`;

// No index has this column, so on PostgreSQL it costs nothing here, and the statement for busy chats
// finds nothing to do, where it waited for the locks of appends. On SQLite that statement is cheaper.
const newerLastAt = (value: string) =>
  `last_message_at = case when last_message_at < ${value} then ${value} else last_message_at end`;

const questions = `update chats set message_count = message_count + $3,
  unanswered_since = case when unanswered_since = 0 then $4 else unanswered_since end,
  needs_person = case when $5 = 1 then 1 else needs_person end, snoozed_until = 0
  where bot_id = $1 and chat_id = $2`;
// While somebody waits already, the chat keeps its entry in the index of those that wait.
const laterQuestions = `update chats set message_count = message_count + $3,
  needs_person = case when $5 = 1 then 1 else needs_person end, snoozed_until = 0
  where bot_id = $1 and chat_id = $2 and unanswered_since > 0`;
const counts =
  'update chats set message_count = message_count + $3 where bot_id = $1 and chat_id = $2';

/** The assignments of an update, with the names of a change's values. */
const assignments = (
  value: Record<'since' | 'handoff' | 'answer' | 'assignee' | 'name', string>,
) => `
  unanswered_since = case when unanswered_since = 0 or ${ends(value.answer)} then ${value.since}
    else unanswered_since end,
  is_done = case when ${value.answer} = 3 or (unanswered_since > 0 and ${value.answer} = 2)
    then 0 else is_done end,
  needs_person = case when ${value.answer} > 1 then ${value.handoff}
    when ${value.handoff} = 1 then 1 else needs_person end,
  snoozed_until = case when ${value.since} > 0 then 0 else snoozed_until end,
  assignee_name = case when assignee = '' then ${value.name} else assignee_name end,
  assignee = case when assignee = '' then ${value.assignee} else assignee end`;

const numbered = assignments({
  since: '$4',
  handoff: '$5',
  answer: '$6',
  assignee: '$7',
  name: '$8',
});
const answers = `update chats set message_count = message_count + $3, ${newerLastAt('$9')},
  ${numbered} where bot_id = $1 and chat_id = $2`;
const topicTurns = `update topics set ${numbered}
  where bot_id = $1 and chat_id = $2 and thread_id = $3`;

// SQLite writes the entries of an index again whenever a statement names its columns, so each chat
// gets the shortest statement that does.
function* changeEach(changes: readonly ChatChange[]): Step<void> {
  const bySql = Map.groupBy(changes, ({ answer, since }) => {
    if (answer > 0) return answers;
    return since > 0 ? questions : counts;
  });
  for (const [sql, some] of bySql) {
    let each = some.map(
      ({ botId, chatId, added, since, handoff, answer, assignee, assigneeName, lastAt }) => [
        botId,
        chatId,
        added,
        since,
        handoff,
        answer,
        assignee,
        assigneeName,
        lastAt,
      ],
    );
    if (sql === questions) {
      const { rows } = yield { sql: laterQuestions, parameters: [], each };
      each = each.filter((_, index) => !rows[index]);
    }
    if (each.length > 0) yield { sql, parameters: [], each };
  }
}

const named = assignments({
  since: 'v.since',
  handoff: 'v.handoff',
  answer: 'v.answer',
  assignee: 'v.new_assignee',
  name: 'v.new_name',
});
const bulk = `update chats set message_count = message_count + v.added, ${newerLastAt('v.last_at')},
  ${named} from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::integer[],
    $6::integer[], $7::text[], $8::text[], $9::bigint[])
  as v (bot, chat, added, since, handoff, answer, new_assignee, new_name, last_at)
  where bot_id = v.bot and chat_id = v.chat`;

/** The rows are locked already. */
function changeAll(changes: readonly ChatChange[]): Statement {
  const columns = {
    botId: 'bigint',
    chatId: 'bigint',
    added: 'bigint',
    since: 'bigint',
    handoff: 'integer',
    answer: 'integer',
    assignee: 'text',
    assigneeName: 'text',
    lastAt: 'bigint',
  } as const;
  return { sql: bulk, parameters: binaryArrays(columns, changes), isForEffect: true };
}

const topicBulk = `update topics set ${named} from unnest($1::bigint[], $2::bigint[], $3::bigint[],
    $4::bigint[], $5::integer[], $6::integer[], $7::text[], $8::text[])
  as v (bot, chat, thread, since, handoff, answer, new_assignee, new_name)
  where bot_id = v.bot and chat_id = v.chat and thread_id = v.thread`;

/** The topics are stored, and locked, already. */
function* changeTopics(dialect: DialectName, changes: readonly ChatChange[]): Step<void> {
  const columns = {
    botId: 'bigint',
    chatId: 'bigint',
    threadId: 'bigint',
    since: 'bigint',
    handoff: 'integer',
    answer: 'integer',
    assignee: 'text',
    assigneeName: 'text',
  } as const;
  if (dialect === 'postgres') {
    yield { sql: topicBulk, parameters: binaryArrays(columns, changes), isForEffect: true };
    return;
  }
  const names = Object.keys(columns) as (keyof typeof columns)[];
  const each = changes.map((change) => names.map((name) => change[name]));
  yield { sql: topicTurns, parameters: [], each };
}
