/* The request of a scheduled message, which is stored, so that people can change it. */
import type { WordCall } from '../../core/markdown/markdown-calls.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField } from '../../errors.ts';
import type { ScheduledSend } from '../../store/outbox/scheduled-sends.ts';
import { given, type MessageWords } from './message-words.ts';
import { mediaCall, type MediaMessage, type OutgoingMessage, textCalls } from './send-calls.ts';

const mostAheadMs = 366 * 24 * 3_600_000;

/** What was asked for; a message with media has a `type`. */
export type StoredRequest = OutgoingMessage &
  Partial<Omit<MediaMessage, 'file'>> & { file_name?: string };

export function dueMs(sendAt: number, now: number): number {
  const dueAt = sendAt * 1_000;
  if (dueAt <= now) throw invalidField('send_at', reason('not_in_the_future'));
  if (dueAt > now + mostAheadMs) throw invalidField('send_at', reason('over_a_year_ahead'));
  return dueAt;
}

export const requestOf = ({ request }: ScheduledSend) => JSON.parse(request) as StoredRequest;

/** The request with another text, and only the formatting that came with it. */
export function replaced(before: StoredRequest, words: MessageWords): StoredRequest {
  if (before.type === undefined) return { ...before, ...withoutWords, ...given({ ...words }) };
  if (words.rich_message !== undefined) {
    throw invalidField('rich_message', reason('not_together', { field: 'file' }));
  }
  const { text: caption, entities: caption_entities, format, parse_mode } = words;
  return { ...before, caption, caption_entities, format, parse_mode };
}

const withoutWords: Record<keyof MessageWords, undefined> = {
  text: undefined,
  format: undefined,
  parse_mode: undefined,
  entities: undefined,
  link_preview_options: undefined,
  rich_message: undefined,
};

/** A file that was uploaded before stays. */
export async function callsOf(
  request: StoredRequest,
  send: ScheduledSend,
): Promise<[WordCall, ...WordCall[]]> {
  const { type } = request;
  if (type === undefined) return textCalls(request);
  const { [type]: file } = JSON.parse(send.params) as Record<string, unknown>;
  return [await mediaCall({ ...request, type, file })];
}
