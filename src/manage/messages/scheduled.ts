/*
 * Messages to be sent later. They are stored as the calls that they become, with the request, so
 * that people can change them.
 */
import type { Clock } from '../../clock.ts';
import { type Caller, callersBot, requireBot } from '../../core/access/access.ts';
import { type ChatRule, readableChats, requireChats } from '../../core/access/chat-limits.ts';
import { limits } from '../../core/limits.ts';
import { authorOf } from '../../core/messages/author.ts';
import type { WordCall } from '../../core/markdown/markdown-calls.ts';
import { isKeptFile } from '../../core/messages/kept-file.ts';
import type { EventBus } from '../../core/ports.ts';
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { StoredMessage } from '../../store/messages/messages.ts';
import { type ScheduledContent, type ScheduledSend } from '../../store/outbox/scheduled-sends.ts';
import type { Store } from '../../store/store.ts';
import { isFileParam } from '../../telegram/multipart.ts';
import { keepFiles } from './keep-files.ts';
import { given, type MessageWords } from './message-words.ts';
import { callsOf, dueMs, replaced, requestOf, type StoredRequest } from './scheduled-request.ts';
import { type ScheduledView, viewOf } from './scheduled-view.ts';
import { mediaCall, type MediaMessage, type OutgoingMessage } from './send-calls.ts';

/** The answer to a request with `send_at`. */
export interface ScheduledMessage extends StoredMessage {
  scheduled_id: number;
  /** Unix seconds. */
  send_at: number;
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
    const sendAt = dueMs(send_at, clock.now());
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
      return sends.map((send) => viewOf(send, byId.get(send.botId), clock.now()));
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
      return viewOf(stored, await store.bots.get(send.botId), clock.now());
    },

    async cancel(caller, scheduledId) {
      const send = await existing(caller, scheduledId);
      const view = viewOf(send, await store.bots.get(send.botId), clock.now());
      if (!(await scheduledSends.cancel(scheduledId))) throw tooLate(scheduledId);
      changed(send.botId, send.chatId);
      return view;
    },
  };
}
