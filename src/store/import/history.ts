/*
 * Imports what another service stored. Data that exists here stays unchanged, so importing the same
 * again changes nothing.
 */
import type { ArchiveFacts } from '../../core/messages/archive-facts.ts';
import { type DialectName, type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { everyBot } from '../people/tags.ts';
import { addPair, type MessagePair } from '../routing/message-pairs.ts';
import { openRoutingReader } from '../routing/routing.ts';
import { bulkInsert } from '../sql/bulk-insert.ts';
import { archive, membersTable, peopleTable } from '../messages/archive.ts';

export interface HistoryChat {
  bot_id: number;
  chat_id: number;
  type: string;
  title: string;
  username: string;
  /** '' if unknown. */
  member_status: string;
  /** -1 if unknown. */
  member_count: number;
  description: string;
  /** Milliseconds since the epoch. */
  last_message_at: number;
}

export interface HistoryPerson {
  user_id: number;
  username: string;
  first_name: string;
  is_bot: boolean;
}

export interface HistoryMember {
  bot_id: number;
  chat_id: number;
  user_id: number;
}

export interface HistoryMessage {
  bot_id: number;
  chat_id: number;
  /** Negative for the press of a button. */
  id: number;
  user_id: number;
  username: string;
  first_name: string;
  text: string;
  /** Unix seconds. */
  date: number;
  media_type: string | null;
  file_id: string | null;
  reply_to_message_id: number | null;
  origin: 'received' | 'sent';
  deleted: boolean;
}

export interface HistoryTag {
  chat_id: number;
  user_id: number;
  username: string;
  tag: string;
  color: string;
}

export interface HistoryPair {
  bot_id: number;
  chat_id: number;
  message_id: number;
  peer_bot_id: number;
  peer_chat_id: number;
  peer_message_id: number;
  route_id: number;
  style: 'forward' | 'copy';
  /** Milliseconds since the epoch. */
  created_at: number;
}

export interface History {
  chats: HistoryChat[];
  people: HistoryPerson[];
  members: HistoryMember[];
  messages: HistoryMessage[];
  tags: HistoryTag[];
  pairs: HistoryPair[];
}

/** Counts how many of each kind are new. */
export type HistoryCounts = Record<keyof History, number>;

export interface HistoryRepository {
  /** A bot with the ID 0 has no stored data. */
  countNew(history: History): Promise<HistoryCounts>;
  /** Adds everything in one transaction. */
  add(history: History, nowMs: number): Promise<HistoryCounts>;
}

const deadlineMs = 60_000;
// Retention deletes pairs after 90 days, so older pairs get a younger date: that way they can be
// answered.
const oldestPairMs = 30 * 24 * 3_600_000;

export function createHistoryRepository(engine: Engine): HistoryRepository {
  const { dialect } = engine;
  return {
    countNew: (history) =>
      engine.write(
        function* () {
          return countsOf(yield* unknown(dialect, history));
        },
        { deadlineMs },
      ),
    add: (history, nowMs) =>
      engine.write(
        function* () {
          const added = yield* unknown(dialect, history);
          yield* store(dialect, added, nowMs);
          return countsOf(added);
        },
        { deadlineMs },
      ),
  };
}

function countsOf(history: History): HistoryCounts {
  const { chats, people, members, messages, tags, pairs } = history;
  return {
    chats: chats.length,
    people: people.length,
    members: members.length,
    messages: messages.length,
    tags: tags.length,
    pairs: pairs.length,
  };
}

const unknownChats = notIn<HistoryChat>('chats', { bot_id: 'bigint', chat_id: 'bigint' });
const unknownPeople = notIn<HistoryPerson>('people', { user_id: 'bigint' });
const unknownMembers = notIn<HistoryMember>('members', {
  bot_id: 'bigint',
  chat_id: 'bigint',
  user_id: 'bigint',
});
const unknownMessages = notIn<HistoryMessage>('messages', {
  bot_id: 'bigint',
  chat_id: 'bigint',
  id: 'bigint',
});
const unknownTags = notIn<HistoryTag>('tags', {
  chat_id: 'bigint',
  user_id: 'bigint',
  tag: 'text',
});
const unknownPairs = notIn<HistoryPair>('message_pairs', {
  bot_id: 'bigint',
  chat_id: 'bigint',
  message_id: 'bigint',
  peer_bot_id: 'bigint',
  peer_chat_id: 'bigint',
  peer_message_id: 'bigint',
});

function* unknown(dialect: DialectName, history: History): Step<History> {
  return {
    chats: yield* unknownChats(dialect, history.chats),
    people: yield* unknownPeople(dialect, history.people),
    members: yield* unknownMembers(dialect, history.members),
    messages: yield* unknownMessages(dialect, history.messages),
    tags: yield* unknownTags(dialect, history.tags),
    pairs: yield* unknownPairs(dialect, history.pairs),
  };
}

/** Returns the rows, each key once, that the table does not have. */
function notIn<Row extends object>(
  table: string,
  key: Partial<Record<keyof Row & string, 'bigint' | 'text'>>,
): (dialect: DialectName, rows: readonly Row[]) => Step<Row[]> {
  const names = Object.keys(key) as (keyof Row & string)[];
  const columns = { place: 'bigint', ...(key as Record<string, 'bigint' | 'text'>) } as const;

  return function* (dialect, rows) {
    const valuesOf = (row: Row) => names.map((name) => row[name]);
    const once = new Map(rows.map((row) => [JSON.stringify(valuesOf(row)), row]));
    const offered = [...once.values()];
    if (offered.length === 0) return [];
    const { rows: given, rowParameters } = wordsOf[dialect];
    const known = yield* raw<{ place: number }>(
      `select k.place from (${given(columns, 1)}) k where exists (select 1 from ${table} t
         where ${names.map((name) => `t.${name} = k.${name}`).join(' and ')})`,
      rowParameters(
        columns,
        offered.map((row, place) => [place, ...valuesOf(row)]),
      ),
    );
    const places = new Set(known.map(({ place }) => place));
    return offered.filter((_row, index) => !places.has(index));
  };
}

const insertChats = bulkInsert({
  table: 'chats',
  columns: {
    bot_id: 'bigint',
    chat_id: 'bigint',
    type: 'text',
    title: 'text',
    username: 'text',
    member_status: 'text',
    member_count: 'bigint',
    description: 'text',
    last_message_at: 'bigint',
    updated_at: 'bigint',
  },
  onConflict: 'do nothing',
});

const insertPeople = bulkInsert({
  ...peopleTable,
  onConflict: 'do nothing',
});

const insertMembers = bulkInsert({
  ...membersTable,
  onConflict: 'do nothing',
});

function* store(dialect: DialectName, added: History, nowMs: number): Step<void> {
  const { chats, people, members, messages, tags, pairs } = added;
  const byChat = <Row extends { bot_id: number; chat_id: number }>(rows: readonly Row[]) =>
    [...rows].sort((a, b) => a.bot_id - b.bot_id || a.chat_id - b.chat_id);
  yield* insertChats(
    dialect,
    byChat(chats).map((chat) => ({ ...chat, updated_at: nowMs })),
  );
  yield* insertPeople(
    dialect,
    [...people]
      .sort((a, b) => a.user_id - b.user_id)
      .map((person) => ({
        ...person,
        last_name: '',
        is_bot: person.is_bot ? 1 : 0,
        language_code: '',
        seen_at: nowMs,
      })),
  );
  const entries = messages.map((message) => ({
    botId: message.bot_id,
    facts: factsOf(message),
    origin: message.origin,
    position: 0,
  }));
  yield* archive(dialect, entries, nowMs);
  yield* insertMembers(
    dialect,
    byChat(members).map((member) => ({ ...member, status: '', updated_at: nowMs })),
  );
  for (const tag of tags) yield* addTag(tag, nowMs);
  for (const pair of pairs) {
    const madeAt = Math.max(pair.created_at, nowMs - oldestPairMs);
    yield* addPair(pairOf(pair), Math.min(madeAt, nowMs));
  }
  // With the reader open, a reply to any of these takes the return path from the first update on.
  const paired = new Set(pairs.flatMap((pair) => [pair.bot_id, pair.peer_bot_id]));
  for (const botId of [...paired].sort((a, b) => a - b)) yield* openRoutingReader(botId, nowMs);
}

function factsOf(message: HistoryMessage): ArchiveFacts {
  const { chat_id: chatId, id, deleted } = message;
  return {
    messages: [
      {
        chatId,
        id,
        userId: message.user_id,
        username: message.username,
        firstName: message.first_name,
        lastName: '',
        text: message.text,
        date: message.date,
        mediaType: message.media_type,
        fileId: message.file_id,
        replyToMessageId: message.reply_to_message_id,
        mediaGroupId: null,
        editedAt: null,
        threadId: null,
        extra: null,
      },
    ],
    chats: [],
    people: [],
    memberships: [],
    migration: null,
    ...(deleted ? { deleted: { chatId, messageIds: [id] } } : {}),
  };
}

function* addTag(tag: HistoryTag, nowMs: number): Step<void> {
  const { chat_id, user_id, username, tag: label, color } = tag;
  const [added] = yield* raw<{ id: number }>(
    `insert into tags (chat_id, user_id, username, tag, color, created_at)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning id`,
    [chat_id, user_id, username, label, color, nowMs],
  );
  if (!added) return;
  yield* raw('insert into tag_bots (tag_id, bot_id) values ($1, $2)', [added.id, everyBot]);
}

function pairOf(pair: HistoryPair): MessagePair {
  return {
    botId: pair.bot_id,
    connection: '',
    chatId: pair.chat_id,
    messageId: pair.message_id,
    peerBotId: pair.peer_bot_id,
    peerConnection: '',
    peerChatId: pair.peer_chat_id,
    peerMessageId: pair.peer_message_id,
    routeId: pair.route_id,
    style: pair.style,
    hops: 1,
  };
}
