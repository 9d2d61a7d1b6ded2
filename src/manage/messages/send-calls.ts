/* The calls that a message takes, with its target. */
import { reason } from '../../core/reasons/reason.ts';
import { invalidField } from '../../errors.ts';
import type { WordCall } from '../../core/markdown/markdown-calls.ts';
import { captionParams, type CaptionWords, type MessageWords, wordCalls } from './message-words.ts';
import { targetParams, type SendTarget } from './send-target.ts';

export interface OutgoingMessage extends SendTarget, MessageWords {
  bot_id: number;
  chat_id: number;
  /** Unix seconds; left out to send at once. */
  send_at?: number | undefined;
}

export const mediaTypes = [
  'photo',
  'document',
  'video',
  'audio',
  'voice',
  'animation',
  'sticker',
  'video_note',
] as const;
export type MediaType = (typeof mediaTypes)[number];

export interface MediaMessage extends SendTarget, CaptionWords {
  bot_id: number;
  chat_id: number;
  type: MediaType;
  /** A file_id of the same bot, or a file to upload in the form that the Bot API client takes. */
  file: unknown;
  /** Unix seconds; left out to send at once. */
  send_at?: number | undefined;
}

const withoutCaption = new Set<string>(['sticker', 'video_note']);

/** The first of several messages answers, the last one has the buttons. */
export async function textCalls(message: OutgoingMessage): Promise<[WordCall, ...WordCall[]]> {
  const [first, ...others] = await wordCalls(message);
  const { chat_id, reply_markup, reply_to_message_id, message_effect_id, ...target } = message;
  const add = ({ method, params }: WordCall, more: SendTarget): WordCall => ({
    method,
    params: { chat_id, ...targetParams({ ...target, ...more }), ...params },
  });
  const start = { reply_to_message_id, message_effect_id };
  const end = { reply_markup };
  const last = others.pop();
  if (!last) return [add(first, { ...start, ...end })];
  return [add(first, start), ...others.map((call) => add(call, {})), add(last, end)];
}

export async function mediaCall(message: MediaMessage): Promise<WordCall> {
  const { type, chat_id, caption = '' } = message;
  const captionWords = await captionParams(message);
  if (caption !== '' && withoutCaption.has(type)) {
    throw invalidField('caption', reason('caption_not_shown', { type }));
  }
  const method = `send${type
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`;
  const params = {
    chat_id,
    ...captionWords,
    ...targetParams(message),
    // The file comes last, so that no field waits for a streamed file.
    [type]: message.file,
  };
  return { method, params };
}
