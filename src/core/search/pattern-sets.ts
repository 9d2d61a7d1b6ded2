/* Patterns of users as the regular expression engine takes them: compiled at their first match, in sets, and cached. */
import { RE2Set } from 're2js';
import { roughPatternSize } from '../routing/pattern-size.ts';

/** Counts the steps that a match takes, and may end it by an exception. */
interface StepCounter {
  step(weight: number): void;
}

/** A text that the regular expression engine reads as if it were a string. */
export class CountedText {
  readonly text: string;
  readonly length: number;
  /** Steps that the engine takes for each character. */
  weight = 1;
  readonly #counter: StepCounter;

  constructor(text: string, counter: StepCounter) {
    this.text = text;
    this.length = text.length;
    this.#counter = counter;
  }

  get [Symbol.toStringTag](): string {
    return 'String';
  }

  charCodeAt(index: number): number {
    this.#counter.step(this.weight);
    return this.text.charCodeAt(index);
  }
}

const memoryOfOne = 128 * 1024;
const memoryOfMany = 1024 * 1024;

/** Patterns that are matched together; they are compiled at their first match. */
export class PatternSet {
  readonly weight: number;
  readonly #patterns: readonly string[];
  #compiled: { machine: RE2Set; indexes: number[] } | undefined;

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns;
    this.weight = patterns.reduce((sum, pattern) => sum + roughPatternSize(pattern), 0);
  }

  get isCompiled(): boolean {
    return this.#compiled !== undefined;
  }

  compile(): void {
    const machine = new RE2Set(
      RE2Set.UNANCHORED,
      0,
      this.#patterns.length === 1 ? memoryOfOne : memoryOfMany,
    );
    const indexes: number[] = [];
    for (const [index, pattern] of this.#patterns.entries()) {
      try {
        indexes[machine.add(pattern)] = index;
      } catch {
        // Patterns are checked when they are saved; an invalid one that slipped through must not
        // stop the others.
      }
    }
    machine.compile();
    this.#compiled = { machine, indexes };
  }

  match(text: CountedText): number[] {
    const { machine, indexes } = this.#compiled as { machine: RE2Set; indexes: number[] };
    if (indexes.length === 0) return [];
    return machine.match(text as unknown as string).map((index) => indexes[index] as number);
  }
}

/** About how much memory all compiled patterns may use together. */
const mostCachedBytes = 256 * 1024 * 1024;

/** About how much memory a compiled pattern uses once its tables are full. */
const bytesOf = ({ weight }: PatternSet): number => 8_192 + Math.min(memoryOfOne, weight * 1_024);

/**
 * Caches compiled patterns of filters for claims and readers. The map keeps the last used pattern
 * at the end.
 */
export class PatternCache {
  readonly #mostBytes: number;
  readonly #sets = new Map<string, PatternSet>();
  #bytes = 0;

  constructor(mostBytes = mostCachedBytes) {
    this.#mostBytes = mostBytes;
  }

  get size(): number {
    return this.#sets.size;
  }

  get(pattern: string): PatternSet {
    const known = this.#sets.get(pattern);
    const set = known ?? new PatternSet([pattern]);
    if (known) this.#sets.delete(pattern);
    else this.#bytes += bytesOf(set);
    this.#sets.set(pattern, set);
    for (const [oldest, one] of this.#sets) {
      if (this.#bytes <= this.#mostBytes) break;
      this.#sets.delete(oldest);
      this.#bytes -= bytesOf(one);
    }
    return set;
  }
}

/** The heaviest allowed pattern gets a set to itself. */
const weightOfSet = 1_500;

/** Light patterns share sets and come first; a heavy one is matched alone, at the end. */
export function groupPatterns(patterns: readonly string[]): {
  set: PatternSet;
  /** The indexes of its patterns in the list. */
  indexes: readonly number[];
}[] {
  const weighed = patterns
    .map((pattern, index) => ({ pattern, index, weight: roughPatternSize(pattern) }))
    .sort((left, right) => left.weight - right.weight);
  const groups: (typeof weighed)[] = [];
  let room = 0;
  for (const one of weighed) {
    if (one.weight > room) {
      groups.push([]);
      room = weightOfSet;
    }
    room -= one.weight;
    groups.at(-1)?.push(one);
  }
  return groups.map((group) => ({
    set: new PatternSet(group.map(({ pattern }) => pattern)),
    indexes: group.map(({ index }) => index),
  }));
}
