import type { Chat } from '../api/chats.ts';
import type { Messages } from '../i18n/messages.ts';

/** The name of a chat in a list; that of a topic follows if the entry is one. */
export function entryName(
  { chat_id, message_thread_id: topic, title, topic_name }: Chat,
  t: Messages,
): string {
  const name = title || String(chat_id);
  return topic === undefined
    ? name
    : t.topics.sentence(name, topic_name || t.topics.unnamed(topic));
}
