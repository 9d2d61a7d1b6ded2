/*
 * Finds texts by grams: short pieces of their folded words, each as a number.
 *
 * A word gives its runs of three letters and its first two letters (the word itself if it has only
 * one); scripts without spaces give single characters and pairs. A text that holds all grams of a
 * query is a candidate and is then read: numbers may collide, and grams may be apart. So parts of
 * words are found from three letters on, beginnings from two, Chinese from one on.
 */
import { fold, spaceless } from './words.ts';

const piecePattern = new RegExp(
  `(?<run>[${spaceless}][${spaceless}\\p{M}]*)|(?:(?![${spaceless}])[\\p{L}\\p{N}\\p{M}_])+`,
  'gu',
);

interface Piece {
  text: string;
  /** True for scripts without spaces between words. */
  isRun: boolean;
}

function piecesOf(folded: string): Piece[] {
  return [...folded.matchAll(piecePattern)].map((match) => ({
    text: match[0],
    isRun: match.groups?.['run'] !== undefined,
  }));
}

/** Facts that can be searched for in addition to words. */
export interface GramFacts {
  chatId: number;
  userId: number;
  mediaType: string | null;
}

/** Returns the grams of a stored message. */
export function gramsOfMessage(text: string, facts: GramFacts & { botId: number }): number[] {
  const grams = new Set<number>([botGram(facts.botId), ...filterGrams(facts)]);
  for (const piece of piecesOf(fold(text))) {
    if (piece.isRun) addRun(grams, piece.text, [1, 2]);
    else addWord(grams, piece.text);
  }
  return [...grams];
}

/** Splits by code points: grams need no more, as texts and queries are split alike. */
const lettersOf = (text: string): string[] => Array.from(text);

function addRun(grams: Set<number>, text: string, sizes: readonly number[]): void {
  const letters = lettersOf(text);
  for (const size of sizes) {
    for (let at = 0; at + size <= letters.length; at++) {
      grams.add(numberOf(`=${letters.slice(at, at + size).join('')}`));
    }
  }
}

function addWord(grams: Set<number>, word: string): void {
  const isPlain = word.length < 3 || !/[\ud800-\udfff]/.test(word);
  const letters = isPlain ? word : lettersOf(word);
  const slice = (from: number, to: number) =>
    typeof letters === 'string' ? letters.slice(from, to) : letters.slice(from, to).join('');
  grams.add(numberOf(`^${slice(0, 2)}`));
  for (let at = 0; at + 3 <= letters.length; at++) grams.add(numberOf(slice(at, at + 3)));
}

export const botGram = (botId: number): number => numberOf(`bot ${botId}`);
export const chatGram = (chatId: number): number => numberOf(`chat ${chatId}`);

function filterGrams({ chatId, userId, mediaType }: GramFacts): number[] {
  return [chatGram(chatId), userGram(userId), mediaGram(mediaType ?? 'text')];
}

export const userGram = (userId: number): number => numberOf(`user ${userId}`);
/** 'text' stands for messages without media. */
export const mediaGram = (mediaType: string): number => numberOf(`media ${mediaType}`);

export interface WordQuery {
  /** The grams that every matching text has. Probably rare ones come first: both engines begin there. */
  grams: number[];
  /** Says whether a text matches. */
  fits(text: string): boolean;
  /** The matching parts in UTF-16 units, in order and without overlaps. */
  highlights(text: string): { offset: number; length: number }[];
}

/** Undefined if the text contains no word. */
export function readWordQuery(text: string): WordQuery | undefined {
  const pieces = piecesOf(fold(text));
  if (pieces.length === 0) return undefined;
  const grams = new Set<number>();
  for (const piece of pieces.toSorted((a, b) => b.text.length - a.text.length)) {
    const { length } = lettersOf(piece.text);
    if (piece.isRun) addRun(grams, piece.text, [Math.min(2, length)]);
    else if (length < 3) grams.add(numberOf(`^${piece.text}`));
    else addMiddle(grams, piece.text);
  }
  const patterns = pieces.map(patternOf);
  return {
    grams: [...grams],
    fits(stored) {
      const folded = fold(stored);
      return patterns.every((pattern) => folded.search(pattern) !== -1);
    },
    highlights: (stored) => highlightsOf(stored, patterns),
  };
}

/** Starts at the end: words differ more there than at their beginning. */
function addMiddle(grams: Set<number>, word: string): void {
  const letters = lettersOf(word);
  for (let at = letters.length - 3; at >= 0; at--) {
    grams.add(numberOf(letters.slice(at, at + 3).join('')));
  }
}

/** Short words match only at the beginning of words. */
function patternOf({ text, isRun }: Piece): RegExp {
  // The text has only letters, digits and marks, so nothing in it is special in a pattern.
  const { length } = lettersOf(text);
  if (isRun || length > 2) return new RegExp(text, 'gu');
  const wordPart = `(?![${spaceless}])[\\p{L}\\p{N}\\p{M}_]`;
  const wordEnd = length === 1 ? `(?!${wordPart})` : '';
  return new RegExp(`(?<!${wordPart})${text}${wordEnd}`, 'gu');
}

/** Folding may change lengths, so it is done letter by letter to keep the origin of each. */
function highlightsOf(stored: string, patterns: readonly RegExp[]) {
  const origins: number[] = [];
  let folded = '';
  for (const { 0: letter, index } of stored.matchAll(/\P{M}\p{M}*|\p{M}+/gu)) {
    const part = fold(letter);
    for (let unit = 0; unit < part.length; unit++) origins.push(index);
    folded += part;
  }
  origins.push(stored.length);
  const spans = patterns.flatMap((pattern) =>
    [...folded.matchAll(pattern)].map(({ 0: match, index }) => {
      const offset = origins[index] ?? 0;
      let end = index + match.length;
      // Includes the rest of a letter that became several.
      while (end < folded.length && origins[end] === origins[end - 1]) end++;
      return { offset, length: (origins[end] ?? stored.length) - offset };
    }),
  );
  return merged(spans);
}

function merged(spans: { offset: number; length: number }[]): { offset: number; length: number }[] {
  const apart: { offset: number; length: number }[] = [];
  for (const span of spans.sort((a, b) => a.offset - b.offset)) {
    const last = apart.at(-1);
    const end = last ? last.offset + last.length : -1;
    if (last && span.offset <= end) {
      last.length = Math.max(end, span.offset + span.length) - last.offset;
    } else apart.push({ ...span });
  }
  return apart;
}

/** FNV-1a over UTF-16 units, as a signed 32-bit number. */
function numberOf(gram: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < gram.length; at++) {
    hash = Math.imul(hash ^ gram.charCodeAt(at), 0x01000193);
  }
  // The last letters hardly affect FNV's high bits, so similar grams would collide without this.
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
