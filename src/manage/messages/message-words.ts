import { limits } from '../../core/limits.ts';
import { formatMarkdown } from '../../core/markdown/format-markdown.ts';
import { captionOf, markdownCalls, type WordCall } from '../../core/markdown/markdown-calls.ts';
import type { FormattedText } from '../../core/markdown/styled-text.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField, type RelayError } from '../../errors.ts';

/** The content of a message: a text and its formatting, or a rich message. */
export interface MessageWords {
  text?: string | undefined;
  /** How the relay itself reads the text. */
  format?: 'markdown' | undefined;
  parse_mode?: string | undefined;
  entities?: readonly object[] | undefined;
  link_preview_options?: object | undefined;
  rich_message?: object | undefined;
}

/** Returns the calls that say it all; throws if the fields do not fit together. */
export async function wordCalls(words: MessageWords): Promise<[WordCall, ...WordCall[]]> {
  const { text, format, link_preview_options } = words;
  const params = wordParams(words);
  if (words.rich_message !== undefined) return [{ method: 'sendRichMessage', params }];
  if (format === undefined) return [{ method: 'sendMessage', params }];
  const [first, ...others] = await markdownCalls(text ?? '');
  if (!first) throw invalidField('text', reason('blank'));
  const withPreview = ({ method, params: words }: WordCall): WordCall => ({
    method,
    params: { ...words, ...given({ link_preview_options }) },
  });
  return [withPreview(first), ...others.map(withPreview)];
}

/** What `wordCalls` would send for Markdown. */
export async function previewOf(
  text: string,
): Promise<{ parts: FormattedText[]; is_file: boolean }> {
  const { parts, isCut } = await formatMarkdown(text, { mostParts: limits.messageParts });
  if (!isCut) return { parts, is_file: false };
  return { parts: [await captionOf(text)], is_file: true };
}

/** Returns Telegram's parameters for words that must fit into one message. */
export async function oneMessage(words: MessageWords): Promise<Record<string, unknown>> {
  const params = wordParams(words);
  if (words.format === undefined) return params;
  const { parts, isCut } = await formatMarkdown(words.text ?? '', { mostParts: 1 });
  if (isCut) throw tooLong();
  const [part] = parts;
  if (!part) throw invalidField('text', reason('blank'));
  return { ...part, ...given({ link_preview_options: words.link_preview_options }) };
}

/** The words of a caption. */
export interface CaptionWords {
  caption?: string | undefined;
  /** How the relay itself reads the caption. */
  format?: 'markdown' | undefined;
  parse_mode?: string | undefined;
  caption_entities?: readonly object[] | undefined;
}

/** Returns Telegram's parameters for a caption; throws if the fields do not fit together. */
export async function captionParams(words: CaptionWords): Promise<Record<string, unknown>> {
  const { caption = '', format, parse_mode, caption_entities } = words;
  const length = limits.captionLength;
  const markup = { parse_mode, caption_entities };
  if (format !== undefined) refuseAnyOf(markup, 'format');
  else if (caption.length > length) throw tooLong('caption', length);
  if (caption === '') return {};
  if (format === undefined) return given({ caption, ...markup });
  const { parts, isCut } = await formatMarkdown(caption, { mostParts: 1, length });
  if (isCut) throw tooLong('caption', length);
  const [part] = parts;
  return part ? { caption: part.text, caption_entities: part.entities } : {};
}

function wordParams(words: MessageWords): Record<string, unknown> {
  const { text, format, entities, parse_mode, link_preview_options, rich_message } = words;
  if (rich_message !== undefined) {
    const ofText = { text, format, parse_mode, entities, link_preview_options };
    refuseAnyOf(ofText, 'rich_message');
    return { rich_message };
  }
  if (text === undefined) throw invalidField('text', reason('missing'));
  if (format === undefined && text.length > limits.messageLength) throw tooLong();
  if (format !== undefined) refuseAnyOf({ parse_mode, entities }, 'format');
  if (parse_mode !== undefined) refuseAnyOf({ entities }, 'parse_mode');
  return given({ text, parse_mode, entities, link_preview_options });
}

const tooLong = (field = 'text', most: number = limits.messageLength): RelayError =>
  invalidField(field, reason('too_long_utf16', { most }));

export function given(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function refuseAnyOf(fields: Record<string, unknown>, together: string): void {
  const [wrong] = Object.keys(given(fields));
  if (wrong !== undefined) throw invalidField(wrong, reason('not_together', { field: together }));
}
