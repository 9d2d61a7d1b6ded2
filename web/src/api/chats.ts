import { queryOptions } from '@tanstack/react-query';
import type { Chat, Topic, WarningSettings } from '../../../src/api-types.ts';
import { get, post } from './client/client.ts';
import { refreshOn } from './client/refresh-on.ts';

export type { Chat, Topic };
export type WarnSettings = WarningSettings;

/** A chat as one bot sees it. */
export interface ChatKey {
  bot_id: number;
  chat_id: number;
}

/** A chat, or a topic of it. */
export interface TopicKey extends ChatKey {
  message_thread_id?: number;
}

/** Topic 0, or none, means all of the chat. */
export const topicKey = (botId: number, chatId: number, topic = 0): TopicKey => ({
  bot_id: botId,
  chat_id: chatId,
  ...(topic === 0 ? {} : { message_thread_id: topic }),
});

/** The key of an entry in a list: a chat, or a topic that is a conversation. */
export const entryKey = ({ bot_id, chat_id, message_thread_id }: TopicKey): TopicKey =>
  topicKey(bot_id, chat_id, message_thread_id);

/** The topic as far as it is a conversation; 0 means the whole chat. */
export function conversationTopic(
  bot: { per_topic: boolean },
  chatId: number,
  topic: number | undefined,
): number {
  return bot.per_topic && chatId > 0 ? (topic ?? 0) : 0;
}

/** Limits a list of chats. */
export interface ChatsQuery {
  bot_id?: number;
  state?: 'waiting' | 'unfinished';
  assignee?: string;
  tag?: string;
  message_thread_id?: number;
  order?: 'waiting';
}

export const chatsOf = (
  query: ChatsQuery & { q: string; before?: string; limit: number },
  signal?: AbortSignal,
) => get('/api/chats', query, signal);

/** How many conversations wait, and for how long. */
export const chatCountsQuery = (limits: Omit<ChatsQuery, 'state' | 'order'> = {}) =>
  queryOptions({
    queryKey: ['chats', 'counts', limits],
    meta: refreshOn(['chat', 'sent', 'received'], limits.bot_id),
    queryFn: ({ signal }) => get('/api/chats/counts', limits, signal),
    // A snooze ends without an event.
    refetchInterval: 60_000,
  });

/** A chat, or with a topic other than 0 one that is a conversation. */
export const chatQuery = (botId: number, chatId: number, topic = 0) =>
  queryOptions({
    queryKey: ['chats', botId, chatId, ...(topic === 0 ? [] : ['topic', topic])],
    meta: refreshOn(['chat']),
    queryFn: ({ signal }) => get('/api/chats/get', { ...topicKey(botId, chatId, topic) }, signal),
    retry: false,
  });

/** The same for an entry of a list. */
export const entryQuery = ({ bot_id, chat_id, message_thread_id }: TopicKey) =>
  chatQuery(bot_id, chat_id, message_thread_id);

/** Without a bot, the users who may have conversations of any bot. */
export const assigneesQuery = (botId?: number) =>
  queryOptions({
    queryKey: ['assignees', botId ?? 0],
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      get('/api/chats/assignees', botId === undefined ? {} : { bot_id: botId }, signal),
  });

export const assignChat = (body: TopicKey & { assignee: string; confirm?: boolean }) =>
  post('/api/chats/assign', { body });
export const setChatState = (body: TopicKey & { state: 'open' | 'done' }) =>
  post('/api/chats/state', { body });
export const snoozeChat = (body: TopicKey & { until?: string }) =>
  post('/api/chats/snooze', { body });
export const readChat = (body: TopicKey) => post('/api/chats/read', { body });
export const tellWriting = (body: TopicKey) => post('/api/chats/writing', { body });

/** The topics of a chat, the latest first, or those with these words in their names. */
export const topicsQuery = (botId: number, chatId: number, q: string) =>
  queryOptions({
    queryKey: ['chats', botId, chatId, 'topics', q],
    meta: refreshOn(['chat', 'sent', 'received'], botId),
    queryFn: ({ signal }) =>
      get(
        '/api/chats/topics',
        { bot_id: botId, chat_id: chatId, limit: 200, ...(q === '' ? {} : { q }) },
        signal,
      ),
    retry: false,
  });

/** Asks the platform about the chat. */
export const refreshChat = (chatKey: ChatKey) =>
  post('/api/chats/refresh', { query: { ...chatKey } });
export const forgetChat = (chatKey: ChatKey) =>
  post('/api/chats/forget', { query: { ...chatKey } });

export const warnSettingsQuery = (chatKey: ChatKey) =>
  queryOptions({
    queryKey: ['chats', chatKey.bot_id, chatKey.chat_id, 'warn-settings'],
    meta: refreshOn(['chat']),
    queryFn: ({ signal }) => get('/api/chats/warn-settings', { ...chatKey }, signal),
    retry: false,
  });

export const saveWarnSettings = (chatKey: ChatKey, body: WarnSettings) =>
  post('/api/chats/warn-settings', { query: { ...chatKey }, body });
