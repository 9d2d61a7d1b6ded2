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
  const folded = fold(text);
  if (!addSimpleWords(grams, folded)) {
    for (const piece of piecesOf(folded)) {
      if (piece.isRun) addRun(grams, piece.text, [1, 2]);
      else addWord(grams, piece.text);
    }
  }
  return [...grams];
}

const letter = 1;
const separator = 2;
const other = 3;
/** The kind of each character below this, as far as it is known; these are one unit each. */
const kinds = new Uint8Array(0x3000);
const simpleLetter = new RegExp(`^(?![${spaceless}])[\\p{L}\\p{N}\\p{M}_]$`, 'u');
const anyLetter = /^[\p{L}\p{N}\p{M}_]$/u;

function kindOf(code: number): number {
  const character = String.fromCodePoint(code);
  if (code < kinds.length && simpleLetter.test(character)) return letter;
  return anyLetter.test(character) ? other : separator;
}

/**
 * Adds the grams of a text whose letters are all of scripts with spaces and of one unit each, as most
 * are, without cutting it into pieces. Returns false for other texts, of which it may have added some.
 */
function addSimpleWords(grams: Set<number>, folded: string): boolean {
  const { length } = folded;
  let from = -1;
  for (let at = 0; at < length; at++) {
    const code = folded.codePointAt(at) as number;
    const kind = code < kinds.length ? (kinds[code] ||= kindOf(code)) : kindOf(code);
    if (kind === other) return false;
    if (kind === letter) {
      if (from < 0) from = at;
      continue;
    }
    if (from >= 0) addSimpleWord(grams, folded, from, at);
    from = -1;
    if (code > 0xffff) at++;
  }
  if (from >= 0) addSimpleWord(grams, folded, from, length);
  return true;
}

/** Adds the same as `addWord`. */
function addSimpleWord(grams: Set<number>, text: string, from: number, to: number): void {
  let begin = withUnit(withUnit(hashBegin, beginUnit), text.charCodeAt(from));
  if (from + 1 < to) begin = withUnit(begin, text.charCodeAt(from + 1));
  grams.add(mixed(begin));
  for (let at = from; at + 3 <= to; at++) {
    const two = withUnit(withUnit(hashBegin, text.charCodeAt(at)), text.charCodeAt(at + 1));
    grams.add(mixed(withUnit(two, text.charCodeAt(at + 2))));
  }
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

const hashBegin = 0x811c9dc5;
/** Begins the grams of beginnings. */
const beginUnit = '^'.charCodeAt(0);

/** FNV-1a over UTF-16 units, as a signed 32-bit number. */
function numberOf(gram: string): number {
  let hash = hashBegin;
  for (let at = 0; at < gram.length; at++) hash = withUnit(hash, gram.charCodeAt(at));
  return mixed(hash);
}

function withUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

/**
 * The last letters hardly affect FNV's high bits, so similar grams would collide without this.
 */
function mixed(hash: number): number {
  const folded = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return folded ^ (folded >>> 13);
}
