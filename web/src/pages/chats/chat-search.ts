/** What the address of a chat tells besides the chat. */
export interface ChatSearch {
  /** Begin at this message. */
  message?: number;
  /** Beside it: the chat itself, or a person of it. */
  about?: 'chat' | number;
  /** Beside it: the replies around this message. */
  thread?: number;
  /** What the list of chats is searched for. */
  q?: string;
}

export function readChatSearch(search: Record<string, unknown>): ChatSearch {
  const { about, message, q, thread } = search;
  return {
    ...(isNumber(message) ? { message } : {}),
    ...(about === 'chat' || isNumber(about) ? { about } : {}),
    ...(isNumber(thread) ? { thread } : {}),
    // Digits in an address are read as a number.
    ...(isNumber(q) || (typeof q === 'string' && q !== '') ? { q: String(q) } : {}),
  };
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
