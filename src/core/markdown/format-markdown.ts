/*
 * Turns Markdown, as people and models write it, into messages that Telegram accepts: text with
 * entities, never markup, so that nothing is left to parse.
 *
 * Invariant: no character of the words is lost. What cannot be shown as meant is shown as written.
 */
import type MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';
import { limits } from '../limits.ts';
import { deepest, loadParser, type TableMeta } from './parser.ts';
import { type ParsedSection, Renderer } from './render.ts';
import { sectionsOf } from './sections.ts';
import { split } from './split.ts';
import type { FormattedText, Run } from './styled-text.ts';

export interface FormattedMarkdown {
  /** The messages; empty if the text is blank. */
  parts: FormattedText[];
  /** True if these are not all: the text should rather be sent as a file. */
  isCut: boolean;
}

/** Parsing pauses after this many characters. */
const atOnce = 2_048;
const mostEntities = 100;

export async function formatMarkdown(
  source: string,
  { mostParts, length = limits.messageLength }: { mostParts: number; length?: number },
): Promise<FormattedMarkdown> {
  const clean = source.toWellFormed();
  const room = { length, entities: mostEntities };
  const formatted = partsOf(await rendered(clean), room, mostParts);
  // Marks without words, such as a lone *, mean themselves.
  return formatted.parts.some(({ text }) => /[^\s•]/.test(text))
    ? formatted
    : partsOf([{ text: clean, marks: [] }], room, mostParts);
}

function partsOf(
  runs: readonly Run[],
  room: Parameters<typeof split>[1],
  mostParts: number,
): FormattedMarkdown {
  const parts: FormattedText[] = [];
  for (const part of split(runs, room)) {
    if (parts.length === mostParts) return { parts, isCut: true };
    parts.push(part);
  }
  return { parts, isCut: false };
}

async function rendered(source: string): Promise<Run[]> {
  const markdown = await loadParser();
  const renderer = new Renderer();
  for (const section of sectionsOf(source)) {
    const tokens = await parse(markdown, section.text);
    if (tokens.some(({ level }) => level >= deepest - 1)) return [{ text: source, marks: [] }];
    renderer.render({ ...section, tokens } satisfies ParsedSection);
    if (section.text !== source) await new Promise(setImmediate);
  }
  return renderer.writer.runs;
}

async function parse(markdown: MarkdownIt, text: string): Promise<Token[]> {
  const tokens: Token[] = [];
  markdown.block.parse(text, markdown, {}, tokens);
  let parsed = text.length;
  const words = async (source: string): Promise<Token[]> => {
    const children: Token[] = [];
    for (const piece of piecesOf(source)) {
      parsed += piece.length;
      if (parsed > atOnce) {
        await new Promise(setImmediate);
        parsed = 0;
      }
      markdown.inline.parse(piece, markdown, {}, children);
    }
    return children;
  };
  for (const token of tokens) {
    if (token.type === 'inline') token.children = await words(token.content);
    if (token.type !== 'table') continue;
    const { rows, cells } = token.meta as TableMeta;
    for (const row of rows) {
      const parsedRow: Token[][] = [];
      for (const cell of row) parsedRow.push(await words(cell));
      cells.push(parsedRow);
    }
  }
  return tokens;
}

/** Long paragraphs are parsed in pieces, cut at a line or a word where they have one. */
function* piecesOf(source: string): Generator<string> {
  for (let start = 0; start < source.length; ) {
    const limit = start + atOnce;
    const space = Math.max(source.lastIndexOf('\n', limit), source.lastIndexOf(' ', limit));
    const end = limit >= source.length ? source.length : space > start ? space : limit;
    yield source.slice(start, end);
    start = end;
  }
}
