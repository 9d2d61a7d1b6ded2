import { RE2JS } from 're2js';
import { maxId } from '../limits.ts';
import { roughPatternSize } from './pattern-size.ts';
import { keywordsOf } from '../search/words.ts';

export const conditionTypes = [
  'chat_id',
  'user_id',
  'keyword',
  'all',
  'regex',
  'command',
  'media',
  'llm',
] as const;
export type ConditionType = (typeof conditionTypes)[number];

export const routeActions = ['forward', 'copy', 'drop'] as const;
export type RouteAction = (typeof routeActions)[number];

/** How a reply to a carried message finds its way back. */
export const returnModes = ['off', 'reply', 'latest'] as const;
export type ReturnMode = (typeof returnModes)[number];

export const routableMedia = [
  'photo',
  'video',
  'animation',
  'sticker',
  'voice',
  'audio',
  'document',
  'video_note',
] as const;

const longestPattern = 1_024;
// Matching takes time in proportion to the program, and all bots share it. A pattern of the longest
// text fits in; only counted repetitions make more of it.
const largestProgram = 1_500;
const largestGuess = 20_000;
const commandShape = /^\/?[A-Za-z0-9_]{1,32}$/;

/** What is wrong with the value of a condition; undefined when nothing is. */
export function conditionProblem(type: ConditionType, value: string): string | undefined {
  switch (type) {
    case 'chat_id':
    case 'user_id':
      return idProblem(type, value);
    case 'keyword':
      return keywordsOf(value).length === 0 ? 'must name the word to look for' : undefined;
    case 'regex':
      return patternProblem(value);
    case 'command':
      return commandShape.test(value)
        ? undefined
        : 'must be a command, such as /start: letters, digits and underscores, at most 32';
    case 'media':
      return mediaProblem(value);
    default:
      return undefined;
  }
}

/**
 * About how much a condition costs: a pattern for every message of its bot, in proportion to its
 * program; keywords whenever the routes are compiled. The rest is looked up.
 */
export function conditionWeight(type: string, value: string): number {
  if (type === 'keyword') return 1 + value.length / 32;
  if (type !== 'regex') return 1;
  let weight = patternWeights.get(value);
  if (weight === undefined) {
    weight = patternWeight(value);
    if (patternWeights.size >= mostWeights) patternWeights.clear();
    patternWeights.set(value, weight);
  }
  return weight;
}

/** What all conditions of one bot may weigh: a thousand usual patterns fit in. */
export const largestWeight = 16_000;

const mostWeights = 10_000;
const patternWeights = new Map<string, number>();

function patternWeight(value: string): number {
  try {
    return RE2JS.compile(value).programSize();
  } catch {
    // Passed over when messages are matched.
    return 1;
  }
}

function idProblem(type: 'chat_id' | 'user_id', value: string): string | undefined {
  const id = /^-?\d{1,16}$/.test(value) ? Number(value) : 0;
  const fits = id !== 0 && Math.abs(id) <= maxId && (type === 'chat_id' || id > 0);
  return fits ? undefined : `must be a ${type === 'chat_id' ? 'chat' : 'user'} ID in digits`;
}

function patternProblem(value: string): string | undefined {
  if (value === '') return 'must be a regular expression';
  if (value.length > longestPattern) return `must have at most ${longestPattern} characters`;
  const tooMuch = 'repeats too much: use smaller numbers in {…}, or + and *';
  if (roughPatternSize(value) > largestGuess) return tooMuch;
  try {
    return RE2JS.compile(value).programSize() > largestProgram ? tooMuch : undefined;
  } catch {
    return 'must be a regular expression in RE2 syntax (no look-around, no back-references)';
  }
}

/** Empty means any media. */
export function mediaOf(value: string): string[] {
  return value
    .split(',')
    .map((kind) => kind.trim())
    .filter((kind) => kind !== '');
}

function mediaProblem(value: string): string | undefined {
  const known: readonly string[] = routableMedia;
  return mediaOf(value).every((kind) => known.includes(kind))
    ? undefined
    : `must be empty for any media, or some of: ${routableMedia.join(', ')}`;
}
