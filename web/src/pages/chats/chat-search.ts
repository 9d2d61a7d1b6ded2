/** The search parameters of a chat's URL. */
export interface ChatSearch {
  /** Start at this message. */
  message?: number;
  /** The side panel: the chat itself, or one of its people. */
  about?: 'chat' | number;
  /** The side panel: the replies around this message. */
  thread?: number;
  /** The search text of the chat list. */
  q?: string;
}

export function readChatSearch(search: Record<string, unknown>): ChatSearch {
  const { about, message, q, thread } = search;
  return {
    ...(isNumber(message) ? { message } : {}),
    ...(about === 'chat' || isNumber(about) ? { about } : {}),
    ...(isNumber(thread) ? { thread } : {}),
    // Digits in a URL are parsed as a number.
    ...(isNumber(q) || (typeof q === 'string' && q !== '') ? { q: String(q) } : {}),
  };
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
