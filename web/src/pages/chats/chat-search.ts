/** The search parameters of a chat's URL. */
export interface ChatSearch {
  /** The message to start at. */
  message?: number;
  /** The open topic of the chat; 0 for the messages of all topics. */
  topic?: number;
  /** What the side panel shows: the chat itself, or one of its people. */
  about?: 'chat' | number;
  /** Asks whether to ban the person whom the side panel shows. */
  ban?: true;
  /** Shows the replies around this message in the side panel. */
  thread?: number;
  /** Shows where this message went in the side panel. */
  timeline?: number;
  /** The search text of the chat list. */
  q?: string | undefined;
  /** Which conversations the list shows; all chats without it. */
  inbox?: 'waiting' | 'mine' | undefined;
  /** The list shows only chats of this bot, with this tag, or of this assignee. */
  bot?: number | undefined;
  tag?: string | undefined;
  assignee?: string | undefined;
  /** The list shows only topics with this number. */
  in_topic?: number | undefined;
}

export function readChatSearch(search: Record<string, unknown>): ChatSearch {
  const { about, assignee, ban, bot, in_topic, inbox, message, q, tag, thread, timeline, topic } =
    search;
  return {
    ...(isNumber(message) ? { message } : {}),
    ...(isNumber(topic) && topic >= 0 ? { topic } : {}),
    ...(about === 'chat' || isNumber(about) ? { about } : {}),
    ...(ban === true ? { ban } : {}),
    ...(isNumber(thread) ? { thread } : {}),
    ...(isNumber(timeline) ? { timeline } : {}),
    // Digits in a URL are parsed as a number.
    ...(isNumber(q) || (typeof q === 'string' && q !== '') ? { q: String(q) } : {}),
    ...(isNumber(tag) || (typeof tag === 'string' && tag !== '') ? { tag: String(tag) } : {}),
    ...(inbox === 'waiting' || inbox === 'mine' ? { inbox } : {}),
    ...(isNumber(bot) ? { bot } : {}),
    ...(isNumber(in_topic) && in_topic > 0 ? { in_topic } : {}),
    ...(typeof assignee === 'string' && isAssignee.test(assignee) ? { assignee } : {}),
  };
}

/** What limits the list. Links within the Chats page carry it, so that the address always names it. */
export const listParams = ['q', 'inbox', 'bot', 'tag', 'assignee', 'in_topic'] as const;
export type ListSearch = Pick<ChatSearch, (typeof listParams)[number]>;

export const listSearchOf = (search: ChatSearch): ListSearch =>
  Object.fromEntries(
    listParams.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])),
  );

const isAssignee = /^(me|none|(user|person):[1-9]\d{0,15})$/;

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
