import { RE2JS } from 're2js';
import { type Reason, reason } from '../reasons/reason.ts';

const maxPatternLength = 1_024;
// Matching takes time in proportion to the compiled program, and all bots share that time. A
// pattern of maximum length fits; only counted repetitions make a program larger than that.
const largestProgram = 1_500;
const largestGuess = 20_000;

const maxWeights = 10_000;
const patternWeights = new Map<string, number>();

/** A counted repetition such as {3}, {3,} or {3,5}, right where it is looked for. */
const counted = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y;

/**
 * Estimates the number of steps of a pattern's program from its text alone. Counted repetitions are
 * expanded, and a short text can ask for so many that compiling it takes seconds.
 */
export function roughPatternSize(pattern: string): number {
  /** The size of each open group so far. */
  const open = [0];
  let last = 0;
  const add = (size: number) => {
    last = size;
    open.push((open.pop() ?? 0) + size);
  };
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern[at];
    counted.lastIndex = at;
    const repeated = sign === '{' ? counted.exec(pattern) : null;
    if (repeated) {
      const times = Math.max(Number(repeated[1]), Number(repeated[2] ?? 0), 1);
      const size = last * times;
      add(size - last);
      last = size;
      at += repeated[0].length - 1;
    } else if (sign === '(') open.push(0);
    else if (sign === ')') add(open.length > 1 ? (open.pop() as number) : 1);
    else if (sign === '[') {
      at = endOfClass(pattern, at);
      add(1);
    } else if (sign === '\\') {
      at++;
      add(1);
    } else if (sign === '*' || sign === '+' || sign === '?' || sign === '|')
      open.push((open.pop() ?? 0) + 1);
    else add(1);
  }
  return open.reduce((sum, size) => sum + size, 0);
}

/** Finds the end of the class that begins here; a bracket right at its beginning is part of it. */
function endOfClass(pattern: string, from: number): number {
  let at = from + 1;
  if (pattern[at] === '^') at++;
  if (pattern[at] === ']') at++;
  for (; at < pattern.length && pattern[at] !== ']'; at++) if (pattern[at] === '\\') at++;
  return at;
}

/** Returns the problem of a pattern; undefined if there is none. */
export function patternProblem(value: string): Reason | undefined {
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

/** The number of steps of its program. */
export function patternWeight(value: string): number {
  let weight = patternWeights.get(value);
  if (weight === undefined) {
    weight = programSize(value);
    if (patternWeights.size >= maxWeights) patternWeights.clear();
    patternWeights.set(value, weight);
  }
  return weight;
}

function programSize(value: string): number {
  try {
    return RE2JS.compile(value).programSize();
  } catch {
    // An invalid pattern is skipped when messages are matched.
    return 1;
  }
}
