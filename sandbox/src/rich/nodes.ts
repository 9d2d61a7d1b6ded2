import { ParseFailure } from '../text/parse-failure.ts';

/*
 * Parses the HTML of rich messages into a tree. Unknown tags are refused, as Telegram refuses them.
 */

export interface RichElement {
  tag: string;
  attributes: ReadonlyMap<string, string>;
  children: RichNode[];
}

export type RichNode = string | RichElement;

const inlineTags =
  'a b strong i em u ins s strike del code mark sub sup tg-spoiler tg-reference tg-emoji tg-time tg-math tg-button br cite input span';
const blockTags =
  'h1 h2 h3 h4 h5 h6 p pre footer hr ul ol li blockquote aside figure figcaption img video audio tg-document tg-map tg-collage tg-slideshow table thead tbody caption tr th td details summary tg-math-block tg-button-row tg-thinking';

const blocks = new Set(blockTags.split(' '));
const supported = new Set([...inlineTags.split(' '), ...blocks]);
const voidTags = new Set(['br', 'hr', 'img', 'input', 'tg-map']);

const named: Record<string, string> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
};

export const isBlockTag = (tag: string): boolean => blocks.has(tag);

function decode(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/giu,
    (all: string, dec?: string, hex?: string, name?: string) => {
      if (name !== undefined) return named[name] ?? all;
      const code = dec === undefined ? Number.parseInt(hex ?? '', 16) : Number(dec);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}

function readAttributes(source: string): Map<string, string> {
  const attributes = new Map<string, string>();
  const pattern = /([a-z-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/giu;
  for (const [, name = '', double, single, bare] of source.matchAll(pattern)) {
    attributes.set(name.toLowerCase(), decode(double ?? single ?? bare ?? ''));
  }
  return attributes;
}

const tagPattern =
  /<(\/?)([a-z][a-z0-9-]*)((?:\s+[a-z-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*)\s*(\/?)>/iuy;

export function parseNodes(source: string): RichNode[] {
  const root: RichElement = { tag: '', attributes: new Map(), children: [] };
  const open: RichElement[] = [root];
  const offsetOf = (at: number): number => Buffer.byteLength(source.slice(0, at));
  let at = 0;
  while (at < source.length) {
    const top = open.at(-1) ?? root;
    const next = source.indexOf('<', at);
    const text = source.slice(at, next < 0 ? source.length : next);
    if (text !== '') top.children.push(decode(text));
    if (next < 0) break;
    tagPattern.lastIndex = next;
    const match = tagPattern.exec(source);
    if (!match) throw new ParseFailure(`Unclosed start tag at byte offset ${offsetOf(next)}`);
    at = tagPattern.lastIndex;
    const [, closing, name = '', attributes = '', selfClosed] = match;
    const tag = name.toLowerCase();
    if (!supported.has(tag)) {
      throw new ParseFailure(`Unsupported start tag "${tag}" at byte offset ${offsetOf(next)}`);
    }
    if (closing) {
      if (voidTags.has(tag)) continue;
      if (open.length === 1) {
        throw new ParseFailure(`Unexpected end tag at byte offset ${offsetOf(next)}`);
      }
      if (top.tag !== tag) {
        throw new ParseFailure(
          `Unmatched end tag at byte offset ${offsetOf(next)}, expected "</${top.tag}>", found "</${tag}>"`,
        );
      }
      open.pop();
      continue;
    }
    const element: RichElement = { tag, attributes: readAttributes(attributes), children: [] };
    top.children.push(element);
    if (!selfClosed && !voidTags.has(tag)) open.push(element);
  }
  const left = open.at(-1);
  if (left && left !== root) {
    throw new ParseFailure(`Can't find end tag corresponding to start tag "${left.tag}"`);
  }
  return root.children;
}

/** All text of a tree, unchanged. */
export function plainText(nodes: readonly RichNode[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : plainText(node.children))).join('');
}
