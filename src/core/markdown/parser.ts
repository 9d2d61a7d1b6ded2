import type MarkdownIt from 'markdown-it';
import type { StateBlock, StateInline, Token } from 'markdown-it';

/** The parser leaves deeper blocks out. */
export const deepest = 100;

let parser: Promise<MarkdownIt> | undefined;

/** The parser is loaded when it is first needed. */
export function loadParser(): Promise<MarkdownIt> {
  parser ??= createParser();
  return parser;
}

async function createParser(): Promise<MarkdownIt> {
  const { default: Parser } = await import('markdown-it');
  const markdown = new Parser({ html: true });
  // A definition that no text uses would vanish, and HTML blocks are read like other text.
  markdown.disable(['reference', 'html_block']);
  markdown.block.ruler.at('table', readTable, { alt: ['paragraph'] });
  const { scanDelims } = markdown.inline.State.prototype;
  markdown.inline.State = class extends markdown.inline.State {
    override scanDelims(start: number, canSplitWord: boolean) {
      const found = scanDelims.call(this, start, canSplitWord);
      return canSplitWord ? besideWords(this, start, found) : found;
    }
  };
  return markdown;
}

type Delimiters = ReturnType<StateInline['scanDelims']>;

/**
 * CommonMark does not close `**重点：**` before a letter. Any `*` next to text may open and close:
 * languages without spaces need it.
 */
function besideWords({ src, posMax }: StateInline, start: number, found: Delimiters): Delimiters {
  const end = start + found.length;
  return {
    ...found,
    can_open: end < posMax && !/\s/.test(src.charAt(end)),
    can_close: start > 0 && !/\s/.test(src.charAt(start - 1)),
  };
}

export interface TableMeta {
  /** The first row is the header. */
  rows: string[][];
  /** The parsed cells. */
  cells: Token[][][];
}

const delimiters = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** Reads a table with all cells; the rule of the parser would drop those beyond the header. */
function readTable(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  if (start + 1 >= end || isApart(state, start) || isApart(state, start + 1)) return false;
  const line = lineAt(state, start + 1);
  if (!line.includes('-') || !delimiters.test(line)) return false;
  const header = cellsOf(lineAt(state, start));
  if (!lineAt(state, start).includes('|') || header.length !== cellsOf(line).length) return false;
  if (silent) return true;
  const rows = [header];
  let next = start + 2;
  for (; next < end && !isApart(state, next); next++) {
    const row = lineAt(state, next);
    if (!row.includes('|')) break;
    rows.push(cellsOf(row));
  }
  const token = state.push('table', '', 0);
  token.map = [start, next];
  token.meta = { rows, cells: [] } satisfies TableMeta;
  state.line = next;
  return true;
}

/** A line that ends the block, or is indented as code. */
function isApart(state: StateBlock, line: number): boolean {
  const indent = (state.sCount[line] ?? 0) - state.blkIndent;
  return indent < 0 || indent >= 4;
}

function lineAt({ src, bMarks, tShift, eMarks }: StateBlock, line: number): string {
  return src.slice((bMarks[line] ?? 0) + (tShift[line] ?? 0), eMarks[line]).trimEnd();
}

/** Splits a row at its bars, but not at escaped ones, nor inside code. */
function cellsOf(row: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let isCode = false;
  const inner = row.replace(/^\|/, '').replace(/(?<!\\)\|$/, '');
  for (let at = 0; at < inner.length; at++) {
    const char = inner.charAt(at);
    if (char === '\\' && inner[at + 1] === '|') cell += inner.charAt(++at);
    else if (char === '|' && !isCode) {
      cells.push(cell.trim());
      cell = '';
    } else {
      // A backtick without its partner is no code.
      if (char === '`') isCode = !isCode && inner.includes('`', at + 1);
      cell += char;
    }
  }
  return [...cells, cell.trim()];
}
