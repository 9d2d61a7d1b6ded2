import { useEffect, useMemo, useRef } from 'react';
import type { Chat } from '../../api/chats.ts';
import { keyOf, timeOf } from './use-chats.ts';

interface Order {
  chats: Chat[];
  /** The number of chats that move up or appear once the list is left. */
  waiting: number;
}

/**
 * Keeps each chat in its place while the list is held, so that no other one slips under the
 * pointer. The content of rows still changes.
 */
export function useSteadyOrder(
  chats: Chat[],
  isHeld: boolean,
  scope: string,
  /** True if the list begins with its oldest chats. */
  isOldestFirst = false,
): Order {
  const shown = useRef({ scope: '', chats });
  const order = useMemo(
    () =>
      isHeld && shown.current.scope === scope
        ? inSamePlaces(shown.current.chats, chats, isOldestFirst ? -1 : 1)
        : { chats, waiting: 0 },
    [chats, isHeld, isOldestFirst, scope],
  );
  useEffect(() => {
    shown.current = { scope, chats: order.chats };
  }, [order, scope]);
  return order;
}

/** Returns the held order; older chats that were loaded meanwhile follow at the end. */
function inSamePlaces(before: Chat[], now: Chat[], sign: 1 | -1): Order {
  const placeOf = ({ cursor }: Chat) => sign * timeOf(cursor);
  const current = new Map(now.map((chat) => [keyOf(chat), chat]));
  const known = new Set(before.map(keyOf));
  const kept = before.flatMap((chat) => current.get(keyOf(chat)) ?? []);
  const end = before.reduce((oldest, chat) => Math.min(oldest, placeOf(chat)), Infinity);
  const added = now.filter((chat) => !known.has(keyOf(chat)));
  const older = added.filter((chat) => placeOf(chat) <= end);
  let waiting = added.length - older.length;
  let oldest = Infinity;
  for (const chat of kept) {
    if (placeOf(chat) > oldest) waiting += 1;
    oldest = Math.min(oldest, placeOf(chat));
  }
  return { chats: [...kept, ...older], waiting };
}
