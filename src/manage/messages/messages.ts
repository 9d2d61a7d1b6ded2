import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import { type Caller, requireBot } from '../../core/access/access.ts';
import { limits } from '../../core/limits.ts';
import { type Author, authorOf } from '../../core/messages/author.ts';
import { addMessageFacts, emptyFacts } from '../../core/messages/message-facts.ts';
import { object } from '../../core/log/wire.ts';
import type { PartsSender, SendRequest } from '../../core/ports.ts';
import { RelayError, sentUnrecorded } from '../../errors.ts';
import type { StoredMessage } from '../../store/messages/messages.ts';
import type { Store } from '../../store/store.ts';
import { botNotFound } from '../bots/bots.ts';
import { createIdempotency } from './idempotency.ts';
import type { WordCall } from '../../core/markdown/markdown-calls.ts';
import { given } from './message-words.ts';
import type { ScheduledMessage, ScheduledMessages } from './scheduled.ts';
import { type OutgoingMessage, textCalls } from './send-calls.ts';

/** The first message, and the IDs of all if the relay formatted the text. */
export type SentMessage = (StoredMessage & { parts?: number[] }) | ScheduledMessage;

export interface MessageQuery {
  bot_id: number;
  chat_id: number;
  limit: number;
  offset: number;
  before_id?: number;
  /** Only messages of this topic; 1 for General. */
  message_thread_id?: number;
  /** True for messages of a chat that the bot is no member of. */
  guest?: boolean;
}

export interface MessageService {
  /** Sends and stores a message and returns it; requests with the same key send it once. */
  send(
    caller: Caller,
    message: OutgoingMessage,
    once?: { key: string; signal: AbortSignal },
  ): Promise<SentMessage>;
  list(caller: Caller, query: MessageQuery): Promise<readonly StoredMessage[]>;
}

/** How long a send waits for sending limits. */
const maxWaitMs = 5_000;

export function createMessageService(options: {
  store: Store;
  sender: PartsSender;
  clock: Clock;
  scheduled: ScheduledMessages;
}): MessageService {
  const { store, sender, clock, scheduled } = options;
  const idempotency = createIdempotency({ store: store.idempotency, clock });

  async function send(
    author: Author,
    { bot_id, chat_id, format }: OutgoingMessage,
    [first, ...others]: [WordCall, ...WordCall[]],
  ): Promise<SentMessage> {
    const request: SendRequest = {
      botId: bot_id,
      chatId: chat_id,
      ...first,
      priority: 'interactive',
      origin: 'sent',
      author,
      maxWaitMs,
    };
    const following = others.map(({ params }) => params);
    const { result, messageIds } = await sender.sendParts(request, following);
    const message = await storedMessage(bot_id, author, result);
    return format === undefined ? message : { ...message, parts: messageIds };
  }

  /** Returns the message that the sender stored, or stores it if the sender did not. */
  async function storedMessage(
    botId: number,
    author: Author,
    result: unknown,
  ): Promise<StoredMessage> {
    const facts = emptyFacts();
    addMessageFacts(facts, object(result) ?? {});
    const [sent] = facts.messages;
    if (!sent || typeof sent.id !== 'number') {
      throw new RelayError('platform_timeout', reason('platform_without_sent_message'));
    }
    const read = () => store.messages.get(botId, sent.chatId, sent.id as number);
    try {
      const stored = await read();
      if (stored) return stored;
      const entry = { botId, facts, author, origin: 'sent', position: 0 } as const;
      await store.messages.archive([entry], clock.now());
      const archived = await read();
      if (archived) return archived;
    } catch (error) {
      throw sentUnrecorded(error);
    }
    throw botNotFound(botId, 'bot_id');
  }

  async function requireExisting(botId: number): Promise<void> {
    if (!(await store.bots.get(botId))) throw botNotFound(botId, 'bot_id');
  }

  return {
    async send(caller, message, once) {
      requireBot(caller, message.bot_id);
      const calls = await textCalls(message);
      const bot = await store.bots.get(message.bot_id);
      if (!bot) throw botNotFound(message.bot_id, 'bot_id');
      const work = async () => {
        if (bot.disabled) {
          throw new RelayError('bot_disabled', reason('bot_disabled', { bot_id: bot.id }));
        }
        const { send_at } = message;
        if (send_at === undefined) return send(authorOf(caller), message, calls);
        return scheduled.addText(caller, bot, { ...message, send_at }, calls);
      };
      if (!once) return work();
      const scope = `${caller.kind}:${caller.id}`;
      const request = { scope, key: once.key, content: contentOf(message) };
      return idempotency.once(request, work, once.signal);
    },

    async list(caller, query) {
      requireBot(caller, query.bot_id);
      const page = {
        botId: query.bot_id,
        chatId: query.chat_id,
        threadId: query.message_thread_id,
        limit: Math.min(query.limit, limits.messagesPerPage),
        offset: query.offset,
      };
      if (query.before_id !== undefined) {
        const before = { ...page, beforeId: query.before_id };
        const messages = query.guest
          ? await store.messages.listGuest(before)
          : await store.messages.listBefore(before);
        if (messages) return messages;
        await requireExisting(query.bot_id);
        throw new RelayError('message_not_found', reason('no_message_before'), {
          details: [{ field: 'before_id', problem: reason('names_no_message') }],
        });
      }
      const messages =
        (query.guest ? await store.messages.listGuest(page) : await store.messages.list(page)) ??
        [];
      // A page with messages proves that its bot exists.
      if (messages.length === 0) await requireExisting(query.bot_id);
      return messages;
    },
  };
}

/** Returns the values that are equal if two requests are the same. */
function contentOf(message: OutgoingMessage): unknown[] {
  const {
    bot_id,
    chat_id,
    text = '',
    reply_to_message_id: replyTo = 0,
    business_connection_id: account = '',
    ...more
  } = message;
  const options = given(more);
  return [
    'messages/send',
    bot_id,
    chat_id,
    text,
    replyTo,
    // Keys that are older than these fields stay valid.
    ...(account === '' ? [] : [account]),
    ...(Object.keys(options).length === 0 ? [] : [options]),
  ];
}
