import { limits } from '../../core/limits.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField } from '../../errors.ts';

/** What a message says: a text and its formatting, or a rich message. */
export interface MessageWords {
  text?: string | undefined;
  parse_mode?: string | undefined;
  entities?: readonly object[] | undefined;
  link_preview_options?: object | undefined;
  rich_message?: object | undefined;
}

/** Returns Telegram's parameters; throws if the fields do not fit together. */
export function wordParams(words: MessageWords): Record<string, unknown> {
  const { text, entities, parse_mode, link_preview_options, rich_message } = words;
  if (rich_message !== undefined) {
    const ofText = { text, parse_mode, entities, link_preview_options };
    refuseAnyOf(ofText, 'rich_message');
    return { rich_message };
  }
  if (text === undefined) throw invalidField('text', reason('missing'));
  if (text.length > limits.messageLength) {
    throw invalidField('text', reason('too_long_utf16', { most: limits.messageLength }));
  }
  if (parse_mode !== undefined) refuseAnyOf({ entities }, 'parse_mode');
  return given({ text, parse_mode, entities, link_preview_options });
}

export function given(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function refuseAnyOf(fields: Record<string, unknown>, together: string): void {
  const [wrong] = Object.keys(given(fields));
  if (wrong !== undefined) throw invalidField(wrong, reason('not_together', { field: together }));
}
