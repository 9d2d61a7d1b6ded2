import { useEffect, useState } from 'react';
import { onLiveEvent } from '../../api/live.ts';
import type { Bot } from '../../api/types.ts';

const storageKey = 'relay-chats';
const most = 200;

export interface KnownChat {
  botId: number;
  chatId: number;
}

/** The chats of bots that are still here, the latest first. */
export function useKnownChats(bots: Bot[]): KnownChat[] {
  return useSeenChats().filter((chat) => bots.some((bot) => bot.id === chat.botId));
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
  const next = [{ botId, chatId }, ...others].slice(0, most);
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
