/*
 * What happens between the outbox and the platform for carried messages: files change hands when
 * they are sent, and a pair is stored in the commit that records the arrival.
 */
import { integer, object, type Wire } from '../../core/message-facts.ts';
import type { FileRef } from '../../core/compose-message.ts';
import type { BotRecord } from '../../store/bots.ts';
import type { Step } from '../../store/engine.ts';
import { addPair, type MessagePairs } from '../../store/message-pairs.ts';
import type { OutboxRecord } from '../../store/outbox.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import { PlatformRefused, PlatformUnreachable } from '../../telegram/errors.ts';
import type { FileParam } from '../../telegram/multipart.ts';
import type { CarryContext } from './carry.ts';

export interface HandoverDeps {
  bots: { get(id: number): Promise<BotRecord | undefined> };
  telegram: TelegramClient;
  pairs: MessagePairs;
  now: () => number;
}

export interface Handover {
  prepare(record: OutboxRecord): Promise<Record<string, unknown>>;
  onSuccess(record: OutboxRecord, result: unknown): Step<void>;
}

export function createHandover({ bots, telegram, pairs, now }: HandoverDeps): Handover {
  async function upload(sourceBotId: number, ref: FileRef): Promise<FileParam> {
    const source = await bots.get(sourceBotId);
    if (!source) throw new PlatformRefused(404, 'The bot that received the file is gone');
    const file = object(
      await telegram.call(source.token, 'getFile', { file_id: ref.$file.file_id }),
    );
    if (typeof file?.file_path !== 'string') {
      throw new PlatformRefused(400, 'The platform gave no path for the file');
    }
    const { status, body } = await telegram.getFileStream(source.token, file.file_path);
    if (status !== 200) {
      body.destroy();
      throw new PlatformUnreachable('network', false, `The file could not be fetched (${status}).`);
    }
    return { file: body, name: ref.$file.name };
  }

  async function withFiles(
    params: Record<string, unknown>,
    sourceBotId: number,
    targetBotId: number,
  ): Promise<Record<string, unknown>> {
    // A bot knows its own files by id; another one's have to be brought over.
    const isOwn = sourceBotId === targetBotId;
    const ready: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(params)) {
      if (isFileRef(value)) {
        ready[name] = isOwn ? value.$file.file_id : await upload(sourceBotId, value);
      } else if (name === 'media' && Array.isArray(value)) {
        const parts: unknown[] = [];
        for (const [index, part] of (value as Wire[]).entries()) {
          if (!isFileRef(part.media)) continue;
          if (isOwn) {
            parts.push({ ...part, media: part.media.$file.file_id });
            continue;
          }
          ready[`file${index}`] = await upload(sourceBotId, part.media);
          parts.push({ ...part, media: `attach://file${index}` });
        }
        ready.media = parts;
      } else {
        ready[name] = value;
      }
    }
    return ready;
  }

  return {
    async prepare(record) {
      const params = JSON.parse(record.params) as Record<string, unknown>;
      const context = JSON.parse(record.context) as CarryContext;
      if (context.kind === 'carry') return withFiles(params, context.sourceBotId, record.botId);
      const { sourceBotId, sourceChatId, sourceMessageId } = context;
      const known = await pairs.of(sourceBotId, sourceChatId, sourceMessageId);
      const pair = known.find(
        (one) => one.peerBotId === record.botId && one.peerChatId === record.chatId,
      );
      if (!pair) throw new PlatformRefused(400, 'The message to edit was never carried over');
      return { ...params, message_id: pair.peerMessageId };
    },

    *onSuccess(record, result) {
      const context = JSON.parse(record.context) as CarryContext;
      if (context.kind !== 'carry') return;
      const sent = (Array.isArray(result) ? result : [result]).map((item) => {
        const message = object(item);
        const chat = object(message?.chat);
        return { messageId: integer(message?.message_id), chatId: integer(chat?.id) };
      });
      for (const [index, sourceMessageId] of context.sourceMessageIds.entries()) {
        const peer = sent[index];
        if (peer?.messageId === undefined) continue;
        yield* addPair(
          {
            botId: context.sourceBotId,
            chatId: context.sourceChatId,
            messageId: sourceMessageId,
            peerBotId: record.botId,
            peerChatId: peer.chatId ?? record.chatId,
            peerMessageId: peer.messageId,
            routeId: context.routeId,
            style: context.style,
            hops: context.hops,
          },
          now(),
        );
      }
    },
  };
}

function isFileRef(value: unknown): value is FileRef {
  return object(object(value)?.$file) !== undefined;
}
