import type { RefusalCode } from './platform.ts';
import type { AnyReason, Say, Sentences } from './shape.ts';

interface Refused {
  /** What the platform said. */
  description: string;
  /** Which of the frequent refusals it is; '' for the others. */
  refusal: RefusalCode | '';
}

/** About bots, and about what the platform says of them. */
export const botReasons = {
  no_such_bot: ({ bot_id }: { bot_id: number }) => `There is no bot ${bot_id}.`,
  unknown_bot: ({ bot_id }: { bot_id: number }) =>
    `There is no bot ${bot_id}: GET /api/bots lists them.`,
  bot_disabled: ({ bot_id }: { bot_id: number }) =>
    `Bot ${bot_id} is disabled: enable it with POST /api/bots/toggle-disabled?id=${bot_id}.`,
  bot_disabled_first: ({ bot_id }: { bot_id: number }) =>
    `Bot ${bot_id} is disabled: enable it with POST /api/bots/toggle-disabled first.`,
  bot_is_disabled: ({ bot_id }: { bot_id: number }) => `Bot ${bot_id} is disabled.`,
  long_poll_off: ({ bot_id }: { bot_id: number }) =>
    `Long polling is switched off for bot ${bot_id}: set long_poll_enabled with POST /api/bots/update.`,
  management_off: ({ bot_id }: { bot_id: number }) =>
    `Chat management is off for bot ${bot_id}: switch it on with POST /api/bots/update and {"id": ${bot_id}, "manage_enabled": true}.`,
  no_previous_webhook: ({ bot_id }: { bot_id: number }) =>
    `No webhook of bot ${bot_id} was removed here, so there is none to put back: set one with setWebhook at the platform once the bot is disabled.`,
  token_refused: ({ description }: { description: string }) =>
    `The platform does not accept this token (${description}): copy it again from @BotFather.`,
  token_taken: ({ bot_id }: { bot_id: number | null }) =>
    `This token is registered already, for ${bot_id === null ? 'another bot' : `bot ${bot_id}`}: change that one with POST /api/bots/update.`,

  platform_refused: ({ description }: Refused) => `The platform refused: ${description}`,
  platform_refused_with_code: ({ description, error_code }: Refused & { error_code: number }) =>
    `The platform refused: ${description} (${error_code})`,
  send_outcome_unknown: ({ description }: { description: string }) =>
    `The platform failed at it (${description}); it may have arrived.`,
  send_waits_for_database: 'Not sent yet: the database was not available.',
  send_internal_error: 'Not sent: an internal error. See the log.',
  platform_refused_for_right: (
    { refusal, right }: { refusal: AnyReason; right: string },
    say: Say,
  ) => `${ended(say(refusal))} The bot lacks the administrator right ${right} in this chat.`,
  platform_wait: ({ seconds }: { seconds: number }) =>
    `The platform asks to wait ${seconds} s before the next request.`,
  platform_trouble_later: ({ description }: { description: string }) =>
    `The platform is in trouble (${description}): try again later.`,
  platform_nothing_sent: ({ cause }: { cause: AnyReason }, say: Say) =>
    `${say(cause)} Nothing was sent: try again later.`,
  platform_outcome_unknown: ({ cause }: { cause: AnyReason }, say: Say) =>
    `${say(cause)} Whether it took effect is not known: look before you try again.`,
  platform_without_message:
    'The platform answered without the message: whether it took effect is not known.',
  platform_without_sent_message:
    'The platform answered without the message: whether it was sent is not known.',
  platform_without_file: 'The platform did not give the file out: try again later.',
  platform_without_member: 'The platform told nothing of this member.',
  sent_unrecorded:
    'The message was sent, but the relay could not record it. Check the chat before you send it again.',

  platform_called_off: 'The call to the platform was called off.',
  platform_no_answer: ({ seconds }: { seconds: number }) =>
    `The platform did not answer within ${seconds} s.`,
  platform_answer_too_large: ({ most_bytes }: { most_bytes: number }) =>
    `The platform's answer is over ${most_bytes} bytes.`,
  platform_unreachable: ({ cause }: { cause: string }) =>
    `The platform could not be reached (${cause}).`,
  platform_not_bot_api: ({ status }: { status: number }) =>
    `The platform's address answered with HTTP ${status} and no Bot API answer: check TELEGRAM_API_URL and what stands in between.`,
  platform_no_updates:
    'The platform answered with entries that are no updates and cannot be confirmed.',
  file_not_fetched: 'The file could not be fetched.',
  file_not_fetched_status: ({ status }: { status: number }) =>
    `The file could not be fetched (${status}).`,
  poll_called_off: 'The poll was called off.',
  poll_no_answer: 'The platform did not answer in time.',
  poll_answer_too_long: "The platform's answer is too long.",

  intake_unforeseen: 'Something unforeseen failed, see the log; it is tried again.',
  webhook_needs_address:
    'Webhook mode needs the address at which the platform reaches this relay: set RELAY_PUBLIC_URL, or turn webhook_mode off.',
  webhook_was_removed: 'Another program had removed the webhook of this bot; it was set again.',
  webhook_was_changed: ({ origin }: { origin: string }) =>
    `Another program had set the webhook of this bot to ${origin}; it was set back.`,
  webhook_secret_not_restored:
    'The platform never tells the secret token of a webhook, so none is set now: if the receiver checks one, call this again with secret_token.',
  webhook_certificate_not_restored:
    'The webhook had a certificate of its own, which the platform never tells: upload it again with setWebhook.',
  webhook_not_removed:
    'Its webhook could not be removed from the platform; calls to it are refused.',
  webhook_replaced: ({ origin }: { origin: string }) =>
    `The webhook at ${origin} that was set for this bot before was removed, because the bot is polled now; it is kept, and POST /api/bots/restore-webhook puts it back.`,
  intake_token_refused: ({ description }: { description: string }) =>
    `The platform refuses this bot's token (${description}): get a valid one from @BotFather and store it with POST /api/bots/update.`,
  intake_wait: ({ seconds, description }: { seconds: number; description: string }) =>
    `The platform asked to wait ${seconds} s (${description}).`,
  intake_webhook_conflict: ({ description }: { description: string }) =>
    `Another program has set a webhook for this bot (${description}): remove it there, or disable and enable the bot here to take it over.`,
  intake_poll_conflict: ({ description }: { description: string }) =>
    `Another program polls this bot with the same token (${description}): stop it, or let it read through this relay instead.`,
  platform_trouble: ({ description }: { description: string }) =>
    `The platform is in trouble (${description}).`,
  intake_refused: ({ description }: { description: string }) =>
    `The platform refused: ${description}.`,
  intake_not_stored:
    'The database did not take the updates; the platform keeps them until it does.',
  webhook_not_delivered: ({ description }: { description: string }) =>
    `The platform could not deliver to this relay's webhook: ${description}.`,
} satisfies Sentences;

const ended = (sentence: string) => (sentence.endsWith('.') ? sentence : `${sentence}.`);
