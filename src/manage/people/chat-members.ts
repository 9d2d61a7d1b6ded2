import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import type { Author } from '../../core/messages/author.ts';
import {
  type AdminRight,
  type ChatAction,
  chatActions,
  type ChatMember,
  checkRight,
  readChatMember,
  rightFor,
  type RightsCheck,
} from '../../core/people/chat-rights.ts';
import type { Sender } from '../../core/ports.ts';
import { RelayError } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { Store } from '../../store/store.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import { toRelayError } from '../../telegram/errors.ts';

export interface MemberTarget {
  bot: BotRecord;
  chatId: number;
  userId: number;
  /** Who acts on the member. */
  author: Author;
}

/** Asks Telegram about the members of a chat, and acts on them through the outbox. */
export interface ChatMembers {
  ask(bot: BotRecord, chatId: number, userId: number): Promise<ChatMember>;
  administrators(bot: BotRecord, chatId: number): Promise<ChatMember[]>;
  rightsChecks(bot: BotRecord, chatId: number, userId: number | undefined): Promise<RightsCheck[]>;
  /** Makes a call to Telegram; the error of a refusal says which right is missing, if that is the reason. */
  attempt<T>(
    bot: BotRecord,
    chatId: number,
    action: ChatAction,
    work: () => Promise<T>,
  ): Promise<T>;
  /** Makes one call on a member. */
  act(
    target: MemberTarget,
    action: ChatAction,
    method: string,
    params?: Record<string, unknown>,
  ): Promise<void>;
  /** Stores the current state of members. */
  keep(botId: number, chatId: number, members: readonly ChatMember[]): Promise<void>;
  chatType(botId: number, chatId: number): Promise<string>;
}

export interface ChatMembersOptions {
  store: Store;
  telegram: TelegramClient;
  sender: Sender;
  clock: Clock;
}

/** How long the bot's own rights are cached. */
const ownRightsMs = 10_000;
const maxCached = 10_000;
/** How long an action waits for sending limits. */
const maxWaitMs = 5_000;
/** Supergroups and channels have IDs below this. */
const firstSupergroupId = -1_000_000_000_000;

export function createChatMembers(options: ChatMembersOptions): ChatMembers {
  const { store, telegram, sender, clock } = options;
  const own = new Map<string, { member: ChatMember; at: number }>();

  async function call(bot: BotRecord, method: string, params: Record<string, unknown>) {
    try {
      return await telegram.call(bot.token, method, params);
    } catch (error) {
      throw toRelayError(error);
    }
  }

  async function ask(bot: BotRecord, chatId: number, userId: number): Promise<ChatMember> {
    const params = { chat_id: chatId, user_id: userId };
    const member = readChatMember(await call(bot, 'getChatMember', params));
    if (member) return member;
    throw new RelayError('platform_unreachable', reason('platform_without_member'));
  }

  async function ownMember(bot: BotRecord, chatId: number, fresh = false): Promise<ChatMember> {
    const key = `${bot.id} ${chatId}`;
    const known = own.get(key);
    if (!fresh && known && clock.monotonic() - known.at < ownRightsMs) return known.member;
    const member = await ask(bot, chatId, bot.platform_id);
    if (own.size >= maxCached) own.clear();
    own.set(key, { member, at: clock.monotonic() });
    return member;
  }

  async function chatType(botId: number, chatId: number): Promise<string> {
    const known = await store.chats.get(botId, chatId);
    if (known && known.type !== '') return known.type;
    if (chatId > 0) return 'private';
    return chatId < firstSupergroupId ? 'supergroup' : 'group';
  }

  /** Returns the right that the bot lacks; '' if it has it, or if that is unknown. */
  async function missingRight(
    bot: BotRecord,
    chatId: number,
    action: ChatAction,
  ): Promise<AdminRight | ''> {
    const right = rightFor(action);
    if ((await chatType(bot.id, chatId)) === 'private') return '';
    const member = await ownMember(bot, chatId, true).catch(() => undefined);
    return member && !member.rights.includes(right) ? right : '';
  }

  async function attempt<T>(
    bot: BotRecord,
    chatId: number,
    action: ChatAction,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RelayError) || error.code !== 'platform_refused') throw error;
      const right = await missingRight(bot, chatId, action);
      if (right === '') throw error;
      throw new RelayError(
        'platform_refused',
        reason('platform_refused_for_right', { refusal: error.reason, right }),
        {
          details: [{ right, problem: reason('right_missing') }],
          ...(error.platform ? { platform: error.platform } : {}),
          cause: error,
        },
      );
    }
  }

  return {
    ask,
    chatType,
    async administrators(bot, chatId) {
      const answer = await call(bot, 'getChatAdministrators', { chat_id: chatId });
      const list: unknown[] = Array.isArray(answer) ? answer : [];
      return list.map(readChatMember).filter((member) => member !== undefined);
    },
    async rightsChecks(bot, chatId, userId) {
      const self = await ownMember(bot, chatId);
      const target = userId === undefined ? undefined : await ask(bot, chatId, userId);
      const type = await chatType(bot.id, chatId);
      return chatActions.map((action) => checkRight(action, type, self, target));
    },
    attempt,
    async act({ bot, chatId, userId, author }, action, method, params = {}) {
      await attempt(bot, chatId, action, () =>
        sender.send({
          botId: bot.id,
          // The call is no message, so it passes no chat whose message limits would delay it.
          chatId: 0,
          method,
          params: { chat_id: chatId, user_id: userId, ...params },
          priority: 'interactive',
          origin: 'sent',
          author,
          maxWaitMs,
        }),
      );
    },
    keep: (botId, chatId, members) =>
      store.members.save(
        members.map(({ person, status, until, title, rights }) => ({
          bot_id: botId,
          chat_id: chatId,
          user_id: person.userId,
          status,
          until_at: until * 1000,
          title,
          rights: rights.length > 0 ? JSON.stringify(rights) : '',
        })),
        clock.now(),
      ),
  };
}
