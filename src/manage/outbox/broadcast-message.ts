/* What a broadcast says, as it was asked for and as the call that it becomes. */
import type { BroadcastOptions } from '../../core/messages/broadcast.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField } from '../../errors.ts';
import { given, type MessageWords, oneMessage } from '../messages/message-words.ts';
import { mediaCall, type MediaType } from '../messages/send-calls.ts';

/** A text, or media that the bot has seen. */
export interface BroadcastMessage extends MessageWords {
  type?: MediaType | undefined;
  file_id?: string | undefined;
  caption?: string | undefined;
  caption_entities?: readonly object[] | undefined;
  reply_markup?: object | undefined;
  disable_notification?: boolean | undefined;
  protect_content?: boolean | undefined;
}

/** The call that every chat gets, without the chat. */
async function callOf({
  type,
  file_id,
  caption,
  caption_entities,
  ...request
}: BroadcastMessage): Promise<{ method: string; params: Record<string, unknown> }> {
  const { disable_notification, protect_content, reply_markup, ...words } = request;
  const options = given({
    ...(disable_notification ? { disable_notification } : {}),
    ...(protect_content ? { protect_content } : {}),
    reply_markup,
  });
  if (type === undefined) {
    const method = words.rich_message === undefined ? 'sendMessage' : 'sendRichMessage';
    return { method, params: { ...(await oneMessage(words)), ...options } };
  }
  if (file_id === undefined) throw invalidField('file_id', reason('missing'));
  const { format, parse_mode } = words;
  const said = { caption, caption_entities, format, parse_mode };
  const { method, params } = await mediaCall({
    bot_id: 0,
    chat_id: 0,
    type,
    file: file_id,
    ...said,
  });
  return { method, params: { ...params, ...options } };
}

const hasInlineButtons = (markup: object | undefined): boolean =>
  markup === undefined || 'inline_keyboard' in markup;

/** The message and the options of a new broadcast. */
export async function draftOf(asked: BroadcastMessage & Partial<BroadcastOptions>) {
  const {
    opt_out_button = '',
    opt_out_word = '',
    opt_out_reply = '',
    stop_at_blocked_percent = 0,
    allow_paid_broadcast = false,
    ...request
  } = asked;
  if (opt_out_button !== '' && !hasInlineButtons(request.reply_markup)) {
    throw invalidField('reply_markup', reason('not_together', { field: 'opt_out_button' }));
  }
  return {
    message: { request, ...(await callOf(request)) },
    options: {
      opt_out_button,
      opt_out_word,
      opt_out_reply,
      stop_at_blocked_percent,
      allow_paid_broadcast,
    },
  };
}
