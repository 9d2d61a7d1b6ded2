import { conditionReasons } from '../routing/condition-types.ts';
import type { AnyReason, Say, Sentences } from './shape.ts';

/** Why a message goes where it goes. */
export const routingReasons = {
  no_such_route: ({ route_id }: { route_id: number }) =>
    `There is no route ${route_id}: GET /api/routes lists them.`,

  matched_routes: (
    { routes }: { routes: readonly { route_id: number; reason: AnyReason }[] },
    say: Say,
  ) => routes.map(({ route_id, reason }) => `route ${route_id}: ${say(reason)}`).join('; '),
  all_of: ({ reasons }: { reasons: readonly AnyReason[] }, say: Say) => reasons.map(say).join(' '),
  behind_a_drop: ({ reason }: { reason: AnyReason }, say: Say) =>
    `${say(reason)}, but an earlier route drops it`,
  no_match: 'does not match',
  ...conditionReasons,
  message_edited: 'the message was edited',
  message_deleted: ({ message_id }: { message_id: number }) => `message ${message_id} was deleted`,

  edit_carried: 'An edit is carried over.',
  deletion_carried: 'A deletion is carried over.',
  edit_not_carried: 'The edited message was not carried anywhere.',
  deletion_not_carried: 'The deleted messages were not carried anywhere.',
  deleted_before_choice: 'The message was deleted before the model chose; it goes nowhere.',
  edited_while_asked: 'The message was edited while the model was asked, and is asked about anew.',
  superseded: ({ position }: { position: number }) =>
    `Edited or deleted before the model chose: see position ${position}.`,
  by_account_owner: 'The owner of the business account wrote this, not a customer.',
  by_account_bot: 'A bot wrote this in the name of the business account.',
  own_message: 'The relay itself sent this message.',
  no_rule_matched: 'No rule matched.',
  model_chooses: 'No rule matched; the model chooses.',
  update_gone: 'The update is no longer in the log.',
  too_many_hops: ({ hops }: { hops: number }) => `Stopped after ${hops} hops.`,
  reply_returned: ({ bot_id }: { bot_id: number }) =>
    `A reply to a carried message goes back through bot ${bot_id}.`,
  with_album: ({ position }: { position: number }) =>
    `Decided with its album at position ${position}.`,
  hidden_bot: 'A bot that this key may not see was chosen.',

  no_description_fits: 'No description fits the message well enough.',
  description_fits: ({ words }: { words: string }) =>
    `Its description fits best${words === '' ? '' : `: ${words}`}.`,
  model_gave_no_reason: 'The model gave no reason.',
  no_candidates: 'no candidates',
  no_model: 'no model is configured',
  calls_used_up: 'the calls of this month are used up',
  tokens_used_up: 'the tokens of this month are used up',
  asking_needs_scope: 'asking the model needs the scope manage',
  model_address_invalid: "The model's address is no URL.",
  model_answered: ({ status }: { status: number }) => `The model's address answered ${status}.`,
  model_timeout: ({ ms }: { ms: number }) => `The model did not answer within ${ms} ms.`,
  model_unreachable: ({ cause }: { cause: string }) =>
    `The model could not be reached: ${cause || 'network failure'}.`,
  model_not_allowed: ({ host }: { host: string }) =>
    `The model could not be reached: The RELAY_BACKENDS setting does not allow connections to ${host}.`,
  model_answer_too_large: 'The model answered far too much.',
  model_not_completion: 'What answered at the model address is no chat completion.',
  model_not_json: 'The model did not answer with the JSON it was asked for.',
  model_other_bot: 'The model chose a bot that is not among the candidates.',

  queued: 'queued',
  dropped: 'dropped',
  not_sent_kind: 'not sent: this kind of message cannot be carried to another bot',
  not_sent_gone: 'not sent: the target bot is gone',
  not_sent_disabled: 'not sent: the target bot is disabled',
  returns_to_chat: 'It goes back into the chat it came from.',
  arrives_if_started: ({ bot_id }: { bot_id: number }) =>
    `In a private chat it arrives only if the person has started bot ${bot_id}; in a group, only if bot ${bot_id} is a member.`,
  bot_not_started: ({ bot_id }: { bot_id: number }) =>
    `It will not arrive: this person has not started bot ${bot_id}.`,
  bot_not_seen: ({ bot_id, chat_id }: { bot_id: number; chat_id: number }) =>
    `It may not arrive: bot ${bot_id} was not seen in chat ${chat_id}.`,

  route_behind_drop: ({ route_id }: { route_id: number }) =>
    `Route ${route_id} drops every message before this one is asked.`,
  route_source_disabled: 'Its source bot is disabled.',
  route_target_disabled: 'Its target bot is disabled.',
  route_two_chats: 'Its condition and its filter name two chats.',
  route_without_model: 'Its source bot does not let the model route.',
  route_leaves_none: ({ route_id }: { route_id: number }) =>
    `Route ${route_id} takes every message, so none is left to the model.`,
  route_ring:
    'These bots route to each other in a ring. Carried messages are never carried on, so nothing runs in circles, but one of the routes is probably not meant.',
} satisfies Sentences;
