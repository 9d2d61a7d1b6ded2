import { reason } from '../../core/reasons/reason.ts';
import type { Caller } from '../../core/access/access.ts';
import { accountMessageId } from '../../core/messages/business-messages.ts';
import { authorOf } from '../../core/messages/author.ts';
import type { ChatAction } from '../../core/people/chat-rights.ts';
import { addMessageFacts, emptyFacts } from '../../core/messages/message-facts.ts';
import { object } from '../../core/log/wire.ts';
import type { EventBus, Sender } from '../../core/ports.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { StoredMessage } from '../../store/messages/messages.ts';
import type { Store } from '../../store/store.ts';
import type { ChatMembers } from '../people/chat-members.ts';
import { requireManaged } from '../bots/managed-bot.ts';
import { given, type MessageWords, oneMessage } from './message-words.ts';
import type { ScheduledMessage, ScheduledMessages } from './scheduled.ts';
import { mediaCall, type MediaMessage } from './send-calls.ts';

export interface ActionTarget {
  bot_id: number;
  chat_id: number;
  /** The ID in the archive. Calls on a message of a business account are made on behalf of that account. */
  message_id: number;
}

export interface EditedMessage extends MessageWords {
  /** Telegram removes the keyboard of a message that is edited without it. */
  reply_markup?: object | undefined;
}

/** Actions on messages in Telegram. A refusal changes nothing here. */
export interface MessageActions {
  pin(caller: Caller, target: ActionTarget, notify: boolean): Promise<StoredMessage | undefined>;
  unpin(caller: Caller, target: ActionTarget): Promise<StoredMessage | undefined>;
  unpinAll(caller: Caller, chat: Omit<ActionTarget, 'message_id'>): Promise<void>;
  /** Marks the stored message as deleted. */
  delete(caller: Caller, target: ActionTarget): Promise<StoredMessage | undefined>;
  /** The text, or the caption of media. */
  edit(caller: Caller, target: ActionTarget, edited: EditedMessage): Promise<StoredMessage>;
  sendMedia(caller: Caller, message: MediaMessage): Promise<StoredMessage | ScheduledMessage>;
}

/** How long an action waits for sending limits. */
const maxWaitMs = 5_000;

export function createMessageActions(options: {
  store: Store;
  sender: Sender;
  members: Pick<ChatMembers, 'attempt'>;
  events: EventBus;
  scheduled: ScheduledMessages;
}): MessageActions {
  const { store, sender, members, events, scheduled } = options;

  function call(
    caller: Caller,
    target: { bot_id: number; chat_id: number },
    method: string,
    params: Record<string, unknown>,
  ): Promise<unknown> {
    return sender.send({
      botId: target.bot_id,
      chatId: target.chat_id,
      method,
      params: { chat_id: target.chat_id, ...params },
      priority: 'interactive',
      origin: 'sent',
      author: authorOf(caller),
      maxWaitMs,
    });
  }

  /** Tells the web UI that the message it shows has changed. */
  function publish(chat: { bot_id: number; chat_id: number }, id: number): void {
    events.publish('message', chat.bot_id, { chat_id: chat.chat_id, id, kind: 'changed' });
  }

  /** Telegram's ID of a message; for a business account, with its connection. */
  async function named({ bot_id, chat_id, message_id }: ActionTarget) {
    if (message_id > 0) return { message_id };
    const stored = await store.messages.get(bot_id, chat_id, message_id);
    const connection = stored?.business_connection_id ?? '';
    const accountId = accountMessageId(connection, message_id);
    if (accountId !== undefined) {
      return { message_id: accountId, business_connection_id: connection };
    }
    throw invalidField('message_id', reason('stored_message_needed'));
  }

  async function act(
    caller: Caller,
    target: ActionTarget,
    action: ChatAction,
    method: string,
    more: Record<string, unknown> = {},
  ): Promise<StoredMessage | undefined> {
    const bot = await requireManaged(store, caller, target.bot_id);
    const { business_connection_id: connection, message_id } = await named(target);
    if (connection === undefined) {
      await members.attempt(bot, target.chat_id, action, () =>
        call(caller, target, method, { message_id, ...more }),
      );
    } else {
      // In such a chat the bot has no rights of its own: the account's owner decides what it may
      // do.
      const own = { business_connection_id: connection };
      await (action === 'delete'
        ? call(caller, target, 'deleteBusinessMessages', { ...own, message_ids: [message_id] })
        : call(caller, target, method, { ...own, message_id, ...more }));
    }
    publish(target, target.message_id);
    return store.messages.get(target.bot_id, target.chat_id, target.message_id);
  }

  /** Returns the stored message of Telegram's response, which the sender has stored. */
  async function answered(botId: number, result: unknown): Promise<StoredMessage> {
    const facts = emptyFacts();
    addMessageFacts(facts, object(result) ?? {});
    const [sent] = facts.messages;
    const stored =
      typeof sent?.id === 'number'
        ? await store.messages.get(botId, sent.chatId, sent.id)
        : undefined;
    if (stored) return stored;
    throw new RelayError('platform_timeout', reason('platform_without_message'));
  }

  return {
    pin: (caller, target, notify) =>
      act(caller, target, 'pin', 'pinChatMessage', { disable_notification: !notify }),
    unpin: (caller, target) => act(caller, target, 'unpin', 'unpinChatMessage'),
    async unpinAll(caller, chat) {
      const bot = await requireManaged(store, caller, chat.bot_id);
      await members.attempt(bot, chat.chat_id, 'unpin', () =>
        call(caller, chat, 'unpinAllChatMessages', {}),
      );
      publish(chat, 0);
    },
    delete: (caller, target) => act(caller, target, 'delete', 'deleteMessage'),

    async edit(caller, target, { reply_markup, ...words }) {
      const params = await oneMessage(words);
      await requireManaged(store, caller, target.bot_id);
      const { bot_id: botId, chat_id: chatId, message_id: id } = target;
      const before = await store.messageHistory.get({ botId, chatId, id });
      const isCaption = before !== undefined && before.media_type !== null && 'text' in params;
      const result = await call(
        caller,
        target,
        isCaption ? 'editMessageCaption' : 'editMessageText',
        {
          ...(await named(target)),
          ...(isCaption ? asCaption(params) : params),
          ...given({ reply_markup }),
        },
      );
      return answered(botId, result);
    },

    async sendMedia(caller, message) {
      const { bot_id, send_at } = message;
      const bot = await requireManaged(store, caller, bot_id);
      if (send_at !== undefined) return scheduled.addMedia(caller, bot, { ...message, send_at });
      const { method, params } = await mediaCall(message);
      return answered(bot_id, await call(caller, message, method, params));
    },
  };
}

/** The parameters of a text, for the caption of media, which has no link preview. */
function asCaption({ text, entities, parse_mode }: Record<string, unknown>) {
  return given({ caption: text, parse_mode, caption_entities: entities });
}
