import type { Bot, Message } from '../../../api/client/types.ts';
import type { Account } from '../history/history-items.ts';

export interface ComposerProps {
  bot: Bot;
  chatId: number;
  title: string;
  /** The last message of the other person of a private chat. */
  person: Message | undefined;
  /** The topic to write into; 0 for that of the answered message, or none. */
  topic: number;
  replyTo: Message | undefined;
  /** The message being edited, instead of a new one. */
  editing: Message | undefined;
  /** The business accounts through which messages of this chat arrive. */
  accounts: ReadonlyMap<string, Account>;
  /** The last used target: the connection of an account, or ''. */
  latestTarget: string;
  /** Called with the text being sent; with undefined when it arrived or failed. */
  onSending: (text: string | undefined) => void;
  /** Called with the message that was replied to: the user may have chosen another one by then. */
  onSent: (message: Message, answered: Message | undefined) => void;
  onEdited: (message: Message) => void;
  onCancel: () => void;
}
