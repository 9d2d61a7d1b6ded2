import { reason } from '../../core/reasons/reason.ts';
import { accountMessageId } from '../../core/messages/business-messages.ts';
import { invalidField } from '../../errors.ts';

/** Where a message is sent within the chat. */
export interface SendTarget {
  /** The business account on whose behalf it is sent; '' or nothing for the bot itself. */
  business_connection_id?: string | undefined;
  /** For a business account, the ID in the archive or the account's own. */
  reply_to_message_id?: number | undefined;
}

/** Returns Telegram's parameters for the target. */
export function targetParams(target: SendTarget): Record<string, unknown> {
  const { business_connection_id: connection = '', reply_to_message_id: replyTo } = target;
  return {
    ...(connection === '' ? {} : { business_connection_id: connection }),
    ...(replyTo === undefined
      ? {}
      : { reply_parameters: { message_id: answeredId(connection, replyTo) } }),
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
