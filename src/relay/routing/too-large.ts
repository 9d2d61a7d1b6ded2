/*
 * Handles files that the platform does not let a bot fetch (above 20 MB at Telegram's own servers).
 * If the target bot may see the message, the platform copies it; otherwise its text is sent with a
 * note about what is missing.
 */
import { packReason } from '../../core/reasons/stored.ts';
import { reason } from '../../core/reasons/reason.ts';
import { type MessageFact, messageOfBot } from '../../core/messages/archive-facts.ts';
import type { FileRef } from '../../core/messages/send-call.ts';
import { integer, object, text, type Wire } from '../../core/log/wire.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { PreparedCall } from '../outbox/preparation.ts';
import type { RoutedMessageContext } from './build-routed-send.ts';

type Params = Record<string, unknown>;

const textLimit = 4096;
const captionLimit = 1024;
/**
 * Chat IDs at or below this are supergroups and channels: only there a message ID means the same to
 * every bot.
 */
const highestShared = -1_000_000_000_000;

const methods: Record<string, string> = {
  photo: 'sendPhoto',
  video: 'sendVideo',
  audio: 'sendAudio',
  document: 'sendDocument',
};

export function isFileRef(value: unknown): value is FileRef {
  return object(object(value)?.$file) !== undefined;
}

export function refsIn(params: Params): FileRef[] {
  return [...Object.values(params), ...albumItems(params).map((part) => part.media)].filter(
    isFileRef,
  );
}

/** Returns the items of an album; a replaced file counts as one item. */
function albumItems({ media }: Params): Wire[] {
  if (Array.isArray(media)) return media as Wire[];
  const part = object(media);
  return part ? [part] : [];
}

/** Returns the remaining part of an edit whose new file cannot be fetched. */
export function captionInstead(params: Params, connectionAndChat: Params): PreparedCall {
  const [part = {}] = albumItems(params);
  const line = refsIn(params).map(lineOf).join('\n');
  return {
    method: 'editMessageCaption',
    params: { ...connectionAndChat, ...captionOf(withLine(part, line)) },
    note: packReason(reason('file_not_replaced')),
  };
}

/**
 * Lets the platform copy the message; undefined if the other bot may know another message by its
 * ID.
 */
export function copyInstead(
  params: Params,
  context: RoutedMessageContext,
  target: BotRecord,
  now: () => number,
): PreparedCall | undefined {
  const isShared = context.sourceChatId <= highestShared && !context.sourceConnection;
  if (!isShared || params.business_connection_id !== undefined) return undefined;
  const { caption, caption_entities, reply_parameters } = params;
  const base = { ...placeOf(params), from_chat_id: context.sourceChatId };
  const archived = (result: unknown) => copiesOf(result, params, target, now());
  if (albumItems(params).length > 0) {
    // An album can only be copied as it is; if it is forwarded, it shows its origin.
    const method = context.style === 'forward' ? 'forwardMessages' : 'copyMessages';
    return { method, params: { ...base, message_ids: context.sourceMessageIds }, archived };
  }
  const shown = caption === undefined ? {} : { caption, caption_entities };
  const message_id = context.sourceMessageIds[0];
  return {
    method: 'copyMessage',
    params: { ...base, message_id, ...shown, reply_parameters },
    archived,
  };
}

/** The platform's answer to a copy contains only IDs. */
function copiesOf(result: unknown, params: Params, bot: BotRecord, nowMs: number): MessageFact[] {
  const parts = albumItems(params);
  const items: unknown[] = Array.isArray(result) ? result : [result];
  return items.flatMap((item, index): MessageFact[] => {
    const id = integer(object(item)?.message_id);
    const chatId = integer(params.chat_id);
    if (id === undefined || chatId === undefined) return [];
    const kind = text(parts[index]?.type) || refsIn(params)[0]?.$file.kind;
    const copy = messageOfBot(bot, {
      chatId,
      id,
      text: text((parts[index] ?? params).caption),
      date: Math.floor(nowMs / 1000),
      mediaType: kind ?? null,
      threadId: integer(params.message_thread_id) ?? null,
      replyToMessageId: integer(object(params.reply_parameters)?.message_id) ?? null,
    });
    return [copy];
  });
}

/** Sends what can be sent, with a line that names what is missing. */
export function textInstead(
  call: { method: string; params: Params },
  context: RoutedMessageContext,
  tooLarge: ReadonlySet<string>,
): PreparedCall {
  const { method, params } = call;
  const missing = refsIn(params).filter((ref) => tooLarge.has(ref.$file.file_id));
  const line = missing.map(lineOf).join('\n');
  const note = packReason(reason('sent_without_files', { files: missing.length }));
  const parts = albumItems(params);
  if (parts.length === 0) {
    return { note, ...asText(params, params, line), context };
  }
  const sendable = parts.flatMap((part, index) => {
    const isSendable = isFileRef(part.media) && !tooLarge.has(part.media.$file.file_id);
    return isSendable ? [{ part, sourceId: context.sourceMessageIds[index] ?? 0 }] : [];
  });
  const [first] = sendable;
  if (!first) {
    const captioned = parts.find((part) => text(part.caption) !== '') ?? {};
    const sourceMessageIds = context.sourceMessageIds.slice(0, 1);
    return { note, ...asText(params, captioned, line), context: { ...context, sourceMessageIds } };
  }
  const left = { ...context, sourceMessageIds: sendable.map(({ sourceId }) => sourceId) };
  // The caption of an album may be on a part that is left out.
  const lost = parts.find((part) => text(part.caption) !== '' && part !== first.part);
  const isLost = lost !== undefined && !sendable.some(({ part }) => part === lost);
  const captioned = withLine(isLost ? { ...first.part, ...captionOf(lost) } : first.part, line);
  if (sendable.length > 1) {
    const media = sendable.map(({ part }) => (part === first.part ? captioned : part));
    return { note, method, params: { ...params, media }, context: left };
  }
  const { type, media: file, ...rest } = captioned;
  const { media: _album, ...base } = params;
  const kind = text(type);
  return {
    note,
    method: methods[kind] ?? 'sendDocument',
    params: { ...base, ...rest, [kind]: file },
    context: left,
  };
}

function captionOf(part: Wire): Wire {
  return { caption: part.caption, caption_entities: part.caption_entities };
}

function withLine(part: Wire, line: string): Wire {
  const own = text(part.caption);
  return {
    ...part,
    caption: own === '' ? line : `${cut(own, captionLimit - line.length - 1)}\n${line}`,
  };
}

function asText(
  params: Params,
  original: Params,
  line: string,
): Pick<PreparedCall, 'method' | 'params'> {
  const { business_connection_id, reply_parameters } = params;
  const own = cut(text(original.caption), textLimit - line.length - 1);
  return {
    method: 'sendMessage',
    params: {
      ...(business_connection_id === undefined ? {} : { business_connection_id }),
      ...placeOf(params),
      ...(reply_parameters === undefined ? {} : { reply_parameters }),
      text: own === '' ? line : `${own}\n${line}`,
      entities: original.caption_entities ?? [],
    },
  };
}

/** The chat, and the topic if there is one. */
function placeOf({ chat_id, message_thread_id }: Params): Params {
  return { chat_id, ...(message_thread_id === undefined ? {} : { message_thread_id }) };
}

function cut(value: string, length: number): string {
  return value.length <= length ? value : `${value.slice(0, length - 1).toWellFormed()}…`;
}

function lineOf({ $file: { kind, name, size } }: FileRef): string {
  const megabytes = size > 0 ? `, ${Math.round(size / 1024 / 1024)} MB` : '';
  return `[${kind.replace('_', ' ')} ${name}${megabytes}: too large to be carried over]`;
}
