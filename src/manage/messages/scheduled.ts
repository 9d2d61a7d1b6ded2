/*
 * Messages to be sent later. They are stored as the calls that they become, with the request, so
 * that people can change them.
 */
import type { Clock } from '../../clock.ts';
import { type Caller, callersBot, requireBot } from '../../core/access/access.ts';
import { type ChatRule, readableChats, requireChats } from '../../core/access/chat-limits.ts';
import { limits } from '../../core/limits.ts';
import { type Author, authorOf } from '../../core/messages/author.ts';
import type { WordCall } from '../../core/markdown/markdown-calls.ts';
import { isKeptFile } from '../../core/messages/kept-file.ts';
import type { EventBus } from '../../core/ports.ts';
import { type Reason, reason, reasonText } from '../../core/reasons/reason.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { StoredMessage } from '../../store/messages/messages.ts';
import {
  mostOverdueMs,
  type ScheduledContent,
  type ScheduledSend,
} from '../../store/outbox/scheduled-sends.ts';
import type { Store } from '../../store/store.ts';
import { isFileParam } from '../../telegram/multipart.ts';
import { keepFiles } from './keep-files.ts';
import { given, type MessageWords } from './message-words.ts';
import { mediaCall, type MediaMessage, type OutgoingMessage, textCalls } from './send-calls.ts';

/** The answer to a request with `send_at`. */
export interface ScheduledMessage extends StoredMessage {
  scheduled_id: number;
  /** Unix seconds. */
  send_at: number;
}

export interface ScheduledView {
  scheduled_id: number;
  bot_id: number;
  chat_id: number;
  send_at: number;
  state: 'scheduled' | 'held';
  /** Why it is held; '' if it is not. */
  error: string;
  error_detail: Reason | null;
  text: string;
  format?: string;
  parse_mode?: string;
  media_type?: string;
  file_name?: string;
  message_thread_id?: number;
  reply_to_message_id?: number;
  author?: Author;
  created_at: number;
}

export interface ScheduledChange extends MessageWords {
  scheduled_id: number;
  send_at?: number | undefined;
  reply_markup?: object | undefined;
}

export interface ScheduledMessages {
  addText(
    caller: Caller,
    bot: BotRecord,
    message: OutgoingMessage & { send_at: number },
    calls: [WordCall, ...WordCall[]],
  ): Promise<ScheduledMessage>;
  addMedia(
    caller: Caller,
    bot: BotRecord,
    message: MediaMessage & { send_at: number },
  ): Promise<ScheduledMessage>;
  /** Lists the first due ones; `afterId` is the last one of the page before. */
  list(
    caller: Caller,
    query: { botId?: number; chatId?: number; afterId?: number; limit: number },
  ): Promise<ScheduledView[]>;
  /** A text replaces what it said and its formatting; what is left out stays. */
  update(caller: Caller, change: ScheduledChange): Promise<ScheduledView>;
  cancel(caller: Caller, scheduledId: number): Promise<ScheduledView>;
}

const mostAheadMs = 366 * 24 * 3_600_000;

/** What was asked for; a message with media has a `type`. */
type StoredRequest = OutgoingMessage & Partial<Omit<MediaMessage, 'file'>> & { file_name?: string };

export function createScheduledMessages(options: {
  store: Pick<Store, 'bots' | 'scheduledSends' | 'keptFiles'>;
  clock: Clock;
  events: EventBus;
  /** A send was scheduled or moved. */
  onScheduled(): void;
}): ScheduledMessages {
  const { store, clock, events, onScheduled } = options;
  const { scheduledSends } = store;

  /** Checks the time, and stores the files. */
  async function contentOf(
    { send_at, ...request }: StoredRequest & { send_at: number },
    [{ method, params }, ...others]: [WordCall, ...WordCall[]],
  ): Promise<ScheduledContent> {
    const sendAt = dueMs(send_at);
    const kept = await keepFiles({ ...store, clock }, request.bot_id, params);
    return {
      sendAt,
      request: JSON.stringify(request),
      method,
      params: kept,
      following: others.map((call) => call.params),
      fileIds: Object.values(kept)
        .filter(isKeptFile)
        .map((file) => file.kept),
    };
  }

  function dueMs(sendAt: number): number {
    const now = clock.now();
    const dueAt = sendAt * 1_000;
    if (dueAt <= now) throw invalidField('send_at', reason('not_in_the_future'));
    if (dueAt > now + mostAheadMs) throw invalidField('send_at', reason('over_a_year_ahead'));
    return dueAt;
  }

  async function add(
    caller: Caller,
    bot: BotRecord,
    request: StoredRequest & { send_at: number },
    calls: [WordCall, ...WordCall[]],
  ): Promise<ScheduledMessage> {
    const { chat_id, send_at } = request;
    const content = await contentOf(request, calls);
    const author = authorOf(caller);
    const id = await scheduledSends.add(
      {
        botId: bot.id,
        chatId: chat_id,
        origin: 'sent',
        intentKey: null,
        priority: 'interactive',
        author,
      },
      content,
      limits.scheduledPerChat,
      clock.now(),
    );
    if (id === undefined) {
      await store.keptFiles.remove(content.fileIds);
      const most = limits.scheduledPerChat;
      throw new RelayError('conflict', reason('too_many_scheduled', { most }));
    }
    changed(bot.id, chat_id);
    return {
      id: 0,
      chat_id,
      bot_id: bot.id,
      user_id: bot.platform_id,
      username: bot.username,
      first_name: bot.name,
      last_name: '',
      text: request.text ?? request.caption ?? '',
      date: send_at,
      author,
      scheduled_id: id,
      send_at,
    };
  }

  function changed(botId: number, chatId: number): void {
    events.publish('chat', botId, { chat_id: chatId, change: 'scheduled' });
    onScheduled();
  }

  async function existing(
    caller: Caller,
    id: number,
    rule: ChatRule = 'reads and writes',
  ): Promise<ScheduledSend> {
    const send = await scheduledSends.get(id);
    if (!send) throw new RelayError('not_found', reason('no_such_scheduled', { scheduled_id: id }));
    requireBot(caller, send.botId);
    requireChats(caller, rule, send.chatId);
    return send;
  }

  function tooLate(id: number): RelayError {
    return new RelayError('conflict', reason('scheduled_is_sent', { scheduled_id: id }));
  }

  async function viewOf(send: ScheduledSend, bot: BotRecord | undefined): Promise<ScheduledView> {
    const request = requestOf(send);
    const held = heldReason(send, bot);
    // A database that its operator restored holds a sentence instead of a reason.
    const isHeld = held !== undefined || (send.state === 'scheduled' && send.error !== '');
    return {
      scheduled_id: send.id,
      bot_id: send.botId,
      chat_id: send.chatId,
      send_at: send.sendAt / 1_000,
      state: isHeld ? 'held' : 'scheduled',
      error: held ? reasonText(held) : send.error,
      error_detail: held ?? send.errorDetail,
      text: request.text ?? request.caption ?? '',
      ...given({
        media_type: request.type,
        format: request.format,
        parse_mode: request.parse_mode,
        file_name: request.file_name,
        message_thread_id: request.message_thread_id,
        reply_to_message_id: request.reply_to_message_id,
        author: send.author,
      }),
      created_at: Math.floor(send.createdAt / 1_000),
    };
  }

  /** Why it was or will not be sent, though it is due. */
  function heldReason(send: ScheduledSend, bot: BotRecord | undefined): Reason | undefined {
    if (send.errorDetail && send.state === 'scheduled') return send.errorDetail;
    const lateMs = clock.now() - send.sendAt;
    if (send.state !== 'scheduled' || lateMs <= 0) return undefined;
    if (lateMs >= mostOverdueMs) return reason('scheduled_overdue');
    return bot?.disabled ? reason('bot_disabled', { bot_id: bot.id }) : undefined;
  }

  return {
    addText: add,
    async addMedia(caller, bot, message) {
      const { file, ...request } = message;
      if (bot.disabled) {
        throw new RelayError('bot_disabled', reason('bot_disabled', { bot_id: bot.id }));
      }
      const named = isFileParam(file) ? { ...request, file_name: file.name } : request;
      return add(caller, bot, named, [await mediaCall(message)]);
    },

    async list(caller, { botId, chatId, afterId, limit }) {
      if (botId !== undefined) await callersBot(store.bots, caller, botId);
      const after = afterId === undefined ? undefined : await existing(caller, afterId, 'reads');
      const botIds = botId === undefined ? caller.botIds : [botId];
      const sends = await scheduledSends.list({
        botIds,
        chatIds: chatId === undefined ? readableChats(caller) : [chatId],
        after,
        limit,
      });
      const bots = await store.bots.list([...new Set(sends.map((send) => send.botId))]);
      const byId = new Map(bots.map((bot) => [bot.id, bot]));
      return Promise.all(sends.map((send) => viewOf(send, byId.get(send.botId))));
    },

    async update(caller, { scheduled_id, send_at, reply_markup, ...words }) {
      const send = await existing(caller, scheduled_id);
      const before = requestOf(send);
      const isSaid = words.text !== undefined || words.rich_message !== undefined;
      const said = isSaid ? replaced(before, words) : { ...before, ...given({ ...words }) };
      const request = {
        ...said,
        ...given({ reply_markup }),
        send_at: send_at ?? send.sendAt / 1_000,
      };
      const calls = await callsOf(request, send);
      const content = await contentOf(request, calls);
      if (!(await scheduledSends.change(scheduled_id, content, clock.now()))) {
        throw tooLate(scheduled_id);
      }
      changed(send.botId, send.chatId);
      const stored = await existing(caller, scheduled_id);
      return viewOf(stored, await store.bots.get(send.botId));
    },

    async cancel(caller, scheduledId) {
      const send = await existing(caller, scheduledId);
      const view = await viewOf(send, await store.bots.get(send.botId));
      if (!(await scheduledSends.cancel(scheduledId))) throw tooLate(scheduledId);
      changed(send.botId, send.chatId);
      return view;
    },
  };
}

const requestOf = ({ request }: ScheduledSend) => JSON.parse(request) as StoredRequest;

/** The request with another text, and only the formatting that came with it. */
function replaced(before: StoredRequest, words: MessageWords): StoredRequest {
  if (before.type === undefined) return { ...before, ...withoutWords, ...given({ ...words }) };
  if (words.rich_message !== undefined) {
    throw invalidField('rich_message', reason('not_together', { field: 'file' }));
  }
  const { text: caption, entities: caption_entities, format, parse_mode } = words;
  return { ...before, caption, caption_entities, format, parse_mode };
}

const withoutWords: Record<keyof MessageWords, undefined> = {
  text: undefined,
  format: undefined,
  parse_mode: undefined,
  entities: undefined,
  link_preview_options: undefined,
  rich_message: undefined,
};

/** A file that was uploaded before stays. */
async function callsOf(
  request: StoredRequest,
  send: ScheduledSend,
): Promise<[WordCall, ...WordCall[]]> {
  const { type } = request;
  if (type === undefined) return textCalls(request);
  const { [type]: file } = JSON.parse(send.params) as Record<string, unknown>;
  return [await mediaCall({ ...request, type, file })];
}
