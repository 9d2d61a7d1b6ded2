/** The refusals of the sandbox: each has an HTTP status and a sentence, with its params in braces. */
export const controlReasons = {
  short_name_wrong: [400, '"short_name" must be 3-30 letters, digits and underscores.'],
  game_exists: [409, '@{bot} already has a game "{short_name}".'],
  too_few_stars: [400, '"stars" must be at least 1.'],
  no_draft: [409, 'The bot is not writing anything here.'],
  draft_not_stoppable: [409, 'This draft cannot be stopped.'],
  no_business_bot: [409, '{user} has no business bot.'],
  basic_group_no_guard: [409, 'Basic groups have no guard bot. Upgrade the group first.'],
  may_not_appoint_guard: [409, '{user} may not appoint a guard bot.'],
  takes_no_join_queries: [
    409,
    '@{bot} does not answer join request queries. Create the bot with "join_request_queries".',
  ],
  guard_may_not_invite: [409, '@{bot} must be an administrator with the right to invite.'],
  may_not_let_in: [409, '{user} may not approve join requests.'],
  not_waiting: [409, '{user} has no pending join request.'],
  no_web_app_shown: [409, '{user} has no Mini App open there.'],
  groups_only: [409, 'Ephemeral messages exist in groups only.'],
  no_ephemeral_message: [
    404,
    'Unknown ephemeral message {message_id} for {user}. List them with GET /sandbox/ephemeral.',
  ],
  no_ephemeral_command: [409, 'No bot in this chat has this ephemeral command.'],
  not_said_by_bot: [409, 'Only messages of a bot can be answered like this.'],
  bot_not_for_groups: [409, "@{bot} can't be added to groups."],
  banned: [409, '{user} is banned from this chat.'],
  invite_link_invalid: [409, 'The invite link is invalid or expired.'],
  may_not_remove_members: [409, '{user} may not remove members.'],
  may_not_appoint_admins: [409, '{user} may not appoint administrators.'],
  basic_groups_only: [409, 'Only a basic group can be upgraded.'],
  no_inline_mode: [409, '@{bot} has no inline mode. Create the bot with "inline_mode".'],
  no_inline_result: [404, 'Unknown inline result. Run the inline query again.'],
  inline_text_only: [409, 'Only inline results with a text can be chosen.'],
  not_a_picture: [400, 'The file is not an image.'],
  not_the_author: [409, 'Only the author can edit a message.'],
  not_forwardable: [409, 'This message cannot be forwarded.'],
  no_invoice: [404, 'Unknown invoice link. The bot creates one with createInvoiceLink.'],
  nothing_to_pay: [409, 'There is nothing to pay in this message.'],
  paid_already: [409, '{user} has already paid this.'],
  order_info_missing: [400, 'The invoice asks for "{field}". Set it in "order_info".'],
  tip_out_of_range: [409, 'The tip must be from 0 to {most}.'],
  no_payment: [404, 'Unknown payment {payment_id}. Use the id that pay returned.'],
  nothing_to_choose: [409, 'No shipping options are offered at the moment.'],
  shipping_not_offered: [
    404,
    'The bot did not offer this shipping option. Choose one of shipping_options.',
  ],
  no_button: [404, 'This message has no such button. Name it by its text or callback_data.'],
  button_disabled: [409, 'This button is disabled.'],
  button_bot_gone: [409, 'The bot of this button was deleted.'],
  not_a_reaction: [400, "{emoji} is not an available reaction. Use one of Telegram's, such as 👍."],
  no_poll: [409, 'This message has no poll.'],
  poll_closed: [409, 'The poll is closed.'],
  vote_final: [409, 'Votes in this poll are final.'],
  one_answer_only: [409, 'This poll allows one answer only.'],
  no_option: [400, 'The poll has no such option. The first option is 0.'],
  may_not_pin: [409, '{user} may not pin messages here.'],
  no_user: [404, 'Unknown user {user}. List users with GET /sandbox/snapshot.'],
  no_bot: [404, 'Unknown bot {bot}. List bots with GET /sandbox/snapshot.'],
  no_chat: [404, 'Unknown chat {chat}. List chats with GET /sandbox/snapshot.'],
  not_to_oneself: [409, 'A person cannot write to themselves. Choose another chat.'],
  not_a_member: [409, '{user} is not a member of {chat}.'],
  no_message: [
    404,
    'Unknown message {message_id} in this chat. List messages with GET /sandbox/history.',
  ],
  no_topic: [
    404,
    'Unknown topic {message_thread_id} in this chat. List topics with GET /sandbox/topics.',
  ],
  no_topics: [409, 'This chat has no topics. Turn them on with topics/enable.'],
  topic_closed: [409, '{user} may not write in the closed topic "{topic}".'],
  may_not_manage_topics: [409, '{user} may not do this with topics of this chat.'],
  bot_without_topics: [409, 'This bot has no topics. Create the bot with "has_topics_enabled".'],
  supergroups_only: [409, 'Only supergroups can have topics. Upgrade the group first.'],
  forums_only: [409, 'Only topics of forums can be closed.'],
  general_only: [409, 'Only General, the topic 1, can be hidden.'],
  may_not_send: [409, '{user} may not send this to {chat}.'],
  text_empty: [400, 'The text is empty.'],
  text_too_long: [400, 'The text is longer than 4096 characters.'],
  may_not_delete: [409, '{user} may not delete this message.'],
  album_mixed: [400, 'An album has photos and videos, or only audio files, or only documents.'],
  kind_wrong: [400, '"kind" must be one of {kinds}.'],
  content_needed: [400, 'Set one of "location", "contact", "venue", "dice".'],
  no_fault: [
    404,
    'Unknown fault. It may have occurred as often as planned. List faults with GET /sandbox/faults/list.',
  ],
  too_deep: [400, 'The body is nested too deeply.'],
  field_unknown: [400, '"{action}" has no field "{field}". Its fields: {known}.'],
  not_in_range: [400, '"{field}" must be a number from {least} to {most}.'],
  field_missing: [400, '"{field}" is missing.'],
  field_empty: [400, '"{field}" must not be empty.'],
  field_negative: [400, '"{field}" must not be negative.'],
  not_a_text: [400, '"{field}" must be a string.'],
  not_an_integer: [400, '"{field}" must be an integer.'],
  not_a_reference: [400, '"{field}" must be an id or a username.'],
  not_one_of: [400, '"{field}" must be one of {choices}.'],
  not_a_boolean: [400, '"{field}" must be true or false.'],
  not_a_list: [400, '"{field}" must be a list.'],
  too_many_entries: [400, '"{field}" may have at most {most} entries.'],
  not_an_object: [400, '"{field}" must be an object.'],
  username_wrong: [400, '"username" must be 3-32 letters, digits and underscores.'],
  bot_username_wrong: [400, 'The "username" of a bot must end in "bot".'],
  time_ends: [400, 'Sandbox time cannot pass the year 2100.'],
  no_such_action: [404, 'Unknown action "{action}". List actions with GET /sandbox.'],
  post_needed: [405, 'Use POST for this action.'],
  json_needed: [415, 'Send the request as application/json.'],
  no_file: [404, 'File not found. Messages in GET /sandbox/history name their files.'],
  request_too_large: [413, 'The request is too large.'],
  body_not_json: [400, 'The body is not JSON.'],
  body_not_object: [400, 'The body must be a JSON object.'],
  name_taken: [409, 'The username {username} is taken. Choose another.'],
} as const satisfies Record<string, readonly [status: number, sentence: string]>;

export type ControlCode = keyof typeof controlReasons;

type Param = string | number | readonly string[];

type ParamsIn<Sentence> = Sentence extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamsIn<Rest>
  : never;

/** A refusal takes the params that its sentence names. */
export type ControlParams<C extends ControlCode> = [
  ParamsIn<(typeof controlReasons)[C][1]>,
] extends [never]
  ? []
  : [params: Record<ParamsIn<(typeof controlReasons)[C][1]>, Param>];

export function sentenceOf(code: ControlCode, params: Readonly<Record<string, Param>>): string {
  return controlReasons[code][1].replaceAll(/\{(\w+)\}/gu, (_, name: string) => {
    const value = params[name] ?? '';
    return Array.isArray(value) ? value.join(', ') || 'none' : String(value);
  });
}
