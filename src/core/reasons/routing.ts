import { conditionReasons } from '../routing/condition-types.ts';
import type { AnyReason, Say, Sentences } from './shape.ts';

/** Why a message is routed where it is. */
export const routingReasons = {
  no_such_route: ({ route_id }: { route_id: number }) =>
    `Unknown route ${route_id}. List routes with GET /api/routes.`,

  matched_routes: (
    { routes }: { routes: readonly { route_id: number; reason: AnyReason }[] },
    say: Say,
  ) => routes.map(({ route_id, reason }) => `route ${route_id}: ${say(reason)}`).join('; '),
  all_of: ({ reasons }: { reasons: readonly AnyReason[] }, say: Say) => reasons.map(say).join(' '),
  behind_a_drop: ({ reason }: { reason: AnyReason }, say: Say) =>
    `${say(reason)}, but an earlier route drops it`,
  no_match: 'does not match',
  chosen_by_meaning: 'chosen by meaning',
  not_chosen_by_meaning: 'not chosen by meaning',
  meaning_skipped: 'skipped: another route matches',
  route_disabled: 'disabled',
  ...conditionReasons,
  message_edited: 'the message was edited',
  message_deleted: ({ message_id }: { message_id: number }) => `message ${message_id} was deleted`,

  edit_carried: 'The edit is forwarded.',
  deletion_carried: 'The deletion is forwarded.',
  edit_not_carried: 'The edited message was not forwarded.',
  deletion_not_carried: 'The deleted messages were not forwarded.',
  deleted_before_choice:
    'The message was deleted before the model decided, so it is not forwarded.',
  edited_while_asked: 'The message was edited while the model decided. The model is asked again.',
  superseded: ({ position }: { position: number }) =>
    `Edited or deleted before the model decided: see position ${position}.`,
  by_account_owner: 'The owner of the business account wrote this, not a customer.',
  by_account_bot: 'A bot wrote this for the business account.',
  own_message: 'Bot Relay itself sent this message.',
  no_rule_matched: 'No route matched.',
  routes_undecided: ({ route_ids }: { route_ids: readonly number[] }) =>
    `No route matched. Undecided, because their patterns take too long: ${route_ids.join(', ')}.`,
  model_chooses: 'No route matched. The model decides.',
  update_gone: 'The update is no longer in the log.',
  too_many_hops: ({ hops }: { hops: number }) => `Stopped after ${hops} hops.`,
  reply_returned: ({ bot_id }: { bot_id: number }) =>
    `A reply to a forwarded message returns through bot ${bot_id}.`,
  with_album: ({ position }: { position: number }) =>
    `Decided with its album at position ${position}.`,
  hidden_bot: 'The chosen bot is hidden from this key.',

  no_description_fits: 'No description matches the message well enough.',
  description_fits: ({ words }: { words: string }) =>
    `Its description matches best${words === '' ? '' : `: ${words}`}.`,
  model_gave_no_reason: 'The model gave no reason.',
  no_candidates: 'no candidates',
  no_model: 'no model is configured',
  calls_used_up: 'the monthly call limit is reached',
  tokens_used_up: 'the monthly token limit is reached',
  asking_needs_scope: 'asking the model needs the scope manage',
  model_address_invalid: "The model's address is not a valid URL.",
  model_answered: ({ status }: { status: number }) => `The model's address answered ${status}.`,
  model_timeout: ({ ms }: { ms: number }) => `The model did not answer within ${ms} ms.`,
  model_unreachable: ({ cause }: { cause: string }) =>
    `The model cannot be reached: ${cause || 'network failure'}.`,
  model_not_allowed: ({ host }: { host: string }) =>
    `The RELAY_BACKENDS setting does not allow connections to ${host}.`,
  model_answer_too_large: "The model's answer is too long.",
  model_not_completion: "The model's address did not return a chat completion.",
  model_not_json: 'The model did not return the expected JSON.',
  model_other_bot: 'The model chose a bot that is not among the candidates.',

  queued: 'queued',
  dropped: 'dropped',
  not_sent_kind: 'not sent: this type of message cannot be forwarded to another bot',
  not_sent_gone: 'not sent: the target bot was deleted',
  not_sent_disabled: 'not sent: the target bot is disabled',
  returns_to_chat: 'It returns to the chat it came from.',
  arrives_if_started: ({ bot_id }: { bot_id: number }) =>
    `It arrives in a private chat only if the person has started bot ${bot_id}, and in a group only if bot ${bot_id} is a member.`,
  bot_not_started: ({ bot_id }: { bot_id: number }) =>
    `It will not arrive: this person has not started bot ${bot_id}.`,
  bot_not_seen: ({ bot_id, chat_id }: { bot_id: number; chat_id: number }) =>
    `It may not arrive: bot ${bot_id} has not been seen in chat ${chat_id}.`,

  target_topic_gone: ({
    bot_id,
    message_thread_id,
  }: {
    bot_id: number;
    message_thread_id: number;
  }) =>
    `It will not arrive: bot ${bot_id} cannot write into topic ${message_thread_id}, which was deleted or switched off. Choose another topic.`,

  route_behind_drop: ({ route_id }: { route_id: number }) =>
    `Route ${route_id} drops every message before this route.`,
  route_source_disabled: 'Its source bot is disabled.',
  route_target_disabled: 'Its target bot is disabled.',
  route_two_chats: 'Its condition and its filter name different chats.',
  route_without_model: 'Route by meaning is off for its source bot.',
  route_leaves_none: ({ route_id }: { route_id: number }) =>
    `Route ${route_id} matches every message, so none reaches the model.`,
  route_ring:
    'These bots route to each other in a circle. Forwarded messages are not forwarded again, so nothing loops, but check whether you need all these routes.',
} satisfies Sentences;
