/*
 * Stores messages of chats that a bot is not a member of. Their chat and number may equal those of
 * the bot's own messages, so they have a separate table: lists, counts, searches, edits and
 * deletions of a chat's messages never meet them.
 */
import { bulkInsert } from '../sql/bulk-insert.ts';
import type { MessageToStore } from './save-messages.ts';

/** Each update is a separate message, so its position in the log is the key. */
export type GuestMessageToStore = Omit<MessageToStore, 'origin' | 'author' | 'thread_id'> & {
  position: number;
};

export const insertGuestMessages = bulkInsert<GuestMessageToStore>({
  table: 'guest_messages',
  columns: {
    bot_id: 'bigint',
    chat_id: 'bigint',
    id: 'bigint',
    position: 'bigint',
    user_id: 'bigint',
    username: 'text',
    first_name: 'text',
    last_name: 'text',
    text: 'text',
    date: 'bigint',
    media_type: 'text',
    file_id: 'text',
    reply_to_message_id: 'bigint',
    edited_at: 'bigint',
    media_group_id: 'text',
    extra: 'text',
  },
  onConflict: 'do nothing',
});
