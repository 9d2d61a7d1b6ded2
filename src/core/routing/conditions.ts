import { type Reason, reason } from '../reasons/reason.ts';
import { RE2JS } from 're2js';
import { maxId } from '../limits.ts';
import { roughPatternSize } from './pattern-size.ts';
import { keywordsOf } from '../search/words.ts';
import { type ConditionType, isConditionType } from './condition-types.ts';

export const routeActions = ['forward', 'copy', 'drop'] as const;
export type RouteAction = (typeof routeActions)[number];

/** The return path of a reply to a routed message. */
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
const mediaKind = `(${routableMedia.join('|')})`;
const commandShape = /^\/?[A-Za-z0-9_]{1,32}$/;

interface ConditionRule {
  /** What the value is, for the reference of the API; '' where there is none. */
  value: string;
  /** What to know besides, in brackets. */
  note?: string;
  /** What the value looks like, as far as a schema can say it. */
  pattern?: string;
  isOptional?: true;
  problem?(value: string): Reason | undefined;
  /** Above 1 where it costs more than a look-up. */
  weight?(value: string): number;
}

const anyText = '[\\s\\S]';

export const conditionRules: Record<ConditionType, ConditionRule> = {
  chat_id: {
    value: 'an ID in digits',
    pattern: '^-?[0-9]{1,16}$',
    problem: (value) => (isId(value) ? undefined : reason('not_an_id', { of: 'chat' })),
  },
  user_id: {
    value: 'an ID in digits',
    pattern: '^[0-9]{1,16}$',
    problem: (value) =>
      isId(value) && Number(value) > 0 ? undefined : reason('not_an_id', { of: 'user' }),
  },
  keyword: {
    value: 'a word',
    pattern: anyText,
    problem: (value) => (keywordsOf(value).length === 0 ? reason('keyword_needed') : undefined),
    // Whenever the routes are compiled.
    weight: (value) => 1 + value.length / 32,
  },
  all: { value: '' },
  regex: {
    value: 'RE2 syntax',
    pattern: anyText,
    problem: patternProblem,
    // For every message of its bot, in proportion to its program.
    weight: knownPatternWeight,
  },
  command: {
    value: 'a command',
    pattern: '^/?[A-Za-z0-9_]{1,32}$',
    problem: (value) => (commandShape.test(value) ? undefined : reason('not_a_command')),
  },
  media: {
    value: 'kinds separated by commas',
    note: 'empty: any',
    pattern: `^[\\s,]*(${mediaKind}(\\s*,[\\s,]*${mediaKind})*[\\s,]*)?$`,
    isOptional: true,
    problem: mediaProblem,
  },
  llm: { value: 'examples', note: 'a line each, none needed' },
};

/** What is wrong with the value of a condition; undefined when nothing is. */
export function conditionProblem(type: ConditionType, value: string): Reason | undefined {
  return conditionRules[type].problem?.(value);
}

/** About how much a condition costs; 1 for a type that this version does not know. */
export function conditionWeight(type: string, value: string): number {
  return (isConditionType(type) ? conditionRules[type].weight?.(value) : undefined) ?? 1;
}

function knownPatternWeight(value: string): number {
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

function isId(value: string): boolean {
  const id = /^-?\d{1,16}$/.test(value) ? Number(value) : 0;
  return id !== 0 && Math.abs(id) <= maxId;
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
