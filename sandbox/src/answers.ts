/*
 * Types of the responses of control actions, as far as clients read them; objects of the Bot API
 * may have more fields. The file has only types and no imports, so that a page can use it too.
 * control.ts is checked against it.
 */

export interface Person {
  id: number;
  is_bot: boolean;
  first_name: string;
  last_name?: string;
  username?: string;
}

export interface PracticeBot extends Person {
  token: string;
  pendingUpdates: number;
  webhookUrl: string;
  privacyMode: boolean;
  /** Its private chats can have topics. */
  hasTopics: boolean;
}

export interface SandboxChat {
  id: number;
  type: 'private' | 'group' | 'supergroup' | 'channel';
  title?: string | undefined;
  first_name?: string | undefined;
  username?: string | undefined;
}

export interface SandboxWorld {
  users: Person[];
  bots: PracticeBot[];
  chats: (SandboxChat & { members: { user: Person; status: string }[] })[];
}

export interface InlineButton {
  text: string;
  callback_data?: string;
  url?: string;
  pay?: boolean;
  disabled?: object;
}

export interface SandboxMessage {
  message_id: number;
  message_thread_id?: number;
  date: number;
  edit_date?: number;
  from?: Person;
  chat: SandboxChat;
  text?: string;
  entities?: { type: string; offset: number; length: number; url?: string; language?: string }[];
  caption?: string;
  caption_entities?: SandboxMessage['entities'];
  photo?: { file_id: string; width: number; height: number }[];
  document?: { file_id: string; file_name?: string };
  sticker?: { file_id: string; emoji?: string };
  invoice?: { title: string; description: string };
  successful_payment?: object;
  refunded_payment?: object;
  reply_to_message?: SandboxMessage | undefined;
  reply_markup?: { inline_keyboard?: InlineButton[][] };
  new_chat_members?: Person[];
  left_chat_member?: Person;
  forum_topic_created?: { name: string };
  forum_topic_edited?: { name?: string };
  forum_topic_closed?: object;
  forum_topic_reopened?: object;
}

export interface SandboxShownMessage {
  message: SandboxMessage;
  outgoing: boolean;
  pinned: boolean;
  /** A reply keyboard, its removal or a forced reply. */
  keyboard?: { keyboard?: ({ text: string } | string)[][] };
}

export interface SandboxShownChat {
  key: string;
  chat: SandboxChat;
  /** Only in private chats: the user blocked the bot. */
  blocked: boolean;
  memberCount: number;
  lastMessage?: SandboxShownMessage;
  /** It is a forum, or a private chat with topics. */
  hasTopics: boolean;
}

export interface SandboxTopic {
  message_thread_id: number;
  name: string;
  icon_color: number;
  isClosed: boolean;
  isHidden: boolean;
  lastMessage?: SandboxShownMessage;
}

export interface SandboxFault {
  id: number;
  kind: string;
  botId?: number;
  times?: number;
  struck: number;
}

/** Responses by the name of the action. */
export interface ControlAnswers {
  snapshot: SandboxWorld;
  'users/create': { id: number };
  'users/chats': SandboxShownChat[];
  'chats/create': { id: number };
  topics: SandboxTopic[];
  history: SandboxShownMessage[];
  say: SandboxMessage;
  edit: SandboxMessage;
  'send-media': SandboxMessage;
  'send-content': SandboxMessage;
  forward: SandboxMessage;
  press: { type: string; id?: string };
  'callback-answer': { pending?: boolean; text?: string };
  'faults/list': SandboxFault[];
}
