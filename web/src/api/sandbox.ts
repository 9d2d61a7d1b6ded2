import { queryOptions } from '@tanstack/react-query';
import { get, post, withQuery } from './client/client.ts';

/** The world of the sandbox, as its control interface tells it. */
export interface SandboxPerson {
  id: number;
  is_bot: boolean;
  first_name: string;
  last_name?: string;
  username?: string;
}

export interface SandboxBot extends SandboxPerson {
  token: string;
  pendingUpdates: number;
  webhookUrl: string;
  privacyMode: boolean;
}

export interface SandboxChat {
  id: number;
  type: 'private' | 'group' | 'supergroup' | 'channel';
  title?: string;
  first_name?: string;
  username?: string;
}

export interface SandboxWorld {
  users: SandboxPerson[];
  bots: SandboxBot[];
  chats: (SandboxChat & { members: { user: SandboxPerson; status: string }[] })[];
}

export interface InlineButton {
  text: string;
  callback_data?: string;
  url?: string;
  pay?: boolean;
}

export interface SandboxMessage {
  message_id: number;
  date: number;
  edit_date?: number;
  from?: SandboxPerson;
  chat: SandboxChat;
  text?: string;
  caption?: string;
  photo?: { file_id: string; width: number; height: number }[];
  document?: { file_id: string; file_name?: string };
  sticker?: { file_id: string; emoji?: string };
  invoice?: { title: string; description: string };
  successful_payment?: unknown;
  refunded_payment?: unknown;
  reply_to_message?: SandboxMessage;
  reply_markup?: { inline_keyboard?: InlineButton[][] };
  new_chat_members?: SandboxPerson[];
  left_chat_member?: SandboxPerson;
  [kind: string]: unknown;
}

export interface ShownMessage {
  message: SandboxMessage;
  outgoing: boolean;
  pinned: boolean;
  keyboard?: { keyboard?: ({ text: string } | string)[][] };
}

export interface ShownChat {
  key: string;
  chat: SandboxChat;
  blocked: boolean;
  memberCount: number;
  lastMessage?: ShownMessage;
}

export const worldQuery = queryOptions({
  queryKey: ['sandbox', 'world'],
  queryFn: ({ signal }) => get<SandboxWorld>('/api/sandbox/snapshot', {}, signal),
  retry: false,
});

export const phoneChatsQuery = (user: number) =>
  queryOptions({
    queryKey: ['sandbox', 'chats', user],
    queryFn: ({ signal }) => get<ShownChat[]>('/api/sandbox/users/chats', { user }, signal),
  });

export const phoneHistoryQuery = (user: number, chat: number) =>
  queryOptions({
    queryKey: ['sandbox', 'history', user, chat],
    queryFn: ({ signal }) =>
      get<ShownMessage[]>('/api/sandbox/history', { user, chat, limit: 100 }, signal),
  });

export interface ActiveFault {
  id: number;
  kind: string;
  botId?: number;
  times?: number;
  struck: number;
}

export const faultsQuery = queryOptions({
  queryKey: ['sandbox', 'faults'],
  queryFn: ({ signal }) => get<ActiveFault[]>('/api/sandbox/faults/list', {}, signal),
});

/** Does one thing in the world: `say`, `press`, `chats/join` and so on. */
export function act<T = unknown>(action: string, body: Record<string, unknown>): Promise<T> {
  return post<T>(`/api/sandbox/${action}`, { body });
}

/** Where the bytes of a photo or another file of a message are. */
export const sandboxFile = (id: string) => withQuery('/api/sandbox/file', { id });

/** What a bot answered to a press; pending until it did. */
export const callbackAnswer = (id: string) =>
  get<{ pending?: boolean; text?: string }>('/api/sandbox/callback-answer', { id });

export interface Payment {
  id: string;
  status: string;
  /** Why the bot refused. */
  error_message?: string;
}

/** How far a payment is; the bot has ten seconds for each of its answers. */
export const paymentStatus = (id: string) => get<Payment>('/api/sandbox/pay/status', { id });

export function personName(person: SandboxPerson): string {
  return [person.first_name, person.last_name].filter(Boolean).join(' ');
}
