import type { Sentences } from './shape.ts';

export const messageReasons = {
  unknown_chat: ({ bot_id, chat_id }: { bot_id: number; chat_id: number }) =>
    `Bot ${bot_id} has no chat ${chat_id}. Chats appear with their first message; POST /api/chats/refresh asks Telegram.`,
  unknown_topic: ({ chat_id, message_thread_id }: { chat_id: number; message_thread_id: number }) =>
    `Chat ${chat_id} has no known topic ${message_thread_id}. List topics with GET /api/chats/topics.`,
  no_such_message: ({ chat_id, message_id }: { chat_id: number; message_id: number }) =>
    `Chat ${chat_id} has no stored message ${message_id}.`,
  no_message_before: 'before_id is not a stored message of the chat.',
  unwarnable: 'The chat owner and the bot itself cannot be warned.',
  no_such_warning: ({ bot_id, warning_id }: { bot_id: number; warning_id: number }) =>
    `Bot ${bot_id} has no active warning ${warning_id}.`,
  unknown_person: ({ bot_id, user_id }: { bot_id: number; user_id: number }) =>
    `Bot ${bot_id} has not met user ${user_id}.`,
  no_such_note: ({ bot_id, note_id }: { bot_id: number; note_id: number }) =>
    `Bot ${bot_id} has no note ${note_id}.`,
  no_such_reply: ({ reply_id }: { reply_id: number }) =>
    `Unknown saved reply ${reply_id}. List them with GET /api/replies.`,
  reply_name_taken: ({ name }: { name: string }) =>
    `A saved reply is already called ${name}. Choose another name.`,
  too_many_replies: ({ most }: { most: number }) =>
    `There are already ${most} saved replies. Delete some first.`,
  no_such_tag: ({ tag_id }: { tag_id: number }) =>
    `Unknown tag ${tag_id}. List tags with GET /api/tags.`,

  no_such_scheduled: ({ scheduled_id }: { scheduled_id: number }) =>
    `No scheduled message ${scheduled_id}. List them with GET /api/messages/scheduled.`,
  scheduled_is_sent: ({ scheduled_id }: { scheduled_id: number }) =>
    `Scheduled message ${scheduled_id} was sent or canceled.`,
  too_many_scheduled: ({ most }: { most: number }) =>
    `This chat has ${most} scheduled messages. Cancel one, or schedule this one later.`,
  scheduled_overdue:
    'It was due more than a day ago, so it was not sent. Set a new time, or cancel it.',
  scheduled_restored:
    'It was due between the restored backup and the restore, so it may have been sent. Check the chat, then set a new time or cancel it.',

  no_such_broadcast: ({ id }: { id: number }) =>
    `Unknown broadcast ${id}. List them with GET /api/broadcasts.`,
  broadcast_in_state: ({ id, state }: { id: number; state: string }) =>
    `Broadcast ${id} is ${state}, so this is not possible.`,
  broadcast_running: ({ bot_id }: { bot_id: number }) =>
    `Another broadcast of bot ${bot_id} is running. Wait until it ends, or pause it.`,
  broadcast_forgotten: ({ id }: { id: number }) =>
    `The messages of broadcast ${id} are no longer known: it ended over 90 days ago, or the data of its chats was deleted.`,
  broadcast_costs: ({ recipients, stars }: { recipients: number; stars: number }) =>
    `Sending to ${recipients} chats costs up to ${stars} Stars. Set stars to that to agree.`,
  too_few_stars: ({ balance, least }: { balance: number; least: number }) =>
    `The bot has ${balance} Stars and needs ${least} for a paid broadcast. Top it up, or start the broadcast without paying.`,
  audience_grew: ({ shown, recipients }: { shown: number; recipients: number }) =>
    `The audience has ${recipients} chats, not ${shown}. Look again, and start with that number.`,
  too_many_blocked: ({ percent }: { percent: number }) =>
    `More than ${percent} % of the chats have blocked the bot.`,
  broadcast_stood_still: 'It stood still for more than a day. Resume it if it is still wanted.',

  broadcast_not_repeated: ({ send_id }: { send_id: number }) =>
    `Send ${send_id} belongs to a broadcast, which sends to each chat once. Write to the chat instead.`,
  desk_step_not_repeated: ({ send_id }: { send_id: number }) =>
    `Send ${send_id} belongs to a desk, which repeats it by itself. To go on at once, use POST /api/desks/check.`,

  private_chat: 'Private chats have no members to moderate.',
  supergroups_only: 'Telegram allows this in supergroups only.',
  right_needed: ({ right }: { right: string }) =>
    `The bot needs the administrator right ${right} in this chat.`,
  not_to_itself: 'A bot cannot do this to itself.',
  chat_owner: 'This person owns the chat.',
  appointed_by_other: 'Someone else appointed this administrator.',
  no_conversation: 'is a group or a channel; only private chats are conversations',
  no_topic_conversation:
    'names no conversation: only topics in private chats of bots with per_topic are conversations; leave it out',
  chat_assigned: ({ name }: { name: string }) =>
    `${name} has this conversation. Set confirm to true to take it.`,
  confirm_to_take: 'must be true to take it',
  no_such_assignee: ({ assignee, bot_id }: { assignee: string; bot_id: number }) =>
    `${assignee} is no user who may answer for bot ${bot_id}, and no known person. List users with GET /api/chats/assignees.`,
  me_is_no_user: 'must name a user: this key belongs to none',
  title_for_admins_only: 'Only administrators have a title. Promote the person first.',
} satisfies Sentences;
