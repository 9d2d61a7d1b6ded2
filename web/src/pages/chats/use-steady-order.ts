import { useEffect, useMemo, useRef } from 'react';
import type { Chat } from '../../api/chats.ts';
import { keyOf, timeOf } from './use-chats.ts';

interface Order {
  chats: Chat[];
  /** Chats that move up or appear once the list is left. */
  waiting: number;
}

/**
 * While the list is held, each chat keeps its place, so that no other one slips under the pointer. What the
 * rows say changes all the same.
 */
export function useSteadyOrder(chats: Chat[], isHeld: boolean, scope: string): Order {
  const shown = useRef({ scope: '', chats });
  const order = useMemo(
    () =>
      isHeld && shown.current.scope === scope
        ? inSamePlaces(shown.current.chats, chats)
        : { chats, waiting: 0 },
    [chats, isHeld, scope],
  );
  useEffect(() => {
    shown.current = { scope, chats: order.chats };
  }, [order, scope]);
  return order;
}

/** Older chats, which were loaded meanwhile, follow at the end. */
function inSamePlaces(before: Chat[], now: Chat[]): Order {
  const current = new Map(now.map((chat) => [keyOf(chat), chat]));
  const known = new Set(before.map(keyOf));
  const kept = before.flatMap((chat) => current.get(keyOf(chat)) ?? []);
  const end = before.reduce((oldest, chat) => Math.min(oldest, timeOf(chat.cursor)), Infinity);
  const added = now.filter((chat) => !known.has(keyOf(chat)));
  const older = added.filter((chat) => timeOf(chat.cursor) <= end);
  let waiting = added.length - older.length;
  let oldest = Infinity;
  for (const { cursor } of kept) {
    if (timeOf(cursor) > oldest) waiting += 1;
    oldest = Math.min(oldest, timeOf(cursor));
  }
  return { chats: [...kept, ...older], waiting };
}
