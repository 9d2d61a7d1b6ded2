/*
 * Turns Markdown into calls of the Bot API: of its own, for a text without a call, and in place of
 * calls whose sender writes Markdown and says nothing about it.
 */
import { limits } from '../limits.ts';
import { object } from '../log/wire.ts';
import { formatMarkdown } from './format-markdown.ts';
import type { FormattedText } from './styled-text.ts';

export interface WordCall {
  method: string;
  params: Record<string, unknown>;
}

/** Returns the calls that say it all, without their target; none if the text is blank. */
export async function markdownCalls(source: string): Promise<WordCall[]> {
  const { parts, isCut } = await formatMarkdown(source, { mostParts: limits.messageParts });
  if (isCut) return [await fileCall(source)];
  return parts.map((part) => ({ method: 'sendMessage', params: { ...part } }));
}

/** The beginning of a text, for the file that has it all. */
export async function captionOf(source: string): Promise<FormattedText> {
  const length = limits.captionLength - 1;
  const [start] = (await formatMarkdown(source, { mostParts: 1, length })).parts;
  return { text: `${start?.text ?? ''}…`, entities: start?.entities ?? [] };
}

/** The whole text as a file, and its beginning as the caption. */
async function fileCall(source: string): Promise<WordCall> {
  const { entities, text } = await captionOf(source);
  const document = { file: Buffer.from(source), name: 'message.md', type: 'text/markdown' };
  return {
    method: 'sendDocument',
    params: { caption: text, caption_entities: entities, document },
  };
}

const hasText = /^(?:send(?:message|messagedraft)|editmessagetext)$/i;
const hasCaption = /^(?:send|copymessage$|editmessagecaption$)/i;
const hasMedia = /^(?:sendmediagroup|editmessagemedia)$/i;

/** Says whether `formatCall` may change calls of the method. */
export const takesMarkdown = (method: string): boolean =>
  [hasText, hasCaption, hasMedia].some((methods) => methods.test(method));

/**
 * Returns the calls that say formatted what a call says in Markdown. Undefined if the call says how
 * to read its text, has nothing to format, or must be one message and does not fit: it stays as it
 * is.
 */
export async function formatCall({ method, params }: WordCall): Promise<WordCall[] | undefined> {
  if (/^sendmessage$/i.test(method)) return formattedSend(params);
  const changed = hasMedia.test(method)
    ? await formattedMedia(params)
    : hasText.test(method)
      ? await formattedWords(params, 'text')
      : await formattedWords(params, 'caption');
  return changed && [{ method, params: changed }];
}

async function formattedSend(params: WordCall['params']): Promise<WordCall[] | undefined> {
  const source = markdownIn(params, 'text');
  if (source === undefined) return undefined;
  const { text: _text, parse_mode: _none, reply_markup, message_effect_id, ...target } = params;
  const { reply_parameters, reply_to_message_id, allow_sending_without_reply, ...every } = target;
  const start = { reply_parameters, reply_to_message_id, allow_sending_without_reply };
  const calls = await markdownCalls(source);
  if (calls.length === 0) return undefined;
  // The first of several messages answers, the last one has the buttons.
  return calls.map((call, index) => ({
    method: call.method,
    params: {
      ...every,
      ...(index === 0 ? given({ ...start, message_effect_id }) : {}),
      ...(index === calls.length - 1 ? given({ reply_markup }) : {}),
      ...call.params,
    },
  }));
}

/** Telegram takes no larger album. */
const mostMedia = 10;

type TextField = 'text' | 'caption';
const entitiesOf = { text: 'entities', caption: 'caption_entities' } as const;
const lengthOf = { text: limits.messageLength, caption: limits.captionLength } as const;

/** Formats words that must fit into one message; undefined if they do not, or nothing changes. */
async function formattedWords(
  params: WordCall['params'],
  field: TextField,
): Promise<WordCall['params'] | undefined> {
  const source = markdownIn(params, field);
  if (source === undefined) return undefined;
  const length = lengthOf[field];
  const { parts, isCut } = await formatMarkdown(source, { mostParts: 1, length });
  const [part] = parts;
  if (!part || isCut) return undefined;
  return { ...params, [field]: part.text, [entitiesOf[field]]: part.entities };
}

/** Formats the captions within `media`, which is one medium or a list of them, maybe as JSON. */
async function formattedMedia(params: WordCall['params']): Promise<WordCall['params'] | undefined> {
  const media = typeof params.media === 'string' ? parsed(params.media) : params.media;
  const items = Array.isArray(media) ? (media as unknown[]) : [media];
  if (items.length > mostMedia) return undefined;
  const changed = await Promise.all(
    items.map(async (item) => {
      const medium = object(item);
      return medium && (await formattedWords(medium, 'caption'));
    }),
  );
  if (!changed.some(Boolean)) return undefined;
  const shown = items.map((item, index) => changed[index] ?? item);
  return { ...params, media: Array.isArray(media) ? shown : shown[0] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function markdownIn(params: WordCall['params'], field: TextField): string | undefined {
  const source = params[field];
  if (typeof source !== 'string' || source.length > limits.markdownLength) return undefined;
  const isFormatted = [params.parse_mode, params[entitiesOf[field]]].some(
    (value) => value !== undefined && value !== null && value !== '',
  );
  return isFormatted ? undefined : source;
}

function given(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
