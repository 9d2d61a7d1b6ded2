import type { ReasonTexts } from '../reasons.ts';

/**
 * The service speaks English: here are only the messages for which the page has better words, and
 * those in which it puts names in place of numbers.
 */
export const reasons: Partial<ReasonTexts> = {
  wrong_form: 'Some of these characters are not allowed here.',
  public_address_needed:
    'Telegram needs a public address to call. Set RELAY_PUBLIC_URL and restart the service, or leave this off.',
  backend_address_needed: 'Enter the address to pass updates on to.',
  not_an_address: ({ example }) => `Start with http:// or https://, such as ${example}`,
  credentials_in_address:
    'Leave user name and password out of the address; use the secret instead.',
  needed_while_enabled: 'Needed while the model is on.',
  no_backend: 'This bot has no backend address. Set one in its settings.',
  backend_redirected: ({ status }) =>
    `answered ${status}: redirects are not followed, enter the final address`,

  verbatim: ({ text }) => text,
  matched_routes: ({ routes }, say) =>
    routes.map(({ route_id, reason }) => `route ${route_id}: ${say(reason)}`).join('; '),
  all_of: ({ reasons: all }, say) => all.map(say).join(' '),
  behind_a_drop: ({ reason }, say) => `${say(reason)}, but an earlier route drops it`,
  every_message: 'every message',
  from_chat: ({ chat_id }) => `from chat ${chat_id}`,
  from_user: ({ user_id }) => `from user ${user_id}`,
  media_type: ({ type }) => `it is a ${type}`,
  command: ({ command }) => `the command /${command}`,
  words_found: ({ words }) => `it says "${words}"`,
  pattern_matches: 'the pattern matches',
  reply_returned: ({ bot_id }) => `A reply to a carried message goes back through bot ${bot_id}.`,
  arrives_if_started: ({ bot_id }) =>
    `In a private chat it arrives only if the person has started bot ${bot_id}; in a group, only if bot ${bot_id} is a member.`,
  bot_not_started: ({ bot_id }) => `It will not arrive: this person has not started bot ${bot_id}.`,
  bot_not_seen: ({ bot_id, chat_id }) =>
    `It may not arrive: bot ${bot_id} was not seen in chat ${chat_id}.`,
  route_behind_drop: ({ route_id }) =>
    `Route ${route_id} drops every message before this one is asked.`,
  route_leaves_none: ({ route_id }) =>
    `Route ${route_id} takes every message, so none is left to the model.`,
};
