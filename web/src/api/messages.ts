import { queryOptions } from '@tanstack/react-query';
import type { DetailedMessage, MessageSearch } from '../../../src/api-types.ts';
import type { ChatKey, TopicKey } from './chats.ts';
import { addressOf, get, post } from './client/client.ts';
import type { Message, SentMessage } from './client/types.ts';
import { upload, type UploadOptions } from './client/upload.ts';

export type Found = MessageSearch['messages'][number];

interface Answered extends TopicKey {
  reply_to_message_id?: number;
  /** The business connection, if it is sent on behalf of an account. */
  business_connection_id?: string;
  /** Unix seconds. */
  send_at?: number;
}

export const messagesOf = (
  query: TopicKey & { limit?: number; before_id?: number },
  signal?: AbortSignal,
) => get('/api/messages', query, signal);

/** The messages around a message, oldest first. */
export const contextOf = (
  query: TopicKey & { id: number; before: number; after: number },
  signal?: AbortSignal,
) => get('/api/messages/context', query, signal);

export const searchMessages = (
  query: Partial<TopicKey> & { bot_id: number; q: string; cursor?: string; limit?: number },
  signal?: AbortSignal,
) => get('/api/messages/search', query, signal);

/** A search over several bots takes as many of each: the palette counts what Chats then lists. */
export const hitsPerBot = 50;

/** Sorts the newest first, and leaves out what a route sent of a message that is found as well. */
export function withoutCopies(found: readonly Found[]): Found[] {
  return found
    .filter((hit) => hit.origin !== 'routed' || !found.some((other) => isCopyOf(hit, other)))
    .toSorted((left, right) => right.date - left.date);
}

const copiedWithinSeconds = 60;

function isCopyOf(hit: Found, other: Found): boolean {
  const seconds = hit.date - other.date;
  const isSameText = hit.text === other.text && hit.text !== '';
  const isOriginal = other.origin !== 'routed';
  return isSameText && isOriginal && seconds >= 0 && seconds <= copiedWithinSeconds;
}

export type FullMessage = DetailedMessage;

/** The chain of replies that contains a message, oldest first. */
export const threadQuery = (chatKey: ChatKey, id: number) =>
  queryOptions({
    queryKey: ['thread', chatKey.bot_id, chatKey.chat_id, id],
    queryFn: ({ signal }) => get('/api/messages/thread', { ...chatKey, id }, signal),
    retry: false,
  });

/** The stored pinned messages of a chat, newest first. */
export const pinnedQuery = (chatKey: ChatKey) =>
  queryOptions({
    queryKey: ['pinned', chatKey.bot_id, chatKey.chat_id],
    queryFn: ({ signal }) => get('/api/messages/pinned', { ...chatKey }, signal),
    retry: false,
  });

/** The versions of a message, oldest first. */
export const editsOf = (query: ChatKey & { id: number }, signal?: AbortSignal) =>
  get('/api/messages/edits', query, signal);

interface Words {
  text: string;
  format?: 'markdown';
  entities?: Record<string, unknown>[];
  reply_markup?: Record<string, unknown>;
}

export const sendMessage = (body: Answered & Words, idempotencyKey: string) =>
  post('/api/messages/send', { body, headers: { 'idempotency-key': idempotencyKey } });

/** The messages that a Markdown text becomes. */
export const previewQuery = (text: string) =>
  queryOptions({
    queryKey: ['preview', text],
    queryFn: ({ signal }) => post('/api/messages/preview', { body: { text }, signal }),
    enabled: text.trim() !== '',
    placeholderData: (before) => before,
  });

type MediaKind = 'photo' | 'video' | 'audio' | 'document';

/** Sends a file; it must be the last field, because the service streams it. */
export function sendMedia(
  message: Answered & { caption: string; format?: 'markdown' },
  file: File,
  options: UploadOptions,
): Promise<SentMessage> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...message, type: mediaKindOf(file) })) {
    if (value !== '') form.set(name, String(value));
  }
  form.set('file', file);
  return upload('/api/messages/send-media', form, options);
}

function mediaKindOf(file: File): MediaKind {
  if (/^image\/(jpeg|png|webp)$/.test(file.type)) return 'photo';
  if (file.type === 'video/mp4') return 'video';
  if (/^audio\/(mpeg|mp4|x-m4a)$/.test(file.type)) return 'audio';
  return 'document';
}

const targetOf = ({ bot_id, chat_id, id }: Message) => ({ bot_id, chat_id, message_id: id });

export const pinMessage = (message: Message) =>
  post('/api/messages/pin', { query: targetOf(message) });
export const unpinMessage = (message: Message) =>
  post('/api/messages/unpin', { query: targetOf(message) });
export const unpinAllMessages = (chatKey: ChatKey) =>
  post('/api/messages/unpin-all', { query: { ...chatKey } });
export const deleteMessage = (message: Message) =>
  post('/api/messages/delete', { query: targetOf(message) });
export const editMessage = (message: Message, words: Words) =>
  post('/api/messages/edit', { query: targetOf(message), body: words });

export const mediaAddress = (botId: number, fileId: string) =>
  addressOf('/api/media', { bot_id: botId, file_id: fileId });

export const exportAddress = (chatKey: TopicKey, format: 'jsonl' | 'csv') =>
  addressOf('/api/messages/export', { ...chatKey, format });
