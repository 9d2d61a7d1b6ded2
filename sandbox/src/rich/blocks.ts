import type { InputRichBlock, RichBlockCaption, RichBlockTableCell } from '@grammyjs/types';
import { buttonOf, inlineText } from './inline.ts';
import { isBlockTag, plainText, type RichElement, type RichNode } from './nodes.ts';

/* Turns trees of the HTML into the blocks that a bot could have sent itself. */

export type InputBlock = InputRichBlock<never>;

const isElement = (node: RichNode, tag: string): node is RichElement =>
  typeof node !== 'string' && node.tag === tag;

const isBlank = (node: RichNode): boolean => typeof node === 'string' && node.trim() === '';

/** A separate anchor or picture is a block, although its tag is also allowed in a text. */
function isBlock(node: RichNode): boolean {
  if (typeof node === 'string') return false;
  if (node.tag === 'img') return !(node.attributes.get('src') ?? '').startsWith('tg://emoji');
  return isBlockTag(node.tag);
}

export function blocksOf(nodes: readonly RichNode[]): InputBlock[] {
  const blocks: InputBlock[] = [];
  let words: RichNode[] = [];
  const flush = (): void => {
    const filled = words.filter((node) => !isBlank(node));
    const [only] = filled;
    if (only && filled.length === 1 && isElement(only, 'a') && only.children.length === 0) {
      blocks.push({ type: 'anchor', name: only.attributes.get('name') ?? '' });
    } else if (filled.length > 0) {
      blocks.push({ type: 'paragraph', text: inlineText(words) });
    }
    words = [];
  };
  for (const node of nodes) {
    if (!isBlock(node)) {
      words.push(node);
      continue;
    }
    flush();
    blocks.push(...blockOf(node as RichElement));
  }
  flush();
  return blocks;
}

/** Splits off the part that has its own tag, and returns the other content and that part. */
function apart(element: RichElement, tag: string): [RichNode[], RichElement | undefined] {
  const part = element.children.find((node) => isElement(node, tag)) as RichElement | undefined;
  return [element.children.filter((node) => node !== part), part];
}

function creditOf(cite: RichElement | undefined) {
  return cite ? { credit: inlineText(cite.children) } : {};
}

function captionOf(element: RichElement): { caption?: RichBlockCaption } {
  const [, figcaption] = apart(element, 'figcaption');
  if (!figcaption) return {};
  const [words, cite] = apart(figcaption, 'cite');
  return { caption: { text: inlineText(words), ...creditOf(cite) } };
}

function blockOf(element: RichElement): InputBlock[] {
  const { tag, attributes, children } = element;
  switch (tag) {
    case 'p':
      return blocksOf(children);
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return [{ type: 'heading', text: inlineText(children), size: Number(tag[1]) as 1 }];
    case 'pre':
      return [preformatted(element)];
    case 'footer':
      return [{ type: 'footer', text: inlineText(children) }];
    case 'hr':
      return [{ type: 'divider' }];
    case 'ul':
    case 'ol':
      return [listOf(element)];
    case 'blockquote':
      return [quotation(element)];
    case 'aside': {
      const [words, cite] = apart(element, 'cite');
      return [{ type: 'pullquote', text: inlineText(words), ...creditOf(cite) }];
    }
    case 'details': {
      const [rest, summary] = apart(element, 'summary');
      return [
        {
          type: 'details',
          summary: inlineText(summary?.children ?? []),
          blocks: blocksOf(rest),
          ...(attributes.has('open') && { is_open: true as const }),
        },
      ];
    }
    case 'table':
      return [tableOf(element)];
    case 'tg-collage':
    case 'tg-slideshow': {
      const [rest] = apart(element, 'figcaption');
      const type = tag === 'tg-collage' ? 'collage' : 'slideshow';
      return [{ type, blocks: blocksOf(rest), ...captionOf(element) }];
    }
    case 'figure': {
      const [rest] = apart(element, 'figcaption');
      return blocksOf(rest).map((block) => ({ ...block, ...captionOf(element) }) as InputBlock);
    }
    case 'tg-math-block':
      return [{ type: 'mathematical_expression', expression: plainText(children).trim() }];
    case 'tg-thinking':
      return [{ type: 'thinking', text: inlineText(children) }];
    case 'tg-button-row':
      return [buttonRow(element)];
    case 'tg-map':
      return [mapOf(element)];
    case 'img':
    case 'video':
    case 'audio':
    case 'tg-document':
      return [mediaOf(element)];
    default:
      return blocksOf(children);
  }
}

function preformatted({ children }: RichElement): InputBlock {
  const [only] = children;
  const code = children.length === 1 && only && isElement(only, 'code') ? only : undefined;
  const language = /^language-(.+)$/u.exec(code?.attributes.get('class') ?? '')?.[1];
  return {
    type: 'pre',
    text: inlineText(code ? code.children : children, true),
    ...(language !== undefined && { language }),
  };
}

function quotation(element: RichElement): InputBlock {
  const [words, cite] = apart(element, 'cite');
  return element.attributes.has('expandable')
    ? { type: 'expandable_blockquote', text: inlineText(words), ...creditOf(cite) }
    : { type: 'blockquote', blocks: blocksOf(words), ...creditOf(cite) };
}

function listOf({ tag, attributes, children }: RichElement): InputBlock {
  const items = children.filter((node) => isElement(node, 'li')) as RichElement[];
  const step = attributes.has('reversed') ? -1 : 1;
  let value = Number(attributes.get('start') ?? (step < 0 ? items.length : 1)) - step;
  return {
    type: 'list',
    items: items.map((item) => {
      const [rest, box] = apart(item, 'input');
      value = Number(item.attributes.get('value') ?? value + step);
      const type = item.attributes.get('type') ?? attributes.get('type') ?? '1';
      return {
        blocks: blocksOf(rest),
        ...(box && { has_checkbox: true as const }),
        ...(box?.attributes.has('checked') && { is_checked: true as const }),
        ...(tag === 'ol' && { value, type: type as '1' }),
      };
    }),
  };
}

function tableOf(element: RichElement): InputBlock {
  const { attributes, children } = element;
  const inner = children.flatMap((node) =>
    isElement(node, 'thead') || isElement(node, 'tbody') ? node.children : [node],
  );
  const rows = inner.filter((node) => isElement(node, 'tr')) as RichElement[];
  const caption = inner.find((node) => isElement(node, 'caption')) as RichElement | undefined;
  return {
    type: 'table',
    cells: rows.map((row) =>
      row.children.filter((node) => isElement(node, 'td') || isElement(node, 'th')).map(cellOf),
    ),
    ...(attributes.has('bordered') && { is_bordered: true as const }),
    ...(attributes.has('striped') && { is_striped: true as const }),
    ...(attributes.has('compact') && { is_compact: true as const }),
    ...(caption && { caption: inlineText(caption.children) }),
  };
}

function cellOf(node: RichNode): RichBlockTableCell {
  const { tag, attributes, children } = node as RichElement;
  const span = (name: string) => {
    const count = Number(attributes.get(name) ?? 1);
    return count > 1 ? { [name]: count } : {};
  };
  return {
    text: inlineText(children),
    ...(tag === 'th' && { is_header: true as const }),
    ...span('colspan'),
    ...span('rowspan'),
    align: (attributes.get('align') ?? (tag === 'th' ? 'center' : 'left')) as 'left',
    valign: (attributes.get('valign') ?? 'middle') as 'middle',
  };
}

function buttonRow({ attributes, children }: RichElement): InputBlock {
  const align = attributes.get('align');
  return {
    type: 'buttons',
    buttons: children
      .filter((node) => isElement(node, 'tg-button'))
      .map((node) => buttonOf(node as RichElement)),
    ...(align !== undefined && { align: align as 'left' }),
  };
}

function mapOf({ attributes }: RichElement): InputBlock {
  const number = (name: string, fallback: number): number =>
    Number(attributes.get(name) ?? fallback);
  return {
    type: 'map',
    location: { latitude: number('lat', Number.NaN), longitude: number('long', Number.NaN) },
    zoom: number('zoom', 14),
    width: number('width', 600),
    height: number('height', 300),
  };
}

/** The file at the address tells videos from animations and music from voice messages. */
function mediaOf({ tag, attributes }: RichElement): InputBlock {
  const src = attributes.get('src') ?? '';
  const spoiler = attributes.has('tg-spoiler') ? { has_spoiler: true } : {};
  const kind =
    tag === 'img'
      ? 'photo'
      : tag === 'tg-document'
        ? 'document'
        : tag === 'video'
          ? /\.gif(?:$|[?#])/iu.test(src)
            ? 'animation'
            : 'video'
          : /\.og[ga](?:$|[?#])/iu.test(src)
            ? 'voice_note'
            : 'audio';
  return { type: kind, [kind]: { type: kind, media: src, ...spoiler } } as unknown as InputBlock;
}
