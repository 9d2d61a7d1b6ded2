import { archivedId } from './business-messages.ts';
import type { ArchiveFacts, ChatFact, MessageFact, PersonFact, PinFact } from './archive-facts.ts';
import { serviceContent, richWords } from './message-content.ts';
import { repliedIn, topicFacts, topicOf } from './topics.ts';
import { toLine } from '../people/plain-text.ts';
import { integer, list, object, text, type Wire } from '../log/wire.ts';

const mediaTypes = [
  'animation',
  'photo',
  'video',
  'sticker',
  'voice',
  'audio',
  'video_note',
  'document',
] as const;

export function emptyFacts(): ArchiveFacts {
  return { messages: [], chats: [], people: [], memberships: [], migration: null };
}

/** Collects the facts of a message, whether it was received or is the response to a send. */
export function addMessageFacts(facts: ArchiveFacts, message: Wire): void {
  const chat = chatFact(message.chat);
  const id = integer(message.message_id);
  if (!chat || id === undefined) return;
  facts.chats.push(chat);
  const sender = personFact(message.from);
  if (sender) facts.people.push(sender);
  for (const joined of list(message.new_chat_members)) {
    const person = personFact(joined);
    if (!person) continue;
    facts.people.push(person);
    facts.memberships.push({
      chatId: chat.chatId,
      userId: person.userId,
      status: 'member',
      isSelf: false,
    });
  }
  const left = personFact(message.left_chat_member);
  if (left) {
    facts.people.push(left);
    facts.memberships.push({
      chatId: chat.chatId,
      userId: left.userId,
      status: 'left',
      isSelf: false,
    });
  }
  const movedTo = integer(message.migrate_to_chat_id);
  if (movedTo !== undefined) facts.migration = { fromChatId: chat.chatId, toChatId: movedTo };
  const movedFrom = integer(message.migrate_from_chat_id);
  if (movedFrom !== undefined) facts.migration = { fromChatId: movedFrom, toChatId: chat.chatId };
  const pin = pinFact(message, chat.chatId);
  if (pin) facts.pin = pin;
  // Ephemeral messages are shown to one person for a while and have separate IDs: they are only in
  // the log.
  if (message.ephemeral_message_id !== undefined) return;
  const fact = messageFact(message, chat.chatId, id, sender);
  facts.messages.push(fact);
  if (fact.threadId === null) return;
  const topics = topicFacts(message, chat.chatId, fact.threadId);
  if (topics.length > 0) facts.topics = [...(facts.topics ?? []), ...topics];
}

/** Adds a message in which the bot was mentioned as a guest: its chat is not one of the bot's chats. */
export function addGuestFacts(facts: ArchiveFacts, message: Wire): void {
  const chat = chatFact(message.chat);
  const id = integer(message.message_id);
  const sender = personFact(message.from);
  if (sender) facts.people.push(sender);
  if (chat && id !== undefined) facts.guest = messageFact(message, chat.chatId, id, sender);
}

function pinFact(message: Wire, chatId: number): PinFact | undefined {
  const pinned = object(message.pinned_message);
  const id = integer(pinned?.message_id);
  if (!pinned || id === undefined) return undefined;
  const pin = {
    chatId,
    messageId: archivedId(connectionOf(message), id),
    isPinned: true,
    announcedAt: integer(message.date) ?? 0,
  };
  // A message that Telegram no longer shows has no date.
  if (!integer(pinned.date)) return pin;
  const { business_connection_id } = message;
  const whole =
    business_connection_id === undefined ? pinned : { ...pinned, business_connection_id };
  return { ...pin, message: messageFact(whole, chatId, id, personFact(pinned.from)) };
}

function messageFact(
  message: Wire,
  chatId: number,
  id: number,
  sender: PersonFact | undefined,
): MessageFact {
  const media = mediaTypes.find((type) => message[type] !== undefined) ?? null;
  const file = media === null ? undefined : mediaFile(message[media]);
  const replyTo = integer(repliedIn(message)?.message_id);
  const connection = connectionOf(message);
  return {
    chatId,
    id: archivedId(connection, id),
    userId: sender?.userId ?? 0,
    username: sender?.username ?? '',
    firstName: sender?.firstName ?? '',
    lastName: sender?.lastName ?? '',
    text: text(message.text) || text(message.caption) || richWords(message.rich_message),
    date: integer(message.date) ?? 0,
    mediaType: media,
    fileId: file ? text(file.file_id) || null : null,
    replyToMessageId: replyTo === undefined ? null : archivedId(connection, replyTo),
    mediaGroupId: text(message.media_group_id) || null,
    editedAt: integer(message.edit_date) ?? null,
    threadId: topicOf(message) ?? null,
    extra: extraOf(message, file),
  };
}

/** Returns the largest size of a photo, or the file itself for any other media. */
function mediaFile(media: unknown): Wire | undefined {
  if (!Array.isArray(media)) return object(media);
  let largest: Wire | undefined;
  let largestArea = -1;
  for (const size of media) {
    const candidate = object(size);
    if (!candidate) continue;
    const area = (integer(candidate.width) ?? 0) * (integer(candidate.height) ?? 0);
    if (area > largestArea) {
      largest = candidate;
      largestArea = area;
    }
  }
  return largest;
}

function extraOf(message: Wire, file: Wire | undefined): string | null {
  const extra: Wire = {};
  if (message.business_connection_id !== undefined) {
    extra.business_connection_id = connectionOf(message);
    extra.message_id = message.message_id;
  }
  const entities = message.entities ?? message.caption_entities;
  if (Array.isArray(entities) && entities.length > 0) extra.entities = entities;
  for (const name of [
    'file_name',
    'mime_type',
    'file_size',
    'width',
    'height',
    'duration',
    'emoji',
  ]) {
    if (file?.[name] !== undefined) extra[name] = file[name];
  }
  if (message.forward_origin !== undefined) extra.forward_origin = message.forward_origin;
  if (message.message_thread_id !== undefined) extra.thread_id = message.message_thread_id;
  const keyboard = object(message.reply_markup)?.inline_keyboard;
  if (keyboard !== undefined) extra.inline_keyboard = keyboard;
  const senderChat = chatFact(message.sender_chat);
  if (senderChat) extra.sender_chat = { id: senderChat.chatId, title: senderChat.title };
  const content = serviceContent(message);
  if (content) {
    const { type, ...about } = content;
    extra.content = type;
    if (Object.keys(about).length > 0) extra.about = about;
  }
  return Object.keys(extra).length === 0 ? null : JSON.stringify(extra);
}

/** The connection to a business account that a message belongs to; '' in the bot's own chats. */
export function connectionOf(message: Wire): string {
  return message.business_connection_id === undefined ? '' : text(message.business_connection_id);
}

export function chatFact(value: unknown): ChatFact | undefined {
  const chat = object(value);
  const chatId = chat && integer(chat.id);
  if (!chat || chatId === undefined) return undefined;
  const name = [text(chat.first_name), text(chat.last_name)].filter(Boolean).join(' ');
  return {
    chatId,
    type: text(chat.type),
    title: text(chat.title) || name,
    username: text(chat.username),
  };
}

export function personFact(value: unknown): PersonFact | undefined {
  const person = object(value);
  const userId = person && integer(person.id);
  if (!person || userId === undefined) return undefined;
  return {
    userId,
    username: text(person.username),
    firstName: text(person.first_name),
    lastName: text(person.last_name),
    isBot: person.is_bot === true,
    languageCode: text(person.language_code),
  };
}

/** The name of a person as one line: their own, or else their username. */
export function personName(value: unknown): string {
  const { firstName = '', lastName = '', username = '' } = personFact(value) ?? {};
  return toLine([firstName, lastName].join(' ')) || (username === '' ? '' : `@${username}`);
}
