import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { botsQuery } from '../../api/bots.ts';
import { type Chat, chatsQuery } from '../../api/chats.ts';
import { onLiveEvent } from '../../api/live.ts';

const storageKey = 'relay-chats';
const most = 200;

export interface KnownChat {
  botId: number;
  chatId: number;
  title: string;
  type: string;
  /** Milliseconds, 0 when unknown. */
  at: number;
}

/** The service's list, and chats this browser saw something happen in. */
export function useKnownChats(): { chats: KnownChat[]; isPending: boolean } {
  const bots = useQuery(botsQuery);
  const lists = useQueries({ queries: (bots.data ?? []).map((bot) => chatsQuery(bot.id)) });
  const seen = useSeenChats();
  const known = new Map<string, KnownChat>();
  for (const chat of lists.flatMap((list) => list.data ?? [])) {
    known.set(`${chat.bot_id}:${chat.chat_id}`, ofServer(chat));
  }
  for (const chat of seen) {
    const key = `${chat.botId}:${chat.chatId}`;
    const listed = known.get(key);
    if (!bots.data?.some((bot) => bot.id === chat.botId)) continue;
    known.set(key, listed ? { ...listed, at: Math.max(listed.at, chat.at) } : chat);
  }
  return {
    chats: [...known.values()].toSorted((left, right) => right.at - left.at),
    isPending: bots.isPending || lists.some((list) => list.isPending),
  };
}

function ofServer(chat: Chat): KnownChat {
  return {
    botId: chat.bot_id,
    chatId: chat.chat_id,
    title: chat.title || (chat.username ? `@${chat.username}` : ''),
    type: chat.type,
    at: chat.last_message_at === '' ? 0 : Date.parse(chat.last_message_at),
  };
}

/** Chats in which a message came by while this browser looked on. */
function useSeenChats(): KnownChat[] {
  const [seen, setSeen] = useState(read);
  useEffect(
    () =>
      onLiveEvent(({ type, data }) => {
        if (type !== 'message') return;
        setSeen((before) => noted(before, data.bot_id, Number(data['chat_id'])));
      }),
    [],
  );
  return seen;
}

function noted(before: KnownChat[], botId: number, chatId: number): KnownChat[] {
  const others = before.filter((chat) => chat.botId !== botId || chat.chatId !== chatId);
  const next = [{ botId, chatId, title: '', type: '', at: Date.now() }, ...others].slice(0, most);
  try {
    localStorage.setItem(storageKey, JSON.stringify(next));
  } catch {
    // Without storage the list lasts until the page is closed.
  }
  return next;
}

function read(): KnownChat[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(stored) ? (stored as KnownChat[]) : [];
  } catch {
    return [];
  }
}
