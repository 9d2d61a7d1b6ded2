import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Chat, entryQuery, readChat, topicKey } from '../../../api/chats.ts';
import { changeData } from '../../../api/client/change-data.ts';
import { changeListed } from '../use-chats.ts';

/** Marks the open chat as read while the page is visible. */
export function useMarkRead(chat: Chat | undefined): void {
  const client = useQueryClient();
  const isVisible = useIsVisible();
  const { bot_id, chat_id, message_thread_id, unread = false, last_message_at } = chat ?? {};
  useEffect(() => {
    if (!unread || !isVisible || bot_id === undefined || chat_id === undefined) return;
    // If it fails, the next message tries again.
    void readChat(topicKey(bot_id, chat_id, message_thread_id)).then(
      (read) => {
        changeData(client, entryQuery(read).queryKey, () => read);
        changeListed(client, read);
      },
      () => undefined,
    );
  }, [client, bot_id, chat_id, message_thread_id, unread, isVisible, last_message_at]);
}

function useIsVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const onChange = () => setVisible(!document.hidden);
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, []);
  return isVisible;
}
