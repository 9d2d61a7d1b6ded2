import { reason } from '../../core/reasons/reason.ts';
import { accountMessageId } from '../../core/messages/business-messages.ts';
import { invalidField } from '../../errors.ts';

/** Where something is sent, in addition to the chat. */
export interface SendTarget {
  /** Of a business account in whose name it is sent; '' or nothing for the bot's own. */
  business_connection_id?: string | undefined;
  /** Of a business account: as the archive lists it, or the account's own number. */
  reply_to_message_id?: number | undefined;
}

/** The platform's parameters for it. */
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
