/*
 * Ranks bots for a message without a model: BM25 over names, descriptions and examples. Words are
 * folded and also cut short, so that "refunds" meets "refunded" and "возврат" meets "возврата";
 * scripts without spaces are compared by pairs of characters.
 */
import { createRequire } from 'node:module';
import type MiniSearchClass from 'minisearch';
import { fold, spaceless, splitWords } from '../search/words.ts';

export interface RankedCandidate {
  botId: number;
  name: string;
  description: string;
  /** Example messages for the bot. */
  examples?: readonly string[];
}

export interface OfflineChoice {
  /** null if no bot fits well enough. */
  botId: number | null;
  /** From 0 to 1: how far the best bot is ahead of the next. */
  confidence: number;
  /** The words of the message that decided, shown to people. */
  because: string[];
}

const stemLength = 5;
// The beginning of a text shows its topic, and time grows with the square of the length of a
// message.
const maxTerms = { message: 500, candidate: 1_000 };
const isSpaceless = new RegExp(`[${spaceless}]`, 'u');

// Common words carry no topic, but a short description would make them look rare.
const emptyWords = new Set(
  `the and for are was were has have had with that this what when where how who will would can could
  you your our not from there they their them about into please does
  der die das den dem des ein eine einen einem und ist sind war mit von für nicht ich sie wir ihr
  mein meine bitte kann wie wann wer auf bei noch
  los las una uno unos unas que para por con del sus mis como cual quien este esta hay mas pero
  как что это все мне меня мой моя вас вам нас они оно для или где когда кто уже есть был была пожалуйста
  les des une est pour dans avec sur qui que vous nous pas`
    .split(/\s+/)
    .map(fold),
);

export const defaultThreshold = 0.12;

export function rankOffline(
  candidates: readonly RankedCandidate[],
  message: string,
  threshold = defaultThreshold,
): OfflineChoice {
  // Terms are numbered, because the index is a tree by letters, which is slow if thousands of terms
  // begin with different ones.
  const numbers = new Map<string, number>();
  const numberOf = (term: string) => {
    const number = numbers.get(term) ?? numbers.size;
    numbers.set(term, number);
    return number.toString(36);
  };
  // Loaded on first need, as most services have no route by description.
  const MiniSearch: typeof MiniSearchClass = createRequire(import.meta.url)('minisearch');
  const index = new MiniSearch({
    fields: ['name', 'description', 'examples'],
    tokenize: (text) => termsOf(text).slice(0, maxTerms.candidate),
    processTerm: numberOf,
    searchOptions: {
      boost: { name: 2 },
      combineWith: 'OR',
      tokenize: (text) => termsOf(text).slice(0, maxTerms.message),
    },
  });
  index.addAll(
    candidates.map(({ botId, name, description, examples = [] }) => ({
      id: botId,
      name,
      description,
      examples: examples.join('\n'),
    })),
  );
  const [best, next] = index.search(message);
  if (!best) return { botId: null, confidence: 0, because: [] };
  const confidence = next ? (best.score - next.score) / best.score : 1;
  const terms = [...numbers.keys()];
  const because = best.queryTerms
    .slice(0, 8)
    .map((number) => terms[Number.parseInt(number, 36)] ?? '');
  return confidence >= threshold
    ? { botId: best.id as number, confidence, because }
    : { botId: null, confidence, because };
}

function termsOf(text: string): string[] {
  const terms: string[] = [];
  const words = splitWords(text);
  words.forEach((word, at) => {
    if (isSpaceless.test(word)) {
      const next = words[at + 1];
      if (next !== undefined && isSpaceless.test(next)) terms.push(word + next);
      return;
    }
    if (word.length < 2 || emptyWords.has(word)) return;
    terms.push(word);
    if (word.length > stemLength) terms.push(`${word.slice(0, stemLength)}*`);
  });
  return terms;
}
