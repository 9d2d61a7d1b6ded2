import { reason } from '../../core/reasons/reason.ts';
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../clock.ts';
import type { Caller } from '../../core/access/access.ts';
import { readableChats } from '../../core/access/chat-limits.ts';
import { mediaKindOf, type MediaKind } from '../../core/messages/media-kind.ts';
import { object, text } from '../../core/log/wire.ts';
import { RelayError } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { MediaCache } from '../../store/messages/media-cache.ts';
import type { Store } from '../../store/store.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import { toRelayError } from '../../telegram/errors.ts';
import { requireManaged } from '../bots/managed-bot.ts';

export interface MediaFile extends MediaKind {
  /** The file on disk; deleted some time after the last request for it. */
  path: string;
  sizeBytes: number;
  /** Stays the same while the content does. */
  etag: string;
  name: string;
}

/** The message that has the file, or without a message the chat whose photo it is. */
export interface MediaOrigin {
  chat_id?: number;
  message_id?: number;
}

export interface MediaService {
  /** Returns the file from disk; the first request downloads it from Telegram. */
  get(caller: Caller, botId: number, fileId: string, from?: MediaOrigin): Promise<MediaFile>;
}

const downloadTimeoutMs = 300_000;

export function createMediaService(options: {
  store: Store;
  telegram: TelegramClient;
  cache: MediaCache;
  clock: Clock;
}): MediaService {
  const { store, telegram, cache, clock } = options;
  /** A file that several callers request at once is downloaded once. */
  const inFlight = new Map<string, Promise<void>>();

  async function download(bot: BotRecord, fileId: string, key: string): Promise<void> {
    const late = new AbortController();
    const cancel = clock.after(downloadTimeoutMs, () => late.abort(new Error('too slow')));
    try {
      const found = object(await telegram.call(bot.token, 'getFile', { file_id: fileId })) ?? {};
      const filePath = text(found['file_path']);
      if (filePath === '') throw unavailable();
      const { status, body } = await telegram.getFileStream(bot.token, filePath, {
        signal: late.signal,
      });
      if (status !== 200) {
        body.destroy();
        throw unavailable();
      }
      await keep(body, key, nameOf(filePath));
    } catch (error) {
      throw toRelayError(error);
    } finally {
      cancel();
    }
  }

  async function keep(body: Readable, key: string, name: string): Promise<void> {
    const temporary = await cache.temporaryPath(key);
    try {
      await pipeline(body, createWriteStream(temporary, { mode: 0o600 })).catch(() => {
        throw unavailable();
      });
      const { size } = await stat(temporary);
      await rename(temporary, cache.pathOf(key, name));
      await cache.added(key, name, size);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /** A limited key may have the files of its chats, so it names the message of the file. */
  async function requireOrigin(
    botId: number,
    fileId: string,
    { chat_id: chatId, message_id: id }: MediaOrigin,
  ): Promise<void> {
    if (chatId === undefined) throw new RelayError('chat_not_allowed', reason('name_a_chat'));
    const found =
      id === undefined
        ? (await store.chats.get(botId, chatId))?.photo_file_id
        : (await store.messages.get(botId, chatId, id))?.file_id;
    if (found !== fileId) throw new RelayError('chat_not_allowed', reason('file_not_of_chat'));
  }

  return {
    async get(caller, botId, fileId, from = {}) {
      const bot = await requireManaged(store, caller, botId);
      if (readableChats(caller)) await requireOrigin(botId, fileId, from);
      const key = cache.keyOf(botId, fileId);
      let cached = await cache.find(key);
      if (!cached) {
        const running =
          inFlight.get(key) ??
          download(bot, fileId, key).finally(() => {
            inFlight.delete(key);
          });
        inFlight.set(key, running);
        await running;
        cached = await cache.find(key);
      }
      if (!cached) throw unavailable();
      return { ...cached, ...mediaKindOf(cached.name), etag: `"${key}"` };
    },
  };
}

function unavailable(): RelayError {
  return new RelayError('platform_unreachable', reason('platform_without_file'));
}

/** Telegram's name for the file, made safe for headers and disks. */
function nameOf(filePath: string): string {
  const name = filePath.split('/').at(-1) ?? '';
  return (
    name
      .replaceAll(/[^A-Za-z0-9._-]/g, '_')
      .replace(/^\.+/, '')
      .slice(-80) || 'file'
  );
}
