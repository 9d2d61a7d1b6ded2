import type { Message } from '../../../api/client/types.ts';

/** What a message of the history lets one do. */
export interface BubbleActions {
  onReply: (message: Message) => void;
  onEdit: (message: Message) => void;
  onPerson: (message: Message) => void;
  onView: (message: Message) => void;
  /** The service did something to it. */
  onChanged: (message: Message) => void;
  onJump: (messageId: number) => void;
}
