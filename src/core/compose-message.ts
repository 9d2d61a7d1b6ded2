/*
 * What is sent so that a message of one bot appears through another: the same content by value,
 * never by message id, because ids of private chats are per bot and would name another message.
 */
import { integer, object, text, type Wire } from './message-facts.ts';

/** A file of the source bot, to be handed over when the message is sent. */
export interface FileRef {
  $file: { file_id: string; name: string; kind: string; size: number };
}

export interface ComposedCall {
  method: string;
  params: Record<string, unknown>;
}

export interface ComposeOptions {
  targetChatId: number;
  /** Of a business account in whose name it is sent. */
  connection?: string | undefined;
  /** A line that says who said it and where; undefined repeats the content alone. */
  header?: string | undefined;
  replyToMessageId?: number | undefined;
}

const textLimit = 4096;
const captionLimit = 1024;

/** The method and field of each kind of media, and whether it has a caption. */
const media: Record<string, { method: string; caption: boolean; keep?: string[] }> = {
  animation: { method: 'sendAnimation', caption: true },
  photo: { method: 'sendPhoto', caption: true },
  video: { method: 'sendVideo', caption: true, keep: ['duration', 'width', 'height'] },
  audio: { method: 'sendAudio', caption: true, keep: ['duration', 'performer', 'title'] },
  document: { method: 'sendDocument', caption: true },
  voice: { method: 'sendVoice', caption: true, keep: ['duration'] },
  video_note: { method: 'sendVideoNote', caption: false, keep: ['duration', 'length'] },
  sticker: { method: 'sendSticker', caption: false },
};

const albumKinds = new Set(['photo', 'video', 'audio', 'document']);

/** The calls that carry a message over, in order; undefined when its kind cannot be carried. */
export function composeMessage(message: Wire, options: ComposeOptions): ComposedCall[] | undefined {
  const content = contentOf(message);
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
  // No room, or no caption at all: the line goes ahead as a message of its own.
  return [
    { method: 'sendMessage', params: { ...base, ...headerText(options.header) } },
    {
      method: content.method,
      params: { ...baseParams(withoutReply(options)), ...content.params },
    },
  ];
}

/** People with a subscription write longer captions than bots may: then the text follows. */
function captionBehind(content: Content, options: ComposeOptions): ComposedCall[] {
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

/** An album as an album; undefined when a part cannot be in one. */
export function composeAlbum(
  messages: readonly Wire[],
  options: ComposeOptions,
): ComposedCall[] | undefined {
  const parts: Record<string, unknown>[] = [];
  for (const message of messages) {
    const kind = Object.keys(media).find((name) => message[name] !== undefined);
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

/** The change of a message that was carried over before; undefined when it has no text to change. */
export function composeEdit(message: Wire, options: ComposeOptions): ComposedCall | undefined {
  // Where there is no room for the line, the message follows it.
  const call = composeMessage(message, options)?.at(-1);
  if (!call) return undefined;
  const { text: newText, entities, caption, caption_entities } = call.params;
  const base = baseParams(withoutReply(options));
  if (call.method === 'sendMessage') {
    return { method: 'editMessageText', params: { ...base, text: newText, entities } };
  }
  const kind = Object.keys(media).find((name) => message[name] !== undefined);
  if (!kind || media[kind]?.caption !== true) return undefined;
  return { method: 'editMessageCaption', params: { ...base, caption, caption_entities } };
}

function baseParams(options: ComposeOptions): Record<string, unknown> {
  const reply = options.replyToMessageId;
  return {
    ...(options.connection ? { business_connection_id: options.connection } : {}),
    chat_id: options.targetChatId,
    ...(reply === undefined
      ? {}
      : { reply_parameters: { message_id: reply, allow_sending_without_reply: true } }),
  };
}

function withoutReply({ targetChatId, connection }: ComposeOptions): ComposeOptions {
  return { targetChatId, connection };
}

function headerText(header: string) {
  return { text: header, entities: [{ type: 'bold', offset: 0, length: header.length }] };
}

interface Content extends ComposedCall {
  textField?: 'text' | 'caption';
}

function contentOf(message: Wire): Content | undefined {
  if (typeof message.text === 'string') {
    return {
      method: 'sendMessage',
      params: { text: text(message.text), entities: message.entities ?? [] },
      textField: 'text',
    };
  }
  for (const [kind, { method, caption, keep = [] }] of Object.entries(media)) {
    const source = message[kind];
    if (source === undefined) continue;
    const file = fileRef(source, kind);
    if (!file) return undefined;
    const details = object(source) ?? {};
    const params: Record<string, unknown> = { [kind]: file };
    for (const name of keep) if (details[name] !== undefined) params[name] = details[name];
    if (message.has_media_spoiler === true) params.has_spoiler = true;
    if (!caption) return { method, params };
    params.caption = text(message.caption);
    params.caption_entities = message.caption_entities ?? [];
    return { method, params, textField: 'caption' };
  }
  return otherContent(message);
}

function otherContent(message: Wire): Content | undefined {
  const venue = object(message.venue);
  if (venue) {
    const { latitude, longitude } = object(venue.location) ?? {};
    const { title, address } = venue;
    return { method: 'sendVenue', params: { latitude, longitude, title, address } };
  }
  const location = object(message.location);
  if (location) {
    const { latitude, longitude } = location;
    return { method: 'sendLocation', params: { latitude, longitude } };
  }
  const contact = object(message.contact);
  if (contact) {
    const { phone_number, first_name, last_name, vcard } = contact;
    return { method: 'sendContact', params: { phone_number, first_name, last_name, vcard } };
  }
  const poll = object(message.poll);
  if (poll) {
    const options = Array.isArray(poll.options) ? poll.options : [];
    return {
      method: 'sendPoll',
      params: {
        question: poll.question,
        options: options.map((option) => ({ text: text(object(option)?.text) })),
        is_anonymous: poll.is_anonymous,
        allows_multiple_answers: poll.allows_multiple_answers,
      },
    };
  }
  const dice = object(message.dice);
  if (dice) {
    // Rolling again would show another number.
    const shown = `${text(dice.emoji)} ${integer(dice.value) ?? ''}`.trim();
    return { method: 'sendMessage', params: { text: shown, entities: [] }, textField: 'text' };
  }
  return undefined;
}

function fileRef(source: unknown, kind: string): FileRef | undefined {
  const sizes = Array.isArray(source) ? source : [source];
  const largest = sizes
    .map(object)
    .reduce<Wire | undefined>(
      (best, size) => (size && area(size) >= area(best) ? size : best),
      undefined,
    );
  const fileId = text(largest?.file_id);
  if (fileId === '') return undefined;
  return {
    $file: {
      file_id: fileId,
      name: text(largest?.file_name) || `${kind}${extension(kind, largest)}`,
      kind,
      size: integer(largest?.file_size) ?? 0,
    },
  };
}

function extension(kind: string, file: Wire | undefined): string {
  if (kind === 'photo') return '.jpg';
  if (kind === 'voice') return '.ogg';
  if (kind === 'sticker') {
    if (file?.is_animated === true) return '.tgs';
    return file?.is_video === true ? '.webm' : '.webp';
  }
  if (kind === 'document') return '';
  return kind === 'audio' ? '.mp3' : '.mp4';
}

function area(size: Wire | undefined): number {
  return size ? (integer(size.width) ?? 0) * (integer(size.height) ?? 0) : -1;
}

function shifted(entities: unknown, by: number): unknown[] {
  if (!Array.isArray(entities)) return [];
  return entities.map((entity: unknown) => {
    const known = object(entity);
    return known ? { ...known, offset: (integer(known.offset) ?? 0) + by } : entity;
  });
}

/** Who said it, and where when that was not in private. */
export function headerOf(message: Wire): string {
  const from = object(message.from);
  const chat = object(message.chat);
  const senderChat = object(message.sender_chat);
  const name =
    [text(from?.first_name), text(from?.last_name)].filter(Boolean).join(' ') ||
    text(senderChat?.title) ||
    'Someone';
  const username = text(from?.username);
  const place = chat?.type === 'private' ? '' : text(chat?.title);
  return `${name}${username ? ` (@${username})` : ''}${place && place !== name ? ` · ${place}` : ''}:`;
}
