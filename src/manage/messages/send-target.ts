import { reason } from '../../core/reasons/reason.ts';
import { accountMessageId } from '../../core/messages/business-messages.ts';
import { topicParam } from '../../core/messages/topics.ts';
import { invalidField } from '../../errors.ts';

/** Where a message is sent within the chat, and how. */
export interface SendTarget {
  /** The business account on whose behalf it is sent; '' or nothing for the bot itself. */
  business_connection_id?: string | undefined;
  /** For a business account, the ID in the archive or the account's own. */
  reply_to_message_id?: number | undefined;
  message_thread_id?: number | undefined;
  disable_notification?: boolean | undefined;
  protect_content?: boolean | undefined;
  message_effect_id?: string | undefined;
  reply_markup?: object | undefined;
}

/** Returns Telegram's parameters for the target. */
export function targetParams(target: SendTarget): Record<string, unknown> {
  const {
    business_connection_id: connection = '',
    reply_to_message_id: replyTo,
    message_thread_id: topic = 0,
    message_effect_id: effect = '',
    disable_notification,
    protect_content,
    reply_markup,
  } = target;
  return {
    ...(connection === '' ? {} : { business_connection_id: connection }),
    ...topicParam(topic),
    ...(replyTo === undefined
      ? {}
      : { reply_parameters: { message_id: answeredId(connection, replyTo) } }),
    ...(disable_notification ? { disable_notification } : {}),
    ...(protect_content ? { protect_content } : {}),
    ...(effect === '' ? {} : { message_effect_id: effect }),
    ...(reply_markup === undefined ? {} : { reply_markup }),
  };
}

function answeredId(connection: string, replyTo: number): number {
  const id = replyTo > 0 ? replyTo : accountMessageId(connection, replyTo);
  if (id !== undefined) return id;
  throw invalidField(
    'reply_to_message_id',
    connection === '' ? reason('account_message_needed') : reason('names_no_account_message'),
  );
}
