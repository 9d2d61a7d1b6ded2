import { type AnyReason, ended, type Say } from './shape.ts';

/** What is said about desks outside of the topics of customers. */
const otherReasons = {
  no_such_desk: ({ desk_id }: { desk_id: number }) =>
    `Unknown desk ${desk_id}. List desks with GET /api/desks.`,
  names_no_desk: 'must be the ID of a desk',
  bot_has_desk: ({ bot_id, desk_id, name }: { bot_id: number; desk_id: number; name: string }) =>
    `Bot ${bot_id} belongs to desk ${desk_id}${name && ` (${name})`}. Update that desk, or take the bot out of it first.`,
  bot_in_two_desks: ({ bot }: { bot: number }) =>
    `Bot ${bot} is in two desks. A bot has at most one.`,
  language_twice: ({ language }: { language: string }) =>
    language === '' ? 'has two texts for all other languages' : `has two texts for ${language}`,
  desk_needs_management: 'must be true, because the bot has a desk',
  forum_has_desk: ({
    chat_id,
    desk_id,
    name,
  }: {
    chat_id: number;
    desk_id: number;
    name: string;
  }) => `The forum ${chat_id} belongs to desk ${desk_id}${name && ` (${name})`}. Update that desk.`,
  bot_not_at_desk: ({ desk_id }: { desk_id: number }) =>
    `must be a bot of desk ${desk_id}. Add it to the desk first.`,
  customer_has_topic: ({ topic }: { topic: number }) =>
    `The customer has topic ${topic}, which stays.`,
  topic_has_customer: ({ user_id }: { user_id: number }) =>
    `The topic belongs to customer ${user_id}, whose topic it stays.`,
  desk_topic_in_making: 'The desk is making a topic for this customer.',
  no_topic_map: ({ path, cause }: { path: string; cause: string }) =>
    `${path} is no database of BetterForward or Telegram-interactive-bot: ${cause}`,
  desk_needs_group: 'must be the ID of a group with topics, which is negative',
  desk_chat_fixed: 'The topics of the customers are there. Delete the desk and add another one.',
  desk_bot_disabled: 'The desk bot is disabled. Enable it.',
  desk_no_forum: 'The chat is no group with topics. Switch topics on in Telegram.',
  desk_not_admin: 'The desk bot is not an administrator of the forum. Promote it in Telegram.',
  desk_lacks_right: ({ right }: { right: string }) =>
    `The desk bot lacks the right ${right}. Give it this right in Telegram.`,
  desk_cannot_look: ({ cause }: { cause: AnyReason }, say: Say) =>
    `Telegram does not show the forum to the desk bot: ${ended(say(cause))}`,

  for_desk: ({ desk_id, name = '' }: { desk_id: number; name?: string }) =>
    `Shown at desk ${name || desk_id}.`,
  desk_kept_out: 'Not shown in the topic: banned.',
  desk_answered: ({ bot_id }: { bot_id: number }) => `The team answers through bot ${bot_id}.`,
  desk_note: 'Staff talk: the customer does not get it.',
  desk_not_member: 'Only members and anonymous administrators answer customers.',
  desk_event: 'Nothing in it can be sent to the customer.',
  desk_command: 'A command to the desk: the customer does not get it.',
  desk_press: 'A button of the desk: no app, backend or route gets it.',
  desk_reaction: 'A reaction: the copy of the message shows it.',
};

/** What desks say in the topics of customers, in each language that a desk may have. */
export const topicReasons = {
  desk_done: 'Done. The topic opens again when the customer writes.',
  desk_unseen:
    'Not done: the customer wrote something that was not here yet. Read it, and close the topic again.',
  desk_rated: ({ rating }: { rating: number }) => `Rated ${rating} of 5.`,
  desk_reopened: ({ since }: { since: string }) =>
    `The customer is back. The topic was closed on ${since}.`,
  desk_pressed: ({ button }: { button: string }) => `The customer pressed “${button}”.`,
  desk_banned:
    'Banned: what the customer writes is stored, and not shown here. Undo it with /unban.',
  desk_unbanned: 'No longer banned.',
  desk_noted: 'Noted. The web UI shows it with the person.',
  desk_note_empty: 'Write the note behind the command: /note pays by invoice.',
  desk_assigned: ({ name }: { name: string }) => `Assigned to ${name}.`,
  desk_assign_whom:
    'Nothing changed: /assign gives the conversation to the one who writes it. Assign it to somebody else in the web UI.',
  desk_held: ({ name }: { name: string }) =>
    `${name} has this conversation. Write /assign confirm to take it.`,
  desk_anonymous: 'Anonymous administrators have no conversations. Write as yourself.',
  desk_admins_only: ({ command }: { command: string }) =>
    `Only administrators of the forum and persons listed in the settings of the desk use ${command}.`,
  desk_admin_unknown: ({ command }: { command: string }) =>
    `Telegram did not say whether you are an administrator. Write ${command} again.`,
  desk_card: ({
    name,
    username,
    language,
    bot,
    since,
    others,
    notes,
    tags = [],
    assignee = '',
    done = false,
    banned = false,
  }: {
    name: string;
    username: string;
    language: string;
    bot: string;
    since: string;
    others: readonly string[];
    notes: readonly string[];
    /** What follows is missing in cards of older versions. */
    tags?: readonly string[];
    assignee?: string;
    done?: boolean;
    banned?: boolean;
  }) =>
    [
      `${name}${username === '' ? '' : ` (@${username})`}, through ${bot}.`,
      language === '' ? '' : `Language: ${language}.`,
      `Here since ${since}.`,
      others.length === 0 ? '' : `Also writes to: ${others.join(', ')}.`,
      tags.length === 0 ? '' : `Tags: ${tags.join(', ')}.`,
      assignee === '' ? '' : `Assigned to ${assignee}.`,
      done ? 'Done.' : '',
      banned ? 'Banned.' : '',
      ...notes.map((note) => `Note: ${ended(note)}`),
    ]
      .filter(Boolean)
      .join('\n'),

  desk_repeated: 'The message above may be here twice: Telegram did not confirm it the first time.',
  desk_not_shown: ({ cause }: { cause: AnyReason }, say: Say) =>
    `The customer sent something that cannot be shown here: ${ended(say(cause))} See it in the web UI.`,
  desk_unknown_kind:
    'The customer sent something that bots cannot copy. Ask for it in another form.',
  desk_answer_failed: ({ cause }: { cause: AnyReason }, say: Say) =>
    `The customer did not get this: ${ended(say(cause))}`,
  desk_answer_unknown: ({ cause }: { cause: AnyReason }, say: Say) =>
    `Nobody knows whether the customer got this: ${ended(say(cause))} It is not repeated by itself. If the customer does not react, write it again.`,
  desk_bot_away: ({ bot_id }: { bot_id: number }) =>
    `The customer did not get this: bot ${bot_id} is disabled. Enable it and write it again.`,
  desk_kind_refused:
    'The customer did not get this: bots cannot send messages of this kind. Write it in another form.',
  desk_stray_topic: ({ name }: { name: string }) =>
    `Nobody gets this: the desk uses another topic for ${name}. Delete this one.`,
  desk_forgotten:
    'Nobody gets this: the data of this customer was deleted. If the customer writes, there is a new topic.',
  desk_delete_what: 'Reply with /del to the message that the customer should no longer see.',
  desk_blocked:
    'The customer blocked the bot. Answers do not arrive until the customer unblocks it.',
  desk_no_commands: ({ command }: { command: string }) =>
    `The desk has no command ${command}, see /help. The customer does not get what begins with a slash.`,
  desk_help: [
    'What you write here goes to the customer, except commands and text that begins with //.',
    '/close ends the conversation until the customer writes again.',
    '/note <text> adds an internal note about the person.',
    '/assign makes the conversation yours; /assign confirm takes it from somebody else.',
    '/info shows the card.',
    '/del, as a reply, deletes the message at the customer as well.',
    '/ban keeps what the customer writes out of here, until /unban.',
  ].join('\n'),
};

export const deskReasons = { ...otherReasons, ...topicReasons };
