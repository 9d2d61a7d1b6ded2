import { useState } from 'react';
import type { Message } from '../../../api/client/types.ts';
import type { useHistory } from './use-history.ts';

interface Sending {
  text: string;
  /** The newest message before the send. */
  after: number | undefined;
}

/** Says what the user writes in a chat: a reply, an edit, and the text that is being sent. */
export function useWriting(history: ReturnType<typeof useHistory>) {
  const [replyTo, setReplyTo] = useState<Message>();
  const [editing, setEditing] = useState<Message>();
  const [sent, setSent] = useState(0);
  const [sending, setSending] = useState<Sending>();
  const refresh = () => void history.refresh().catch(() => undefined);
  return {
    replyTo,
    editing,
    sent,
    sending: sending && !isIn(history.messages, sending) ? sending.text : undefined,
    reply(message: Message): void {
      setEditing(undefined);
      setReplyTo(message);
    },
    edit(message: Message): void {
      setReplyTo(undefined);
      setEditing(message);
    },
    cancel(): void {
      setReplyTo(undefined);
      setEditing(undefined);
    },
    onSending(text: string | undefined): void {
      setSending(text === undefined ? undefined : { text, after: history.messages.at(-1)?.id });
    },
    onSent(message: Message, answered: Message | undefined): void {
      history.add(message);
      setSending(undefined);
      setSent((count) => count + 1);
      setReplyTo((now) => (now === answered ? undefined : now));
      refresh();
    },
    onEdited(message: Message): void {
      history.replace(message);
      setEditing((now) => (now?.id === message.id ? undefined : now));
      refresh();
    },
  };
}

/** True if the message was received, possibly before the service responded to the send. */
function isIn(messages: Message[], sending: Sending): boolean {
  const since = messages.slice(messages.findIndex(({ id }) => id === sending.after) + 1);
  const text = sending.text.trim();
  return since.some((one) => one.user_id !== one.chat_id && one.text.trim() === text);
}
