import type { Message } from '../../../api/client/types.ts';

/** Which part of a chat: its end, or what is older or newer than a message, or around one. */
export type Part = { end: true } | { before: number } | { after: number } | { around: number };

/** Newest first, as the service gives it; the first page is the newest one. */
export interface HistoryPage {
  messages: Message[];
  hasOlder: boolean;
  hasNewer: boolean;
}
/** As the query holds them. */
export interface Pages {
  pages: HistoryPage[];
  pageParams: Part[];
}

/** More than anybody scrolls back to from the end of a chat that was open for days. */
const most = 2_000;
const maxMessages = 300;

/**
 * The end of a chat, read again, put over what is loaded: changed messages replace what was there,
 * new ones stand where their time puts them, as some are stored later than those after them.
 * `newest` has to reach back to what is loaded.
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

/** Those of the given messages that are loaded, as they are now. */
export function changed(data: Pages, messages: readonly Message[]): Pages {
  const fresh = new Map(messages.map((message) => [message.id, message]));
  return mapped(data, (one) => fresh.get(one.id) ?? one);
}

/** Nothing is pinned any more. */
export function unpinned(data: Pages): Pages {
  return mapped(data, (one) => (one.pinned ? { ...one, pinned: false } : one));
}

/** Only the end, where more has come in than is worth keeping; else the same. */
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

/** The order of the service. */
function newestFirst(left: Message, right: Message): number {
  return right.date - left.date || right.id - left.id;
}
