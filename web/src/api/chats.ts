import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { Chat as ChatSchema } from '../../../src/http/api/people/chat-schema.ts';
import type { WarnSettings as WarnSettingsSchema } from '../../../src/http/api/people/person-schema.ts';
import { get, post } from './client/client.ts';

export type Chat = Static<typeof ChatSchema>;
export type WarnSettings = Static<typeof WarnSettingsSchema>;

/** A chat as one bot sees it. */
export interface ChatPlace {
  bot_id: number;
  chat_id: number;
}

export const chatsOf = (
  query: { bot_id: number; q: string; before?: string; limit: number },
  signal?: AbortSignal,
) => get<Chat[]>('/api/chats', { ...query }, signal);

export const chatQuery = (botId: number, chatId: number) =>
  queryOptions({
    queryKey: ['chats', botId, chatId],
    queryFn: ({ signal }) =>
      get<Chat>('/api/chats/get', { bot_id: botId, chat_id: chatId }, signal),
    retry: false,
  });

/** Asks the platform about the chat. */
export const refreshChat = (place: ChatPlace) =>
  post<Chat>('/api/chats/refresh', { query: { ...place } });
export const forgetChat = (place: ChatPlace) =>
  post<Chat>('/api/chats/forget', { query: { ...place } });

export const warnSettingsQuery = (place: ChatPlace) =>
  queryOptions({
    queryKey: ['chats', place.bot_id, place.chat_id, 'warn-settings'],
    queryFn: ({ signal }) => get<WarnSettings>('/api/chats/warn-settings', { ...place }, signal),
    retry: false,
  });

export const saveWarnSettings = (place: ChatPlace, body: WarnSettings) =>
  post<WarnSettings>('/api/chats/warn-settings', { query: { ...place }, body });
