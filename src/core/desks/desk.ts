import type { Author } from '../messages/author.ts';
import type { Reason } from '../reasons/reason.ts';
import type { DeskButton } from './card-buttons.ts';
import type { DeskOptions } from './desk-options.ts';

export {
  deskDefaults,
  type DeskLanguage,
  deskLanguages,
  type DeskOptions,
  storedOptions,
} from './desk-options.ts';

/** A support desk: each customer of its bots has a topic in the forum of the team. */
export interface Desk extends DeskOptions {
  id: number;
  /** The bot that writes in the forum. */
  desk_bot_id: number;
  /** The forum. */
  chat_id: number;
  /** The bots whose customers come to the desk. */
  bot_ids: readonly number[];
  /** The last check found that the desk bot lacks these in the forum. */
  problems: readonly Reason[];
  /** 0 if it was not checked. */
  checked_at: number;
  created_at: number;
  updated_at: number;
}

export type DeskSettings = DeskOptions & Pick<Desk, 'desk_bot_id' | 'chat_id' | 'bot_ids'>;

/** A request to add a desk: an option that is left out has its default. */
export type NewDesk = Partial<DeskOptions> & Omit<DeskSettings, keyof DeskOptions>;

/** A customer of a bot, as the desk knows them. */
export interface Customer {
  botId: number;
  chatId: number;
  /** The business account through which the customer wrote last; '' for the bot's own chat. */
  connection: string;
  /** The topic in which the customer wrote last; 0 for none. */
  fromThreadId: number;
  name: string;
}

/** The topic of a customer. */
export interface DeskTopic extends Customer {
  id: number;
  deskId: number;
  deskName: string;
  /** These people may use commands, besides administrators. */
  personIds: readonly number[];
}

/** The team writes this in the topic of a customer. */
export const deskCommands = [
  'close',
  'ban',
  'unban',
  'assign',
  'info',
  'note',
  'del',
  'help',
] as const;
export type DeskCommand = (typeof deskCommands)[number];

/** One message as one bot knows it. */
interface MessageRef {
  botId: number;
  connection: string;
  chatId: number;
  messageId: number;
}

/** A call to the topic of a customer. The topic is filled in when it is made. */
export interface DeskCall {
  method: string;
  params: Record<string, unknown>;
  /** The desk says this; it is put into words of the team's language when it is sent. */
  says?: Reason;
  author: Author;
  /** Shown under the message. */
  buttons?: readonly (readonly DeskButton[])[];
  /** Routing prepares this if the call carries a message. */
  context?: object;
  /** The message whose copy in the topic is replied to. */
  replyTo?: MessageRef;
  /** True for what the customer writes: it reopens a closed topic. */
  isOfCustomer?: boolean;
}

export interface DeskItem {
  /** The same key is never accepted twice. */
  key: string;
  call: DeskCall;
}

/** Ties a send in the outbox to the topic whose next step it is. */
export interface DeskStep {
  topicId: number;
  does: 'create' | 'reopen' | 'item';
}

/** Names the topic that is told if an answer does not reach the customer. */
export interface DeskAnswer {
  topicId: number;
  /** The message of the team. */
  messageId: number;
}

export const deskAuthor = (desk: { id: number; name: string }): Author => ({
  kind: 'desk',
  id: desk.id,
  name: desk.name,
});
