export type ControlReason = [status: number, sentence: string | ((params: never) => string)];

/** What can be wrong with what the sandbox is asked to do: its HTTP status and its sentence. */
export const controlReasons = {
  short_name_wrong: [400, '"short_name" has to be 3-30 letters, digits and underscores.'],
  game_exists: [
    409,
    ({ bot, short_name }: { bot: string; short_name: string }) =>
      `@${bot} has a game "${short_name}" already.`,
  ],
  too_few_stars: [400, '"stars" has to be at least 1.'],
  no_draft: [409, 'The bot is not writing anything here.'],
  draft_not_stoppable: [409, 'This draft cannot be stopped.'],
  no_business_bot: [409, ({ user }: { user: string }) => `${user} has no business bot.`],
  basic_group_no_guard: [409, 'A basic group has no guard bot.'],
  may_not_appoint_guard: [
    409,
    ({ user }: { user: string }) => `${user} may not appoint a guard bot.`,
  ],
  takes_no_join_queries: [
    409,
    ({ bot }: { bot: string }) => `@${bot} takes no join request queries.`,
  ],
  guard_may_not_invite: [
    409,
    ({ bot }: { bot: string }) => `@${bot} has to be an administrator who may invite.`,
  ],
  may_not_let_in: [409, ({ user }: { user: string }) => `${user} may not let people in.`],
  not_waiting: [409, ({ user }: { user: string }) => `${user} does not wait to be let in.`],
  no_web_app_shown: [409, ({ user }: { user: string }) => `${user} is shown no web app there.`],
  groups_only: [409, 'Such messages are only in groups.'],
  no_ephemeral_message: [
    404,
    ({ message_id, user }: { message_id: number; user: string }) =>
      `There is no ephemeral message ${message_id} for ${user}.`,
  ],
  no_ephemeral_command: [409, 'No bot here takes this as an ephemeral command.'],
  not_said_by_bot: [409, 'Only what a bot said can be answered so.'],
  bot_not_for_groups: [409, ({ bot }: { bot: string }) => `@${bot} can't be added to groups.`],
  banned: [409, ({ user }: { user: string }) => `${user} is banned there.`],
  invite_link_invalid: [409, 'The invite link is not valid.'],
  may_not_remove_members: [409, ({ user }: { user: string }) => `${user} may not remove members.`],
  may_not_appoint_admins: [
    409,
    ({ user }: { user: string }) => `${user} may not appoint administrators.`,
  ],
  basic_groups_only: [409, 'Only a basic group can be upgraded.'],
  no_inline_mode: [409, ({ bot }: { bot: string }) => `@${bot} has no inline mode.`],
  no_inline_result: [404, 'There is no such inline result.'],
  inline_text_only: [409, 'Only inline results with a text can be taken.'],
  not_a_picture: [400, 'The file is not a picture.'],
  not_the_author: [409, 'Only the author edits a message.'],
  not_forwardable: [409, 'This message cannot be forwarded.'],
  no_invoice: [404, 'There is no such invoice.'],
  nothing_to_pay: [409, 'There is nothing to pay in this message.'],
  paid_already: [409, ({ user }: { user: string }) => `${user} has paid this already.`],
  order_info_missing: [
    400,
    ({ field }: { field: string }) => `The invoice asks for "${field}": give it in "order_info".`,
  ],
  tip_out_of_range: [409, ({ most }: { most: number }) => `A tip can be from 0 to ${most} here.`],
  no_payment: [
    404,
    ({ payment_id }: { payment_id: string }) => `There is no payment ${payment_id}.`,
  ],
  nothing_to_choose: [409, 'There is nothing to choose just now.'],
  shipping_not_offered: [404, 'The bot did not offer this way of shipping.'],
  no_button: [404, 'There is no such button under this message.'],
  button_bot_gone: [409, 'The bot of this button is gone.'],
  not_a_reaction: [400, ({ emoji }: { emoji: string }) => `${emoji} is not a reaction.`],
  no_poll: [409, 'This message has no poll.'],
  poll_closed: [409, 'The poll is closed.'],
  vote_final: [409, 'A vote here is final.'],
  one_answer_only: [409, 'Only one answer is allowed.'],
  no_option: [400, 'There is no such option.'],
  may_not_pin: [409, ({ user }: { user: string }) => `${user} may not pin messages here.`],
  no_user: [404, ({ user }: { user: string }) => `There is no user ${user}.`],
  no_bot: [404, ({ bot }: { bot: string }) => `There is no bot ${bot}.`],
  no_chat: [404, ({ chat }: { chat: string }) => `There is no chat ${chat}.`],
  not_to_oneself: [409, 'Nobody writes to themselves here.'],
  not_a_member: [
    409,
    ({ user, chat }: { user: string; chat: string }) => `${user} is not a member of ${chat}.`,
  ],
  no_message: [
    404,
    ({ message_id }: { message_id: number }) => `There is no message ${message_id} in this chat.`,
  ],
  may_not_send: [
    409,
    ({ user, chat }: { user: string; chat: string }) => `${user} may not send this to ${chat}.`,
  ],
  text_empty: [400, 'The text is empty.'],
  text_too_long: [400, 'The text is longer than 4096 characters.'],
  may_not_delete: [409, ({ user }: { user: string }) => `${user} may not delete this message.`],
  kind_wrong: [
    400,
    ({ kinds }: { kinds: readonly string[] }) => `"kind" has to be one of ${kinds.join(', ')}.`,
  ],
  content_needed: [400, 'One of "location", "contact", "venue" and "dice" is needed.'],
  no_fault: [404, 'There is no such fault: it has struck as often as it was to.'],
  no_action: [404, ({ action }: { action: string }) => `There is no action "${action}".`],
  too_deep: [400, 'This is nested too deeply.'],
  field_unknown: [
    400,
    ({ action, field, known }: { action: string; field: string; known: readonly string[] }) =>
      `"${action}" does not know "${field}": it takes ${known.join(', ') || 'nothing'}.`,
  ],
  not_in_range: [
    400,
    ({ field, least, most }: { field: string; least: number; most: number }) =>
      `"${field}" has to be a number from ${least} to ${most}.`,
  ],
  field_missing: [400, ({ field }: { field: string }) => `"${field}" is missing.`],
  not_a_text: [400, ({ field }: { field: string }) => `"${field}" has to be a text.`],
  not_an_integer: [400, ({ field }: { field: string }) => `"${field}" has to be an integer.`],
  not_a_reference: [
    400,
    ({ field }: { field: string }) => `"${field}" has to be an id or a username.`,
  ],
  not_a_list: [400, ({ field }: { field: string }) => `"${field}" has to be a list.`],
  not_an_object: [400, ({ field }: { field: string }) => `"${field}" has to be an object.`],
  username_wrong: [400, '"username" has to be 3-32 letters, digits and underscores.'],
  bot_username_wrong: [400, 'The "username" of a bot has to end in "bot".'],
  chat_type_wrong: [400, '"type" has to be group, supergroup or channel.'],
  line_wrong: [400, 'Each of "lines" has to be an object with user, chat and text.'],
  too_many_lines: [400, ({ most }: { most: number }) => `"lines" has at most ${most}.`],
  after_negative: [400, '"after_seconds" must not be negative.'],
  time_ends: [400, 'Time ends here in the year 2100.'],
  seconds_negative: [400, '"seconds" must not be negative: time/set goes back.'],
  time_wrong: [400, '"now" has to be a time in seconds since 1970.'],
  no_such_action: [
    404,
    ({ action }: { action: string }) => `There is no action "${action}": GET /sandbox lists them.`,
  ],
  post_needed: [405, 'Use POST for this action.'],
  json_needed: [415, 'The request has to be application/json.'],
  no_file: [404, 'There is no such file.'],
  request_too_large: [413, 'The request is too large.'],
  body_not_object: [400, 'The body has to be a JSON object.'],
  name_taken: [409, ({ username }: { username: string }) => `The user name ${username} is taken.`],
} satisfies Record<string, ControlReason>;

export type ControlCode = keyof typeof controlReasons;

/** None where the sentence is fixed. */
export type ControlParams<C extends ControlCode> = (typeof controlReasons)[C][1] extends (
  params: infer P,
) => string
  ? [params: P]
  : [];
