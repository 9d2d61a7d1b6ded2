import type { Sentences } from './shape.ts';

/** About messages, chats and the people in them. */
export const messageReasons = {
  unknown_chat: ({ bot_id, chat_id }: { bot_id: number; chat_id: number }) =>
    `Bot ${bot_id} knows no chat ${chat_id}: it appears with its first message, or ask the platform with POST /api/chats/refresh.`,
  no_such_chat: ({ bot_id, chat_id }: { bot_id: number; chat_id: number }) =>
    `Bot ${bot_id} knows no chat ${chat_id}.`,
  no_such_message: ({ chat_id, message_id }: { chat_id: number; message_id: number }) =>
    `Chat ${chat_id} has no stored message ${message_id}.`,
  no_message_before: 'before_id names no stored message of the chat.',
  unwarnable:
    'The owner of a chat and the bot itself cannot be warned: nothing could follow from it.',
  no_such_warning: ({ bot_id, warning_id }: { bot_id: number; warning_id: number }) =>
    `Bot ${bot_id} has no warning ${warning_id} that still counts.`,
  unknown_person: ({ bot_id, user_id }: { bot_id: number; user_id: number }) =>
    `Bot ${bot_id} has never met a user ${user_id}.`,
  no_such_note: ({ bot_id, note_id }: { bot_id: number; note_id: number }) =>
    `Bot ${bot_id} has no note ${note_id}.`,
  no_such_tag: ({ tag_id }: { tag_id: number }) =>
    `There is no tag ${tag_id}: GET /api/tags lists them.`,

  private_chat: 'There is nobody to moderate in a private chat.',
  supergroups_only: 'The platform does this in supergroups only.',
  right_needed: ({ right }: { right: string }) =>
    `The bot needs the administrator right ${right} in this chat.`,
  not_to_itself: 'A bot cannot do this to itself.',
  chat_owner: 'This is the owner of the chat.',
  appointed_by_other: 'This administrator was appointed by somebody else.',
  title_for_admins_only: 'Only administrators have a title: promote first.',
} satisfies Sentences;
