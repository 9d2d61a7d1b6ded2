import { queryOptions, useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type LoggedUpdate, logOf } from '../../api/deliveries.ts';
import { onLiveEvent } from '../../api/live.ts';
import type { Bot } from '../../api/types.ts';

export interface KnownChat {
  botId: number;
  chatId: number;
  title: string;
  /** Milliseconds. */
  at: number;
}

interface WireChat {
  id: number;
  title?: string;
  first_name?: string;
  last_name?: string;
}

interface WirePart {
  chat?: WireChat;
  message?: { chat?: WireChat };
}

const looksBack = 200;

/** Chats with something in the newest part of the update log, the latest first. */
export function useKnownChats(bots: Bot[]): { chats: KnownChat[]; isPending: boolean } {
  const logs = useQueries({ queries: bots.map((bot) => loggedChatsQuery(bot.id)) });
  const live = useLiveChats();
  const known = new Map<string, KnownChat>();
  for (const chat of [...logs.flatMap((log) => log.data ?? []), ...live]) {
    const key = `${chat.botId}:${chat.chatId}`;
    const before = known.get(key);
    known.set(key, {
      ...chat,
      title: chat.title || (before?.title ?? ''),
      at: Math.max(chat.at, before?.at ?? 0),
    });
  }
  return {
    chats: [...known.values()].toSorted((left, right) => right.at - left.at),
    isPending: logs.some((log) => log.isPending),
  };
}

/** Read once per visit; what comes later is told by events. */
const loggedChatsQuery = (botId: number) =>
  queryOptions({
    queryKey: ['known-chats', botId],
    queryFn: async ({ signal }) => {
      const updates = await logOf(botId, { limit: looksBack }, signal);
      return updates.flatMap((update) => chatOf(botId, update));
    },
  });

function chatOf(botId: number, update: LoggedUpdate): KnownChat[] {
  const part = (JSON.parse(update.raw) as Record<string, WirePart | undefined>)[update.kind];
  const chat = part?.chat ?? part?.message?.chat;
  if (!chat) return [];
  const title = chat.title ?? [chat.first_name, chat.last_name].filter(Boolean).join(' ');
  return [{ botId, chatId: chat.id, title, at: Date.parse(update.received_at) }];
}

function useLiveChats(): KnownChat[] {
  const [chats, setChats] = useState<KnownChat[]>([]);
  useEffect(
    () =>
      onLiveEvent(({ type, data }) => {
        if (type !== 'message') return;
        const botId = data.bot_id;
        const chatId = Number(data['chat_id']);
        setChats((before) => [
          { botId, chatId, title: '', at: Date.now() },
          ...before.filter((chat) => chat.botId !== botId || chat.chatId !== chatId),
        ]);
      }),
    [],
  );
  return chats;
}
