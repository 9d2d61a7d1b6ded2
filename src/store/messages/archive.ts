import type {
  ArchiveEntry,
  ArchiveFacts,
  ChatFact,
  MessageFact,
  PersonFact,
} from '../../core/messages/archive-facts.ts';
import { packAuthor } from '../../core/messages/author.ts';
import { binaryArrays } from '../sql/binary-array.ts';
import type { BackfillMark } from '../stats/backfill-marks.ts';
import { bulkInsert } from '../sql/bulk-insert.ts';
import type { ManagedBots } from '../../core/messages/turns.ts';
import { changeChats } from './conversation-turns.ts';
import { applyMove } from './chat-moves.ts';
import type { DialectName, Step } from '../engine.ts';
import { type GuestMessageToStore, insertGuestMessages } from './guest-messages.ts';
import { markDeleted } from './mark-deleted.ts';
import { applyChanges } from './message-projections.ts';
import { applyPin, unknownPinned } from './pins.ts';
import {
  managedAmong,
  type MessageChanges,
  type MessageToStore,
  saveMessages,
} from './save-messages.ts';
import { saveTopics } from './save-topics.ts';

const insertChats = bulkInsert({
  table: 'chats',
  columns: {
    bot_id: 'bigint',
    chat_id: 'bigint',
    type: 'text',
    title: 'text',
    username: 'text',
    last_message_at: 'bigint',
    updated_at: 'bigint',
  },
  onConflict: `(bot_id, chat_id) do update set
    type = excluded.type, title = excluded.title, username = excluded.username,
    last_message_at = case when excluded.last_message_at > chats.last_message_at
      then excluded.last_message_at else chats.last_message_at end,
    updated_at = excluded.updated_at`,
});

export const peopleTable = {
  table: 'people',
  columns: {
    user_id: 'bigint',
    username: 'text',
    first_name: 'text',
    last_name: 'text',
    is_bot: 'integer',
    language_code: 'text',
    seen_at: 'bigint',
  },
} as const;

const insertPeople = bulkInsert({
  ...peopleTable,
  onConflict: `(user_id) do update set
    username = excluded.username, first_name = excluded.first_name,
    last_name = excluded.last_name, is_bot = excluded.is_bot,
    language_code = case when excluded.language_code <> ''
      then excluded.language_code else people.language_code end,
    seen_at = excluded.seen_at`,
});

export const membersTable = {
  table: 'members',
  columns: {
    bot_id: 'bigint',
    chat_id: 'bigint',
    user_id: 'bigint',
    status: 'text',
    updated_at: 'bigint',
  },
} as const;

const insertMembers = bulkInsert({
  ...membersTable,
  onConflict:
    '(bot_id, chat_id, user_id) do update set status = excluded.status, updated_at = excluded.updated_at',
});

/** Stores what updates and answers contain about messages, chats and people. */
export function* archive(
  dialect: DialectName,
  entries: readonly ArchiveEntry[],
  nowMs: number,
  /**
   * The bots whose messages are counted and searched, and the marks of their backfills; if left out,
   * they are looked up.
   */
  knownManaged?: ManagedBots,
  marks?: readonly BackfillMark[],
): Step<void> {
  const messages = new Map<string, MessageToStore>();
  const chats = new Map<string, ReturnType<typeof chatRow>>();
  const people = new Map<number, ReturnType<typeof personRow>>();
  const members = new Map<string, ReturnType<typeof memberRow>>();
  const guests: GuestMessageToStore[] = [];
  const ownStatus: { botId: number; chatId: number; status: string }[] = [];
  // Messages that came together with their edit.
  const edited: MessageChanges['edited'] = [];

  for (const entry of entries) {
    const { botId, facts } = entry;
    for (const chat of facts.chats) {
      const key = `${botId} ${chat.chatId}`;
      const row = chatRow(botId, chat, newestDate(facts), nowMs);
      row.last_message_at = Math.max(row.last_message_at, chats.get(key)?.last_message_at ?? 0);
      chats.set(key, row);
    }
    for (const person of facts.people) people.set(person.userId, personRow(person, nowMs));
    for (const fact of facts.messages) {
      const row = messageRow(entry, fact);
      const key = `${botId} ${row.chat_id} ${row.id}`;
      const earlier = messages.get(key);
      if (earlier && (row.edited_at ?? 0) < (earlier.edited_at ?? 0)) continue;
      if (earlier && earlier.text !== row.text) {
        edited.push({ before: earlier, after: row, isManaged: false });
      }
      row.position = earlier?.position ?? row.position;
      messages.set(key, row);
    }
    if (facts.guest) {
      const { origin: _, author: __, thread_id: ___, ...row } = messageRow(entry, facts.guest);
      guests.push({ ...row, position: entry.position });
    }
    for (const { chatId, userId, status, isSelf } of facts.memberships) {
      members.set(`${botId} ${chatId} ${userId}`, memberRow(botId, chatId, userId, status, nowMs));
      if (isSelf) ownStatus.push({ botId, chatId, status });
    }
  }
  for (const { botId, facts } of entries) {
    if (!facts.pin?.message) continue;
    const origin = yield* unknownPinned(botId, facts.pin.message);
    if (!origin) continue;
    const row = messageRow({ botId, origin, position: 0 }, facts.pin.message);
    const key = `${botId} ${row.chat_id} ${row.id}`;
    if (!messages.has(key)) messages.set(key, row);
  }
  // The keys are in one order on every node, so that two transactions cannot deadlock.
  const managed = knownManaged ?? (yield* managedAmong(dialect, messages.values()));
  if (dialect === 'postgres') {
    const later = [
      ...[...messages.values()].filter((row) => managed.has(row.bot_id)),
      ...ownStatus.map(({ botId, chatId }) => ({ bot_id: botId, chat_id: chatId })),
      ...entries.flatMap(({ botId, facts }) => chatsOfMove(botId, facts)),
    ];
    yield* lockChats(chats, later);
  }
  yield* insertChats(dialect, byChat(chats));
  yield* insertPeople(
    dialect,
    [...people.values()].sort((a, b) => a.user_id - b.user_id),
  );
  const rows =
    dialect === 'postgres'
      ? byChat(messages).sort((a, b) => compareChats(a, b) || a.id - b.id)
      : [...messages.values()];
  yield* saveTopics(dialect, entries, nowMs);
  if (guests.length > 0) yield* insertGuestMessages(dialect, guests);
  const changes = yield* saveMessages(dialect, rows, managed);
  const all = { ...changes, edited: [...edited, ...changes.edited] };
  yield* applyChanges(dialect, all, managed, marks);
  yield* changeChats(dialect, changes.added, entries, managed);
  yield* insertMembers(
    dialect,
    byChat(members).sort((a, b) => compareChats(a, b) || a.user_id - b.user_id),
  );
  for (const { botId, chatId, status } of ownStatus) {
    yield {
      sql: 'update chats set member_status = $1 where bot_id = $2 and chat_id = $3',
      parameters: [status, botId, chatId],
    };
    // A broadcast found the bot blocked or removed; it is back.
    if (status !== 'kicked' && status !== 'left') {
      yield {
        sql: `delete from broadcast_marks where bot_id = $1 and chat_id = $2 and mark <> 'opted_out'`,
        parameters: [botId, chatId],
      };
    }
  }
  for (const { botId, facts } of entries) {
    if (facts.pin) yield* applyPin(botId, facts.pin, nowMs);
    if (facts.migration) yield* applyMove(dialect, { botId, ...facts.migration }, nowMs);
    if (facts.deleted) yield* markDeleted(botId, facts.deleted, nowMs);
  }
}

type ChatOfBot = { bot_id: number; chat_id: number };

/**
 * Compares by the order in which chats are locked; `touchChats` and the statements above use it,
 * too.
 */
function compareChats(a: ChatOfBot, b: ChatOfBot): number {
  return a.bot_id - b.bot_id || a.chat_id - b.chat_id;
}

function byChat<Row extends ChatOfBot>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows.values()].sort(compareChats);
}

/**
 * Locks chats beforehand. Counts, the bot's own status and moves change chats after other rows were
 * locked. If one of them changes a chat that is not stored anyway, all chats are locked first.
 */
function* lockChats(
  stored: ReadonlyMap<string, ChatOfBot>,
  later: readonly ChatOfBot[],
): Step<void> {
  const all = new Map<string, ChatOfBot>(stored);
  for (const { bot_id, chat_id } of later) all.set(`${bot_id} ${chat_id}`, { bot_id, chat_id });
  if (all.size === stored.size || all.size < 2) return;
  const keys = byChat(all);
  yield {
    sql: `select 1 from unnest($1::bigint[], $2::bigint[])
        with ordinality as k (bot_id, chat_id, place) join chats c using (bot_id, chat_id)
      order by k.place for no key update of c`,
    parameters: binaryArrays({ bot_id: 'bigint', chat_id: 'bigint' }, keys),
    isForEffect: true,
  };
}

function chatsOfMove(botId: number, { migration }: ArchiveFacts): ChatOfBot[] {
  return migration ? [{ bot_id: botId, chat_id: migration.fromChatId }] : [];
}

function newestDate(facts: ArchiveFacts): number {
  return facts.messages.reduce((newest, message) => Math.max(newest, message.date), 0) * 1000;
}

function messageRow(
  { botId, origin, position, author }: Omit<ArchiveEntry, 'facts'>,
  fact: MessageFact,
): MessageToStore {
  return {
    bot_id: botId,
    chat_id: fact.chatId,
    id: fact.id === 'from-position' ? -position : fact.id,
    user_id: fact.userId,
    username: fact.username,
    first_name: fact.firstName,
    last_name: fact.lastName,
    text: fact.text,
    date: fact.date,
    media_type: fact.mediaType,
    file_id: fact.fileId,
    reply_to_message_id: fact.replyToMessageId,
    origin,
    edited_at: fact.editedAt,
    media_group_id: fact.mediaGroupId,
    thread_id: fact.threadId,
    extra: fact.extra,
    author: packAuthor(author),
    position: position > 0 ? position : null,
  };
}

function chatRow(botId: number, chat: ChatFact, lastMessageAt: number, nowMs: number) {
  return {
    bot_id: botId,
    chat_id: chat.chatId,
    type: chat.type,
    title: chat.title,
    username: chat.username,
    last_message_at: lastMessageAt,
    updated_at: nowMs,
  };
}

function personRow(person: PersonFact, nowMs: number) {
  return {
    user_id: person.userId,
    username: person.username,
    first_name: person.firstName,
    last_name: person.lastName,
    is_bot: person.isBot ? 1 : 0,
    language_code: person.languageCode,
    seen_at: nowMs,
  };
}

function memberRow(botId: number, chatId: number, userId: number, status: string, nowMs: number) {
  return { bot_id: botId, chat_id: chatId, user_id: userId, status, updated_at: nowMs };
}
