import { RE2JS } from 're2js';
import { type Reason, reason } from '../reasons/reason.ts';

const maxPatternLength = 1_024;
// Matching takes time in proportion to the program, and all bots share it. A pattern of the longest
// text fits in; only counted repetitions make more of it.
const largestProgram = 1_500;
const largestGuess = 20_000;

const maxWeights = 10_000;
const patternWeights = new Map<string, number>();

/** A counted repetition such as {3}, {3,} or {3,5}, right where it is looked for. */
const counted = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y;

/**
 * About how many steps the program of a pattern has, told from its text alone: counted repetitions
 * are written out, and a short text can ask for so many that making the program takes seconds.
 */
export function roughPatternSize(pattern: string): number {
  /** What was read of each group that is open. */
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

/** Where the class that begins here ends; a bracket right at its beginning belongs to it. */
function endOfClass(pattern: string, from: number): number {
  let at = from + 1;
  if (pattern[at] === '^') at++;
  if (pattern[at] === ']') at++;
  for (; at < pattern.length && pattern[at] !== ']'; at++) if (pattern[at] === '\\') at++;
  return at;
}

/** What is wrong with a pattern; undefined when nothing is. */
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

/** The steps of its program. */
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
    // Passed over when messages are matched.
    return 1;
  }
}
