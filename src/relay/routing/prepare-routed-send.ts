/*
 * Prepares routed messages between the outbox and the platform: files are brought over when they
 * are sent, edits and deletions find the copies of their message, and a pair is stored in the
 * commit that records the arrival.
 */
import { connectionIn } from '../../core/messages/answer-facts.ts';
import { integer, object, type Wire } from '../../core/log/wire.ts';
import type { FileRef } from '../../core/messages/send-call.ts';
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import {
  addPair,
  type MessagePair,
  type MessagePairRepository,
} from '../../store/routing/message-pairs.ts';
import type { DeskRepository } from '../../store/desks/desks.ts';
import type { Step } from '../../store/engine.ts';
import type { OutboxRecord } from '../../store/outbox/outbox-record.ts';
import type { RoutingRepository } from '../../store/routing/routing.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import type { FileParam } from '../../telegram/multipart.ts';
import type { Preparation, PreparedCall } from '../outbox/preparation.ts';
import type {
  RoutedMessageContext,
  RoutedSendContext,
  RoutedChangeContext,
} from './build-routed-send.ts';
import { locateFiles, openFiles } from './fetch-files.ts';
import { captionInstead, copyInstead, isFileRef, refsIn, textInstead } from './too-large.ts';

export interface RoutedSendDeps {
  bots: { get(id: number): Promise<BotRecord | undefined> };
  telegram: TelegramClient;
  pairs: MessagePairRepository;
  countTraffic: RoutingRepository['countTraffic'];
  /** A step of a desk's topic was sent: see src/store/desks/desk-outcomes.ts. */
  deskStepSent: DeskRepository['stepSent'];
  now: () => number;
}

export function createPreparation(deps: RoutedSendDeps): Preparation {
  const { bots, telegram, pairs, now } = deps;
  async function routed(
    record: OutboxRecord,
    context: RoutedMessageContext,
  ): Promise<PreparedCall> {
    const { method } = record;
    const params = JSON.parse(record.params) as Record<string, unknown>;
    const refs = refsIn(params);
    if (refs.length === 0) return { method, params };
    // A bot knows its own files by ID; files of another bot have to be brought over.
    if (context.sourceBotId === record.botId) {
      return { method, params: withOwnFiles(params) };
    }
    const located = await locateFiles(telegram, await tokenOf(context), refs);
    if (located.tooLarge.size === 0) return upload({ method, params }, context, located.paths);
    const target = await bots.get(record.botId);
    const copy = target && copyInstead(params, context, target, now);
    if (copy) return copy;
    return upload(
      textInstead({ method, params }, context, located.tooLarge),
      context,
      located.paths,
    );
  }

  async function upload(
    call: PreparedCall,
    context: RoutedMessageContext | RoutedChangeContext,
    paths: ReadonlyMap<string, string>,
  ): Promise<PreparedCall> {
    const refs = refsIn(call.params);
    const files = await openFiles(telegram, await tokenOf(context), refs, paths);
    return { ...call, params: withUploads(call.params, files) };
  }

  async function tokenOf({
    sourceBotId,
  }: RoutedMessageContext | RoutedChangeContext): Promise<string> {
    const source = await bots.get(sourceBotId);
    if (!source) throw new RelayError('bot_not_found', reason('source_bot_gone'));
    return source.token;
  }

  /** Finds the copies of a message in the chat of a send, newest last. */
  async function standIns(
    record: OutboxRecord,
    context: RoutedChangeContext,
  ): Promise<MessagePair[]> {
    const known = await pairs.of({
      botId: context.sourceBotId,
      connection: context.sourceConnection ?? '',
      chatId: context.sourceChatId,
      messageId: context.sourceMessageId,
    });
    return known.filter(
      (pair) =>
        pair.peerBotId === record.botId &&
        pair.peerChatId === record.chatId &&
        (pair.style === 'header') === (context.isHeader === true) &&
        (context.routeId === undefined || pair.routeId === context.routeId),
    );
  }

  async function changed(
    record: OutboxRecord,
    context: RoutedChangeContext,
  ): Promise<PreparedCall> {
    const { method } = record;
    const params = JSON.parse(record.params) as Record<string, unknown>;
    const pair = (await standIns(record, context)).at(-1);
    // A line that shows an edit is sent also if there is nothing to which it replies.
    if (method === 'sendMessage') {
      const reply = pair && { message_id: pair.peerMessageId, allow_sending_without_reply: true };
      return { method, params: { ...params, ...(reply ? { reply_parameters: reply } : {}) } };
    }
    if (!pair) {
      const code = context.kind === 'edit' ? 'edited_never_carried' : 'deleted_never_carried';
      throw new RelayError('message_not_found', reason(code));
    }
    const id = pair.peerMessageId;
    const named = method === 'deleteBusinessMessages' ? { message_ids: [id] } : { message_id: id };
    const call: PreparedCall = { method, params: { ...params, ...named } };
    const refs = refsIn(params);
    if (refs.length === 0) return call;
    if (context.sourceBotId === record.botId) return { ...call, params: withOwnFiles(call.params) };
    const located = await locateFiles(telegram, await tokenOf(context), refs);
    if (located.tooLarge.size === 0) return upload(call, context, located.paths);
    const { media: _file, ...rest } = call.params;
    return captionInstead(params, rest);
  }

  return {
    async prepare(record) {
      const context = JSON.parse(record.context) as RoutedSendContext;
      if (context.kind === 'carry') return routed(record, context);
      if (context.kind !== 'desk') return changed(record, context);
      return { method: record.method, params: JSON.parse(record.params) as Wire };
    },

    async instead(record, refused, error) {
      const context = JSON.parse(record.context) as RoutedSendContext;
      if (context.kind !== 'carry') return undefined;
      const movedTo = error.parameters.migrate_to_chat_id;
      if (movedTo !== undefined) return routed(movedRecord(record, movedTo), context);
      if (!/^(copy|forward)Messages?$/.test(refused.method)) return undefined;
      const params = JSON.parse(record.params) as Record<string, unknown>;
      const located = await locateFiles(telegram, await tokenOf(context), refsIn(params));
      const call = textInstead({ method: record.method, params }, context, located.tooLarge);
      return upload(call, context, located.paths);
    },

    *recordAlso(record, sent, result) {
      const context = (sent.context ?? JSON.parse(record.context)) as RoutedSendContext;
      const { desk } = context;
      if (context.kind === 'carry') yield* recordPairs(deps, record, context, sent, result);
      if (desk) yield* deps.deskStepSent(desk, record.intentKey, result, now());
    },
  };
}

/** Stores what stands for which message, and counts the traffic of the route. */
function* recordPairs(
  { countTraffic, now }: Pick<RoutedSendDeps, 'countTraffic' | 'now'>,
  record: OutboxRecord,
  context: RoutedMessageContext,
  sent: PreparedCall,
  result: unknown,
): Step<void> {
  const made = (Array.isArray(result) ? result : [result]).map(object);
  for (const [index, sourceMessageId] of context.sourceMessageIds.entries()) {
    const peerMessageId = integer(made[index]?.message_id);
    if (peerMessageId === undefined) continue;
    yield* addPair(
      {
        botId: context.sourceBotId,
        connection: context.sourceConnection ?? '',
        chatId: context.sourceChatId,
        messageId: sourceMessageId,
        peerBotId: record.botId,
        peerConnection: connectionIn(sent.params),
        peerChatId: integer(sent.params.chat_id) ?? record.chatId,
        peerMessageId,
        routeId: context.routeId,
        style: context.style,
        hops: context.hops,
      },
      now(),
    );
  }
  // The line that precedes a message is not counted, nor is an answer, which takes the return
  // path.
  const isReturned = record.intentKey?.startsWith('return:');
  if (context.routeId === 0 || context.style === 'header' || isReturned) return;
  yield* countTraffic([context.routeId], now());
}

/** A group that became a supergroup has new message ids, so the replied-to message is not there. */
function movedRecord(record: OutboxRecord, chatId: number): OutboxRecord {
  const { reply_parameters: _reply, ...params } = JSON.parse(record.params) as Wire;
  return { ...record, chatId, params: JSON.stringify({ ...params, chat_id: chatId }) };
}

function withUploads(
  params: Record<string, unknown>,
  files: ReadonlyMap<string, FileParam>,
): Record<string, unknown> {
  const names = new Map<string, string>();
  const ready = withFiles(params, ({ $file: { file_id: id } }, isPart) => {
    if (!isPart) return files.get(id);
    // A file can be read once and shown as often as it is named.
    const name = names.get(id) ?? `file${names.size}`;
    names.set(id, name);
    return `attach://${name}`;
  });
  const uploads = [...names].map(([id, name]) => [name, files.get(id)]);
  return { ...ready, ...Object.fromEntries(uploads) };
}

function withOwnFiles(params: Record<string, unknown>): Record<string, unknown> {
  return withFiles(params, (ref) => ref.$file.file_id);
}

/** Replaces every file, also in the parts of an album. */
function withFiles(
  params: Record<string, unknown>,
  fill: (ref: FileRef, isPart: boolean) => unknown,
): Record<string, unknown> {
  const ready: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(params)) {
    if (isFileRef(value)) ready[name] = fill(value, false);
    else if (name === 'media') {
      ready.media = Array.isArray(value) ? (value as Wire[]).map(filled) : filled(value as Wire);
    } else ready[name] = value;
  }
  return ready;

  function filled(part: Wire): Wire {
    return isFileRef(part.media) ? { ...part, media: fill(part.media, true) } : part;
  }
}
