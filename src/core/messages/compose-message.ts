/*
 * Builds the calls that send a message of one bot through another. The content is copied by value,
 * never by message ID, because IDs of private chats are per bot and would name another message.
 */
import { type ComposedCall, type SendCall, callFor, fileRef, sendableMedia } from './send-call.ts';
import { integer, object, text, type Wire } from '../log/wire.ts';
import { topicParam } from './topics.ts';

export interface ComposeOptions {
  targetChatId: number;
  /** The business account on whose behalf it is sent. */
  connection?: string | undefined;
  /** A line that names the sender and the chat; undefined copies the content alone. */
  header?: string | undefined;
  /** The topic; 0 or nothing for none. */
  threadId?: number | undefined;
  replyToMessageId?: number | undefined;
}

const textLimit = 4096;
const captionLimit = 1024;

const albumKinds = new Set(['photo', 'video', 'audio', 'document']);
const replaceable = new Set([...albumKinds, 'animation']);

/** Returns the calls that send the same message elsewhere, in order; undefined if its kind cannot be sent. */
export function composeMessage(message: Wire, options: ComposeOptions): ComposedCall[] | undefined {
  const content = callFor(message);
  if (!content) return undefined;
  const base = baseParams(options);
  if (content.textField === 'caption' && text(content.params.caption).length > captionLimit) {
    return captionBehind(content, options);
  }
  if (options.header === undefined)
    return [{ method: content.method, params: { ...base, ...content.params } }];
  const room = content.textField === 'text' ? textLimit : captionLimit;
  if (content.textField) {
    const { textField } = content;
    const entitiesField = textField === 'text' ? 'entities' : 'caption_entities';
    const own = text(content.params[textField]);
    const prefix = own === '' ? options.header : `${options.header}\n`;
    if (prefix.length + own.length <= room) {
      const entities = [
        { type: 'bold', offset: 0, length: options.header.length },
        ...shifted(content.params[entitiesField], prefix.length),
      ];
      const params = {
        ...base,
        ...content.params,
        [textField]: prefix + own,
        [entitiesField]: entities,
      };
      return [{ method: content.method, params }];
    }
  }
  // Without a caption, or without room in it, the line goes first as a separate message.
  return [
    { method: 'sendMessage', params: { ...base, ...headerText(options.header) } },
    {
      method: content.method,
      params: { ...baseParams(withoutReply(options)), ...content.params },
    },
  ];
}

/** People with Telegram Premium write longer captions than bots may: then the text follows as a message. */
function captionBehind(content: SendCall, options: ComposeOptions): ComposedCall[] {
  const { caption, caption_entities: entities, ...rest } = content.params;
  const line = options.header === undefined ? undefined : headerText(options.header);
  const shown = line ? { caption: line.text, caption_entities: line.entities } : {};
  return [
    { method: content.method, params: { ...baseParams(options), ...rest, ...shown } },
    {
      method: 'sendMessage',
      params: { ...baseParams(withoutReply(options)), text: caption, entities },
    },
  ];
}

/** Sends an album as an album; undefined if a part cannot be in one. */
export function composeAlbum(
  messages: readonly Wire[],
  options: ComposeOptions,
): ComposedCall[] | undefined {
  const parts: Record<string, unknown>[] = [];
  for (const message of messages) {
    const kind = Object.keys(sendableMedia).find((name) => message[name] !== undefined);
    const file = kind && albumKinds.has(kind) ? fileRef(message[kind], kind) : undefined;
    if (!kind || !file) return undefined;
    parts.push({
      type: kind,
      media: file,
      ...(text(message.caption) === '' ? {} : { caption: text(message.caption) }),
      ...(Array.isArray(message.caption_entities)
        ? { caption_entities: message.caption_entities }
        : {}),
      ...(message.has_media_spoiler === true ? { has_spoiler: true } : {}),
    });
  }
  const album = { method: 'sendMediaGroup', params: { ...baseParams(options), media: parts } };
  if (options.header === undefined) return [album];
  const [first] = parts;
  const own = text(first?.caption);
  const prefix = own === '' ? options.header : `${options.header}\n`;
  if (first && prefix.length + own.length <= captionLimit) {
    first.caption = prefix + own;
    first.caption_entities = [
      { type: 'bold', offset: 0, length: options.header.length },
      ...shifted(first.caption_entities, prefix.length),
    ];
    return [album];
  }
  return [
    { method: 'sendMessage', params: { ...baseParams(options), ...headerText(options.header) } },
    album,
  ];
}

/** Builds the edit of a message that was routed before; undefined if it has no text to change. */
export function composeEdit(
  message: Wire,
  options: ComposeOptions,
  hasNewMedia = false,
): ComposedCall | undefined {
  // If the line was sent as a message before, the last call has the content.
  const call = composeMessage(message, options)?.at(-1);
  if (!call) return undefined;
  const { text: newText, entities, caption, caption_entities } = call.params;
  const base = baseParams(withoutReply(options));
  if (call.method === 'sendMessage') {
    return { method: 'editMessageText', params: { ...base, text: newText, entities } };
  }
  const kind = Object.keys(sendableMedia).find((name) => message[name] !== undefined);
  if (!kind || sendableMedia[kind]?.caption !== true) return undefined;
  if (hasNewMedia && replaceable.has(kind)) {
    const media = { type: kind, media: call.params[kind], caption, caption_entities };
    return { method: 'editMessageMedia', params: { ...base, media } };
  }
  return { method: 'editMessageCaption', params: { ...base, caption, caption_entities } };
}

/** A message that shows an edit, where the message itself is not edited; undefined if it has no text. */
export function composeEditLine(message: Wire, options: ComposeOptions): ComposedCall | undefined {
  const isText = message.text !== undefined;
  const own = text(isText ? message.text : message.caption);
  if (own === '') return undefined;
  const line = editLine(own, isText ? message.entities : message.caption_entities);
  return { method: 'sendMessage', params: { ...baseParams(options), ...line } };
}

const editMark = '✏️ ';

/** Returns a text, with its entities, as the line that shows an edit. */
export function editLine(own: string, entities: unknown) {
  const shown = `${editMark}${own}`.slice(0, textLimit).toWellFormed();
  const kept = shifted(entities, editMark.length).filter((entity) => {
    const { offset, length } = object(entity) ?? {};
    return (integer(offset) ?? 0) + (integer(length) ?? 0) <= shown.length;
  });
  return { text: shown, entities: kept };
}

function baseParams(options: ComposeOptions): Record<string, unknown> {
  const reply = options.replyToMessageId;
  return {
    ...(options.connection ? { business_connection_id: options.connection } : {}),
    chat_id: options.targetChatId,
    ...topicParam(options.threadId ?? 0),
    ...(reply === undefined
      ? {}
      : { reply_parameters: { message_id: reply, allow_sending_without_reply: true } }),
  };
}

function withoutReply({ targetChatId, connection, threadId }: ComposeOptions): ComposeOptions {
  return { targetChatId, connection, threadId };
}

function headerText(header: string) {
  return { text: header, entities: [{ type: 'bold', offset: 0, length: header.length }] };
}

/** Moves entities behind what was put before their text. */
export function shifted(entities: unknown, by: number): unknown[] {
  if (!Array.isArray(entities)) return [];
  return entities.map((entity: unknown) => {
    const known = object(entity);
    return known ? { ...known, offset: (integer(known.offset) ?? 0) + by } : entity;
  });
}

/** Names the sender, and the chat unless it is private. */
export function headerOf(message: Wire): string {
  const chat = object(message.chat);
  const senderChat = object(message.sender_chat);
  // A message sent as a group or channel has a placeholder bot of Telegram as its sender.
  const from = senderChat ? undefined : object(message.from);
  const name =
    [text(from?.first_name), text(from?.last_name)].filter(Boolean).join(' ') ||
    text(senderChat?.title) ||
    'Someone';
  const also = text(from?.username) ? `@${text(from?.username)}` : text(message.author_signature);
  const chatTitle = chat?.type === 'private' ? '' : text(chat?.title);
  const where = chatTitle && chatTitle !== name ? ` · ${isolated(chatTitle)}` : '';
  return `${isolated(name)}${also ? ` (${isolated(also)})` : ''}${where}:`;
}

const rightToLeft = /[\u0590-\u08ff\u200f\u202a-\u202e\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Puts a right-to-left name between FSI and PDI, so that it does not reorder the words around it. */
function isolated(name: string): string {
  return rightToLeft.test(name) ? `\u2068${name}\u2069` : name;
}
