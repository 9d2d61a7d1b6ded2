import { type Reason, reason } from '../reasons/reason.ts';
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

/** How a reply to a routed message finds its way back. */
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

const maxPatternLength = 1_024;
// Matching takes time in proportion to the program, and all bots share it. A pattern of the longest
// text fits in; only counted repetitions make more of it.
const largestProgram = 1_500;
const largestGuess = 20_000;
const commandShape = /^\/?[A-Za-z0-9_]{1,32}$/;

/** What is wrong with the value of a condition; undefined when nothing is. */
export function conditionProblem(type: ConditionType, value: string): Reason | undefined {
  switch (type) {
    case 'chat_id':
    case 'user_id':
      return idProblem(type, value);
    case 'keyword':
      return keywordsOf(value).length === 0 ? reason('keyword_needed') : undefined;
    case 'regex':
      return patternProblem(value);
    case 'command':
      return commandShape.test(value) ? undefined : reason('not_a_command');
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
    if (patternWeights.size >= maxWeights) patternWeights.clear();
    patternWeights.set(value, weight);
  }
  return weight;
}

/** What all conditions of one bot may weigh: a thousand usual patterns fit in. */
export const largestWeight = 16_000;

const maxWeights = 10_000;
const patternWeights = new Map<string, number>();

function patternWeight(value: string): number {
  try {
    return RE2JS.compile(value).programSize();
  } catch {
    // Passed over when messages are matched.
    return 1;
  }
}

function idProblem(type: 'chat_id' | 'user_id', value: string): Reason | undefined {
  const id = /^-?\d{1,16}$/.test(value) ? Number(value) : 0;
  const fits = id !== 0 && Math.abs(id) <= maxId && (type === 'chat_id' || id > 0);
  return fits ? undefined : reason('not_an_id', { of: type === 'chat_id' ? 'chat' : 'user' });
}

function patternProblem(value: string): Reason | undefined {
  if (value === '') return reason('pattern_needed');
  if (value.length > maxPatternLength) return reason('too_long', { most: maxPatternLength });
  const tooMuch = reason('pattern_too_much');
  if (roughPatternSize(value) > largestGuess) return tooMuch;
  try {
    return RE2JS.compile(value).programSize() > largestProgram ? tooMuch : undefined;
  } catch {
    return reason('pattern_not_re2');
  }
}

/** Empty means any media. */
export function mediaOf(value: string): string[] {
  return value
    .split(',')
    .map((kind) => kind.trim())
    .filter((kind) => kind !== '');
}

function mediaProblem(value: string): Reason | undefined {
  const known: readonly string[] = routableMedia;
  return mediaOf(value).every((kind) => known.includes(kind))
    ? undefined
    : reason('not_media', { kinds: routableMedia });
}
