/* Writes what the parser found as text that reads well in Telegram. */
import type { Token } from 'markdown-it';
import { linkMark, shownAddress } from './link.ts';
import type { TableMeta } from './parser.ts';
import { type Mark, TextWriter } from './styled-text.ts';
import { writeTable } from './table.ts';

export interface ParsedSection {
  tokens: readonly Token[];
  text: string;
  isInsideCode: boolean;
}

/** The marks of Markdown, and of the HTML that models write. */
const markTypes = new Map<string, Mark['type']>([
  ['strong', 'bold'],
  ['b', 'bold'],
  ['em', 'italic'],
  ['i', 'italic'],
  ['s', 'strikethrough'],
  ['del', 'strikethrough'],
  ['strike', 'strikethrough'],
  ['u', 'underline'],
  ['ins', 'underline'],
  ['code', 'code'],
  ['kbd', 'code'],
]);

const indentStep = '   ';

export class Renderer {
  readonly writer = new TextWriter();
  /** Open marks, innermost last, each with the text that follows its end. */
  readonly #open: { mark: Mark | undefined; after: string }[] = [];
  readonly #indents: string[] = [];
  #lastCode: Mark = { type: 'pre' };
  #isItemStart = false;

  render({ tokens, text, isInsideCode }: ParsedSection): void {
    const lines = text.split('\n');
    for (const [index, token] of tokens.entries()) {
      if (index === 0 && isInsideCode) {
        this.#writeCode(this.#lastCode, `\n${token.content}`);
        continue;
      }
      // An empty line stays one, also in a quote.
      const before = (token.map?.[0] ?? 0) - 1;
      const isApart = index === 0 || (before >= 0 && /^[\s>]*$/.test(lines[before] ?? ''));
      if (token.map && token.type !== 'inline') this.writer.separate(isApart ? 2 : 1);
      this.#block(token);
    }
  }

  #block(token: Token): void {
    const { writer } = this;
    switch (token.type) {
      case 'inline':
        this.inline(token.children ?? []);
        break;
      case 'heading_open':
        this.#begin({ type: 'bold' });
        break;
      case 'blockquote_open':
        this.#begin({ type: 'blockquote' });
        break;
      case 'heading_close':
      case 'blockquote_close':
        this.#end();
        break;
      case 'list_item_open':
        writer.lead(token.info === '' ? '• ' : `${token.info}${token.markup} `);
        this.#indents.push(writer.indent);
        writer.indent += indentStep;
        this.#isItemStart = true;
        break;
      case 'list_item_close':
        writer.indent = this.#indents.pop() ?? '';
        writer.release();
        break;
      case 'fence':
      case 'code_block': {
        const [, language, about = ''] = /^\s*([\w+#.-]{1,64})?(.*)/s.exec(token.info) ?? [];
        // Telegram shows the language only with code.
        writer.write(token.content.trim() === '' ? token.info.trim() : about.trim());
        writer.separate(1);
        this.#lastCode = { type: 'pre', ...(language === undefined ? {} : { language }) };
        this.#writeCode(this.#lastCode, token.content);
        break;
      }
      case 'hr':
        writer.write('———');
        break;
      case 'table':
        writeTable(token.meta as TableMeta, this);
        break;
      default:
    }
  }

  /** Writes words: the tokens of one paragraph, heading or cell. */
  inline(tokens: readonly Token[]): void {
    const pairs = pairedTags(tokens);
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'html_inline') this.#tag(token.content, pairs.has(index));
      else if (token.type === 'link_open') this.#beginLink(token, tokens[index + 1]);
      else this.#words(token);
      this.#isItemStart = false;
    }
  }

  styled(mark: Mark, write: () => void): void {
    this.#begin(mark);
    write();
    this.#end();
  }

  #words(token: Token): void {
    const { writer } = this;
    const { type, content, nesting } = token;
    if (type === 'softbreak' || type === 'hardbreak') writer.separate(1);
    else if (type === 'code_inline') this.styled({ type: 'code' }, () => writer.write(content));
    else if (type === 'image') this.#image(token);
    else if (nesting < 0) this.#end();
    else if (nesting > 0) this.#begin(markNamed(type.replace(/_open$/, '')));
    else writer.write(this.#isItemStart ? withCheckbox(content) : content);
  }

  #begin(mark: Mark | undefined, after = ''): void {
    this.#open.push({ mark, after });
    if (mark) this.writer.open(mark);
  }

  #end(): void {
    const { mark, after } = this.#open.pop() ?? { mark: undefined, after: '' };
    if (mark) this.writer.close(mark);
    this.writer.write(after);
  }

  /** A link that Telegram would refuse is written out, as is a title. */
  #beginLink(token: Token, label: Token | undefined): void {
    const href = token.attrGet('href') ?? token.attrGet('src') ?? '';
    const title = token.attrGet('title') ?? '';
    const shown = shownAddress(href);
    const isBare = !label || label.type === 'link_close';
    const isShown = isBare || (label.type === 'text' && shownAddress(label.content) === shown);
    const mark = isShown ? undefined : linkMark(href);
    const after = [mark || isShown ? '' : shown, title].filter(Boolean).join(', ');
    this.#begin(mark, after && ` (${after})`);
    if (isBare) this.writer.write(shown);
  }

  #image(token: Token): void {
    const words = token.children ?? [];
    this.#beginLink(token, words[0]);
    this.inline(words);
    this.#end();
  }

  #writeCode(mark: Mark, content: string): void {
    this.styled(mark, () => this.writer.write(content.replace(/\n$/, '')));
  }

  #tag(tag: string, isPaired: boolean): void {
    const { name, isEnd } = tagOf(tag);
    if (name === 'br') this.writer.separate(1);
    else if (!isPaired) this.writer.write(tag);
    else if (isEnd) this.#end();
    else this.#begin(markNamed(name));
  }
}

function markNamed(name: string): Mark | undefined {
  const type = markTypes.get(name);
  return type && { type };
}

const withCheckbox = (text: string): string =>
  text.replace(/^\[ \] /, '☐ ').replace(/^\[[xX]\] /, '☑ ');

function tagOf(tag: string): { name: string; isEnd: boolean } {
  const [, slash = '', name = ''] = /^<(\/?)([a-z]+)\s*\/?>$/i.exec(tag) ?? [];
  return { name: name.toLowerCase(), isEnd: slash !== '' };
}

/** The indexes of HTML tags of formatting that have their partner, properly nested; others are text. */
function pairedTags(tokens: readonly Token[]): Set<number> {
  const paired = new Set<number>();
  let open: { name: string; index: number }[] = [];
  for (const [index, { type, content, nesting }] of tokens.entries()) {
    if (type === 'html_inline') {
      const { name, isEnd } = tagOf(content);
      const last = open.at(-1);
      if (!markTypes.has(name)) continue;
      if (!isEnd) open.push({ name, index });
      else if (last?.name === name) {
        paired.add(last.index).add(index);
        open.pop();
      }
    } else if (nesting > 0) open.push({ name: '', index });
    else if (nesting < 0)
      open = open.slice(
        0,
        open.findLastIndex(({ name }) => name === ''),
      );
  }
  return paired;
}
