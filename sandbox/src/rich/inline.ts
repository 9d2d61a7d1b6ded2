import type { RichMessageButton, RichText } from '@grammyjs/types';
import { marks } from '../text/marks.ts';
import { plainText, type RichElement, type RichNode } from './nodes.ts';

/* Turns trees of the HTML into the Bot API's RichText, text with its formatting. */

const wrappers = new Map<string, string>(
  Object.entries({ ...marks, mark: 'marked', sub: 'subscript', sup: 'superscript' }),
);

/** A single piece is returned as it is; adjacent texts are joined. */
export function joined(parts: readonly RichText[]): RichText {
  const list: RichText[] = [];
  for (const part of parts.flat() as RichText[]) {
    const last = list.at(-1);
    if (part === '') continue;
    if (typeof part === 'string' && typeof last === 'string') list[list.length - 1] = last + part;
    else list.push(part);
  }
  return list.length === 0 ? '' : list.length === 1 ? (list[0] as RichText) : list;
}

/** Collapses white space, as in HTML, and trims it around the whole text. */
export function inlineText(nodes: readonly RichNode[], keepSpace = false): RichText {
  const text = joined(nodes.map((node) => inlineNode(node, keepSpace)));
  return keepSpace ? text : trimmed(text);
}

function trimmed(text: RichText): RichText {
  if (typeof text === 'string') return text.trim();
  if (!Array.isArray(text)) return text;
  const parts = [...text];
  if (typeof parts[0] === 'string') parts[0] = parts[0].trimStart();
  const last = parts.at(-1);
  if (typeof last === 'string') parts[parts.length - 1] = last.trimEnd();
  return joined(parts);
}

function inlineNode(node: RichNode, keepSpace: boolean): RichText {
  if (typeof node === 'string') return keepSpace ? node : node.replace(/[ \t\r\n]+/gu, ' ');
  const { tag, attributes, children } = node;
  const inside = (): RichText => joined(children.map((child) => inlineNode(child, keepSpace)));
  const wrapper = wrappers.get(tag);
  if (wrapper) {
    const text = inside();
    return text === '' ? '' : ({ type: wrapper, text } as RichText);
  }
  switch (tag) {
    case 'br':
      return '\n';
    case 'a':
      return link(node, inside());
    case 'tg-reference':
      return { type: 'reference', text: inside(), name: attributes.get('name') ?? '' };
    case 'tg-emoji':
      return emoji(attributes.get('emoji-id') ?? '', plainText(children));
    case 'img':
      return emoji(/id=(\d+)/u.exec(attributes.get('src') ?? '')?.[1] ?? '', attributes.get('alt'));
    case 'tg-time':
      return {
        type: 'date_time',
        text: inside(),
        unix_time: Number(attributes.get('unix')),
        date_time_format: attributes.get('format') ?? '',
      } as RichText;
    case 'tg-math':
      return { type: 'mathematical_expression', expression: plainText(children) };
    case 'tg-button':
      return { type: 'button', button: buttonOf(node) };
    default:
      return inside();
  }
}

const emoji = (id: string, alternative = ''): RichText => ({
  type: 'custom_emoji',
  custom_emoji_id: id,
  alternative_text: alternative,
});

function link({ attributes }: RichElement, text: RichText): RichText {
  const href = attributes.get('href');
  const name = attributes.get('name');
  if (href === undefined)
    return name === undefined ? text : joined([{ type: 'anchor', name }, text]);
  if (href.startsWith('#')) return { type: 'anchor_link', text, anchor_name: href.slice(1) };
  if (href.startsWith('mailto:'))
    return { type: 'email_address', text, email_address: href.slice(7) };
  if (href.startsWith('tel:')) return { type: 'phone_number', text, phone_number: href.slice(4) };
  const userId = /^tg:\/\/user\?id=(\d+)$/u.exec(href)?.[1];
  // Only the world knows the person; it completes the mention.
  if (userId) return { type: 'text_mention', text, user: { id: Number(userId) } } as RichText;
  return { type: 'url', text, url: href };
}

export function buttonOf({ attributes, children }: RichElement): RichMessageButton {
  const style = attributes.get('style');
  const url = attributes.get('url') ?? '';
  const query = attributes.get('query') ?? '';
  const kinds: Record<string, object> = {
    url: { url },
    callback_data: { callback_data: attributes.get('data') ?? '' },
    web_app: { web_app: { url } },
    login_url: { login_url: { url } },
    switch_inline_query: { switch_inline_query: query },
    switch_inline_query_current_chat: { switch_inline_query_current_chat: query },
    switch_inline_query_chosen_chat: { switch_inline_query_chosen_chat: { query } },
    copy_text: { copy_text: { text: attributes.get('text') ?? '' } },
    disabled: { disabled: {} },
  };
  return {
    text: inlineText(children),
    ...(style !== undefined && { style }),
    ...kinds[attributes.get('type') ?? ''],
  } as RichMessageButton;
}
