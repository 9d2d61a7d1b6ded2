import { type FilterFacts, PayloadFacts } from '../apps/filter-facts.ts';
import type { ArchiveFacts, MessageFact } from '../messages/archive-facts.ts';
import { archivedId } from '../messages/business-messages.ts';
import { turnOf, turnOfPress } from '../messages/turns.ts';
import { pressedText } from '../messages/message-buttons.ts';
import {
  addGuestFacts,
  addMessageFacts,
  chatFact,
  connectionOf,
  emptyFacts,
  personFact,
} from '../messages/message-facts.ts';
import { repliedIn, topicOf } from '../messages/topics.ts';
import { integer, object, text, type Wire } from './wire.ts';
import { updateKinds } from './update-kinds.ts';

/** An update before it is appended to the log. */
export interface IncomingUpdate {
  updateId: number;
  kind: string;
  /** The key whose updates are pushed in order: the chat, the user of a query, or a guest query. */
  queue: string;
  /** Exactly as received. */
  raw: string;
  archive: ArchiveFacts;
  /** The facts that filters of apps test. */
  facts: FilterFacts;
  /** The message that it replies to, or whose button was pressed, if the bot may have sent it. */
  repliesTo: MessageOfChat | undefined;
}

/** IDs as the archive has them. */
export interface MessageOfChat {
  chatId: number;
  messageId: number;
}

const archivedMessages = new Set([
  'message',
  'edited_message',
  'channel_post',
  'edited_channel_post',
  'business_message',
  'edited_business_message',
]);
const knownKinds = new Set<string>(updateKinds);

/** Undefined if the JSON is no update. `receivedAt` is in milliseconds. */
export function readUpdate(
  raw: string,
  parsed: unknown,
  receivedAt: number,
): IncomingUpdate | undefined {
  const update = object(parsed);
  const updateId = update && integer(update.update_id);
  // An update_id must be at least 1: clients confirm with the ID + 1, and negative offsets count
  // from the end.
  if (!update || updateId === undefined || updateId < 1) return undefined;
  const kind = kindOf(update);
  const payload = object(update[kind]) ?? {};
  return {
    updateId,
    kind,
    queue: queueOf(kind, payload),
    raw,
    archive: archiveOf(kind, payload, receivedAt),
    facts: new PayloadFacts(kind, payload),
    repliesTo: repliedMessage(kind, payload),
  };
}

function repliedMessage(kind: string, payload: Wire): MessageOfChat | undefined {
  const isPress = kind === 'callback_query';
  if (!isPress && !archivedMessages.has(kind)) return undefined;
  const message = isPress ? object(payload.message) : repliedIn(payload);
  if (!message) return undefined;
  // Only messages that the bot may have sent count. The sender is unknown for messages that
  // Telegram no longer shows, and for channel posts.
  const from = object(message.from);
  if (from && from.is_bot !== true && message.sender_business_bot === undefined) return undefined;
  const about = isPress ? message : payload;
  const chatId = integer(object(about.chat)?.id);
  // Ephemeral messages have no message ID.
  const messageId = integer(message.message_id) || undefined;
  if (chatId === undefined || messageId === undefined) return undefined;
  return { chatId, messageId: archivedId(connectionOf(about), messageId) };
}

/** A kind newer than this version is still stored under its own name. */
function kindOf(update: Wire): string {
  let unknown = '';
  for (const name in update) {
    if (knownKinds.has(name)) return name;
    if (name !== 'update_id' && unknown === '') unknown = name;
  }
  return unknown || 'unknown';
}

function queueOf(kind: string, payload: Wire): string {
  if (kind === 'callback_query') return userQueue(payload);
  // The bot is no member of this chat, whose ID may equal that of one of the bot's own chats.
  if (kind === 'guest_message') return `g${text(payload.guest_query_id)}`;
  const chat = object(payload.chat) ?? object(object(payload.message)?.chat);
  const chatId = chat && integer(chat.id);
  if (chatId === undefined) return userQueue(payload);
  // In the chat's queue it would wait for the message whose generation it should stop.
  return kind === 'stopped_message_generation' ? urgentQueue(chatId) : `c${chatId}`;
}

/** The queue of a chat for what must overtake the others. */
export const urgentQueue = (chatId: number | string): string => `s${chatId}`;
export const isUrgentQueue = (queue: string): boolean => queue.startsWith('s');

function userQueue(payload: Wire): string {
  const user = object(payload.from) ?? object(payload.user);
  const userId = user && integer(user.id);
  // Updates with neither chat nor user (polls, say) share one queue.
  return userId === undefined ? 'other' : `u${userId}`;
}

function archiveOf(kind: string, payload: Wire, receivedAt: number): ArchiveFacts {
  const facts = emptyFacts();
  if (archivedMessages.has(kind)) {
    addMessageFacts(facts, payload);
    const [fact] = facts.messages;
    const turn = fact && turnOf(payload, fact);
    if (turn) facts.turn = turn;
  } else if (kind === 'guest_message') addGuestFacts(facts, payload);
  else if (kind === 'callback_query') addCallbackFacts(facts, payload, receivedAt);
  else if (kind === 'my_chat_member' || kind === 'chat_member') {
    addMembershipFacts(facts, payload, kind === 'my_chat_member');
  } else if (kind === 'deleted_business_messages') {
    addDeletions(facts, payload);
  } else {
    const person = personFact(payload.from ?? payload.user);
    if (person) facts.people.push(person);
  }
  return facts;
}

function addCallbackFacts(facts: ArchiveFacts, query: Wire, receivedAt: number): void {
  const label = pressedText(query);
  const person = personFact(query.from);
  if (person) facts.people.push(person);
  const message = object(query.message);
  const chat = chatFact(message?.chat);
  if (!message || !chat) return;
  facts.chats.push(chat);
  const press: MessageFact = {
    chatId: chat.chatId,
    id: 'from-position',
    userId: person?.userId ?? 0,
    username: person?.username ?? '',
    firstName: person?.firstName ?? '',
    lastName: person?.lastName ?? '',
    text: text(query.data) || text(query.game_short_name),
    date: Math.floor(receivedAt / 1000),
    mediaType: 'callback',
    fileId: null,
    // A press under an ephemeral message has no message in the archive to refer to.
    replyToMessageId: integer(message.message_id) || null,
    mediaGroupId: null,
    editedAt: null,
    threadId: topicOf(message) ?? null,
    extra: label === undefined ? null : JSON.stringify({ button_text: label }),
  };
  facts.messages.push(press);
  const turn = turnOfPress(press, label);
  if (turn) facts.turn = turn;
}

function addDeletions(facts: ArchiveFacts, deletion: Wire): void {
  const chatId = integer(object(deletion.chat)?.id);
  if (chatId === undefined || !Array.isArray(deletion.message_ids)) return;
  const connection = connectionOf(deletion);
  const messageIds = deletion.message_ids
    .map(integer)
    .filter((id) => id !== undefined)
    .map((id) => archivedId(connection, id));
  facts.deleted = { chatId, messageIds };
}

function addMembershipFacts(facts: ArchiveFacts, change: Wire, isSelf: boolean): void {
  const chat = chatFact(change.chat);
  const member = object(change.new_chat_member);
  const person = personFact(member?.user);
  if (!chat || !member || !person) return;
  facts.chats.push(chat);
  facts.people.push(person);
  const actor = personFact(change.from);
  if (actor) facts.people.push(actor);
  facts.memberships.push({
    chatId: chat.chatId,
    userId: person.userId,
    status: text(member.status),
    isSelf,
  });
}
