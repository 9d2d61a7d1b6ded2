import type { Message } from '../../../api/client/types.ts';

/** A part of a chat: its end, the messages before or after one, or those around one. */
export type Part = { end: true } | { before: number } | { after: number } | { around: number };

/** Messages, newest first, as the service returns them; the first page is the newest one. */
export interface HistoryPage {
  messages: Message[];
  hasOlder: boolean;
  hasNewer: boolean;
}
/** The form of the query's data. */
export interface Pages {
  pages: HistoryPage[];
  pageParams: Part[];
}

/** More messages than anybody scrolls back in a chat that was open for days. */
const most = 2_000;
const maxMessages = 300;

/**
 * Merges the end of a chat, refetched, into the loaded messages: changed messages replace the old
 * ones, new ones are sorted in by time, as some are stored later than their successors. `newest`
 * must reach back to the loaded messages.
 */
export function merged(data: Pages, newest: Message[]): Pages {
  const pages = changed(data, newest).pages;
  const [first, ...rest] = pages;
  if (!first || first.hasNewer) return { ...data, pages };
  const known = new Set(pages.flatMap((page) => page.messages.map(({ id }) => id)));
  const added = newest.filter(({ id }) => !known.has(id));
  if (added.length === 0) return { ...data, pages };
  const messages = [...added, ...first.messages].toSorted(newestFirst);
  return { ...data, pages: [{ ...first, messages }, ...rest] };
}

/** Replaces the given messages if they are loaded. */
export function changed(data: Pages, messages: readonly Message[]): Pages {
  const fresh = new Map(messages.map((message) => [message.id, message]));
  return mapped(data, (one) => fresh.get(one.id) ?? one);
}

/** Unpins all messages. */
export function unpinned(data: Pages): Pages {
  return mapped(data, (one) => (one.pinned ? { ...one, pinned: false } : one));
}

/** Keeps only the end if too many messages are loaded. */
export function shortened(data: Pages): Pages {
  const messages = data.pages.flatMap((page) => page.messages);
  if (messages.length <= most || data.pages[0]?.hasNewer) return data;
  return endOf(messages.slice(0, maxMessages), true);
}

export function endOf(messages: Message[], hasOlder: boolean): Pages {
  return { pages: [{ messages, hasOlder, hasNewer: false }], pageParams: [{ end: true }] };
}

function mapped(data: Pages, change: (message: Message) => Message): Pages {
  const pages = data.pages.map((page) => ({ ...page, messages: page.messages.map(change) }));
  return { ...data, pages };
}

/** Compares messages in the order of the service. */
function newestFirst(left: Message, right: Message): number {
  return right.date - left.date || right.id - left.id;
}
