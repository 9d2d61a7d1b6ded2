import type { Message } from '../../../api/client/types.ts';

export interface BubbleActions {
  onReply: (message: Message) => void;
  onEdit: (message: Message) => void;
  onPerson: (message: Message) => void;
  onView: (message: Message) => void;
  /** Shows where the message went. */
  onTrace: (message: Message) => void;
  /** Called with the message after the service changed it. */
  onChanged: (message: Message) => void;
  onJump: (messageId: number) => void;
}
