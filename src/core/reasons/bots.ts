import { type RefusalCode, withAdvice } from './platform.ts';
import { type AnyReason, ended, type Say, type Sentences } from './shape.ts';

export interface PartlySent {
  sent: number;
  parts: number;
  message_ids: readonly number[];
}

export interface Refused {
  /** The platform's description. */
  description: string;
  /** The code of a frequent refusal; '' for other refusals. */
  refusal: RefusalCode | '';
}

/** About bots, and Telegram's errors about them. */
export const botReasons = {
  unknown_bot: ({ bot_id }: { bot_id: number }) =>
    `Unknown bot ${bot_id}. List bots with GET /api/bots.`,
  bot_disabled: ({ bot_id }: { bot_id: number }) =>
    `Bot ${bot_id} is disabled. Enable it with POST /api/bots/toggle-disabled?id=${bot_id}.`,
  long_poll_off: ({ bot_id }: { bot_id: number }) =>
    `getUpdates is off for bot ${bot_id}. Turn it on with POST /api/bots/update and {"id": ${bot_id}, "long_poll_enabled": true}.`,
  management_off: ({ bot_id }: { bot_id: number }) =>
    `Chat management is off for bot ${bot_id}. Turn it on with POST /api/bots/update and {"id": ${bot_id}, "manage_enabled": true}.`,
  no_previous_webhook: ({ bot_id }: { bot_id: number }) =>
    `Bot ${bot_id} has no earlier webhook to restore. Disable the bot and call setWebhook at Telegram.`,
  token_refused: ({ description }: { description: string }) =>
    `Telegram rejects this token (${description}). Copy it again from @BotFather.`,
  bot_exists: ({ bot_id, platform_id }: { bot_id: number; platform_id: number }) =>
    `Bot ${bot_id} has the same Telegram ID, ${platform_id}. Replace its token with POST /api/bots/update and {"id": ${bot_id}, "token": "<new token>"}.`,
  bots_share_id: ({ bot_ids, platform_id }: { bot_ids: readonly number[]; platform_id: number }) =>
    `Bots ${bot_ids.join(' and ')} have the same Telegram ID, ${platform_id}. Delete those whose token is revoked.`,
  token_taken: ({ bot_id }: { bot_id: number | null }) =>
    `This token belongs to ${bot_id === null ? 'another bot' : `bot ${bot_id}`}. Change that bot with POST /api/bots/update.`,

  platform_refused: ({ description, refusal }: Refused) =>
    withAdvice(ended(`Telegram refused: ${description}`), refusal),
  platform_refused_with_code: ({
    description,
    error_code,
    refusal,
  }: Refused & { error_code: number }) =>
    withAdvice(`Telegram refused: ${description} (${error_code}).`, refusal),
  partly_sent: ({ sent, parts, message_ids: ids }: PartlySent) =>
    `Only ${sent} of ${parts} messages were sent (ID ${ids.join(', ')}). GET /api/outbox says what became of the next one.`,
  send_outcome_unknown: ({ description }: { description: string }) =>
    `Telegram failed (${description}). The message may have been sent: check the chat.`,
  send_too_old: 'Not sent: it waited too long, for its bot to be enabled or for its turn.',
  send_waits_for_database: 'Not sent yet: the database was unavailable.',
  send_internal_error: 'Not sent: internal error. See the log.',
  platform_refused_for_right: (
    { refusal, right }: { refusal: AnyReason; right: string },
    say: Say,
  ) => `${ended(say(refusal))} The bot needs the administrator right ${right} in this chat.`,
  platform_wait: ({ seconds }: { seconds: number }) =>
    `Telegram asks to wait. Try again in ${seconds} s.`,
  platform_trouble_later: ({ description }: { description: string }) =>
    `Telegram failed (${description}). Try again later.`,
  platform_nothing_sent: ({ cause }: { cause: AnyReason }, say: Say) =>
    `${say(cause)} Nothing was sent. Try again later.`,
  platform_outcome_unknown: ({ cause }: { cause: AnyReason }, say: Say) =>
    `${say(cause)} It may have taken effect: check before you try again.`,
  platform_without_message:
    'Telegram answered without the message. It may have taken effect: check before you try again.',
  platform_without_sent_message:
    'Telegram answered without the message. It may have been sent: check the chat before you try again.',
  platform_without_file: 'Telegram did not return the file. Try again later.',
  platform_without_member: 'Telegram returned nothing about this member. Try again later.',
  sent_unrecorded:
    'The message was sent but could not be stored. Check the chat before you send it again.',

  platform_called_off: 'The request to Telegram was canceled.',
  platform_no_answer: ({ seconds }: { seconds: number }) =>
    `Telegram did not answer within ${seconds} s.`,
  platform_answer_too_large: ({ most_bytes }: { most_bytes: number }) =>
    `Telegram's answer is over ${most_bytes} bytes.`,
  platform_unreachable: ({ cause }: { cause: string }) => `Telegram cannot be reached (${cause}).`,
  platform_not_bot_api: ({ status }: { status: number }) =>
    `TELEGRAM_API_URL answered HTTP ${status} without a Bot API response. Check the address and any proxy on the way.`,
  platform_no_updates: 'Telegram returned entries that are not updates.',
  file_not_fetched: 'The file could not be downloaded.',
  file_not_fetched_status: ({ status }: { status: number }) =>
    `The file could not be downloaded (${status}).`,
  poll_called_off: 'The poll was canceled.',
  poll_no_answer: 'Telegram did not answer in time.',
  poll_answer_too_long: "Telegram's answer is too long.",

  intake_unforeseen: 'Internal error, see the log. Retrying.',
  webhook_needs_address:
    'Webhook mode needs the public address of this service. Set RELAY_PUBLIC_URL, or turn webhook_mode off.',
  webhook_was_removed: "Another client removed this bot's webhook. It was restored.",
  webhook_was_changed: ({ origin }: { origin: string }) =>
    `Another client set this bot's webhook to ${origin}. It was set back.`,
  webhook_secret_not_restored:
    'The webhook has no secret token: Telegram does not reveal the earlier one. If the receiver checks it, call this again with secret_token.',
  webhook_certificate_not_restored:
    'The earlier webhook had its own certificate, which Telegram does not reveal. Upload it with setWebhook.',
  webhook_not_removed: 'The webhook could not be removed at Telegram. Calls to it are rejected.',
  webhook_replaced: ({ origin }: { origin: string }) =>
    `This bot's webhook at ${origin} was removed, because the relay receives the bot's updates now. Restore it with POST /api/bots/restore-webhook.`,
  intake_token_refused: ({ description }: { description: string }) =>
    `Telegram rejects this bot's token (${description}). Get a valid one from @BotFather and save it with POST /api/bots/update.`,
  intake_wait: ({ seconds, description }: { seconds: number; description: string }) =>
    `Telegram asks to wait ${seconds} s (${description}).`,
  intake_webhook_conflict: ({ description }: { description: string }) =>
    `Another client has set a webhook for this bot (${description}). Remove it there, or disable and enable the bot here to take over.`,
  intake_poll_conflict: ({ description }: { description: string }) =>
    `Another client polls this bot with the same token (${description}). Stop it, or connect it to this service.`,
  platform_trouble: ({ description }: { description: string }) =>
    `Telegram failed (${description}).`,
  intake_refused: ({ description }: { description: string }) =>
    ended(`Telegram refused: ${description}`),
  intake_not_stored:
    'The database did not store the updates. Telegram keeps them until it does. Retrying.',
  webhook_not_delivered: ({ description }: { description: string }) =>
    ended(`Telegram cannot deliver to this service's webhook: ${description}`),
} satisfies Sentences;
