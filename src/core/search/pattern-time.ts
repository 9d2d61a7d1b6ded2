/*
 * Patterns of users within bounds. Matching takes time in proportion to a pattern and a text, on the
 * thread and within the transactions that all bots share, and some patterns take a hundred
 * milliseconds for one message. So the text that a pattern reads counts what is read of it, looks at
 * the clock now and then, and ends the match when its time is over: the pattern is undecided.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RE2Set } from 're2js';
import { roughPatternSize } from '../routing/pattern-size.ts';

/** Time is handed in, so that tests move it. */
export interface PatternClock {
  /** Milliseconds since some moment. */
  monotonic(): number;
  /** Milliseconds that this thread computed: nothing is taken from a bot while others compute. */
  computed(): number;
}

export const systemPatternClock: PatternClock = {
  monotonic: () => performance.now(),
  computed() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
};

export interface PatternLimits {
  /** For all patterns of a bot on one message. */
  messageMs: number;
  /** For all messages of a bot; what it does not use is kept up to `mostMs`. */
  perSecondMs: number;
  mostMs: number;
  /** A message that takes less counts for nothing. */
  freeMs: number;
}

const liveLimits: PatternLimits = { messageMs: 20, perSecondMs: 25, mostMs: 25, freeMs: 1 };
/** Of requests, so that they take nothing from what arrives. */
const askedLimits: PatternLimits = { messageMs: 20, perSecondMs: 50, mostMs: 200, freeMs: 0 };

/** The app or the route whose pattern was left undecided. */
export type PatternOwner = { appId: number } | { routeId: number };
type Told = (botId: number, owner: PatternOwner) => void;

/** About the steps that a machine takes in 0.2 milliseconds. */
const stepsPerLook = 16_384;
/** Short texts are matched also when the time is over. */
const stepsAfterwards = 2_048;

/** How long the patterns of each bot may take. */
export class PatternTime {
  readonly clock: PatternClock;
  readonly limits: PatternLimits;
  readonly patterns: PatternCache;
  readonly #left = new Map<number, { ms: number; at: number }>();
  readonly #told: Told[] = [];

  constructor(clock: PatternClock, limits: PatternLimits, patterns: PatternCache) {
    this.clock = clock;
    this.limits = limits;
    this.patterns = patterns;
  }

  /** For one message. */
  matching(botId: number): Matching {
    return new Matching(this, botId);
  }

  leftMs(botId: number): number {
    const { mostMs, perSecondMs } = this.limits;
    const left = this.#left.get(botId);
    if (!left) return mostMs;
    const ms = left.ms + ((this.clock.monotonic() - left.at) * perSecondMs) / 1_000;
    if (ms < mostMs) return ms;
    this.#left.delete(botId);
    return mostMs;
  }

  take(botId: number, ms: number): void {
    this.#left.set(botId, { ms: this.leftMs(botId) - ms, at: this.clock.monotonic() });
  }

  undecided(botId: number, owner: PatternOwner): void {
    for (const told of this.#told) told(botId, owner);
  }

  onUndecided(told: Told): void {
    this.#told.push(told);
  }
}

/** One look at stored updates after the other, so that others have their turn in between. */
export class TimeSlices {
  readonly #clock: PatternClock;
  #last: Promise<void> = Promise.resolve();

  constructor(clock: PatternClock) {
    this.#clock = clock;
  }

  /** Of all that wait here, one goes on in each turn of the event loop. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => nextTurn());
    return this.#last;
  }

  async compile(sets: readonly PatternSet[]): Promise<void> {
    for (const set of sets) {
      if (set.isCompiled) continue;
      await this.next();
      const isOver = this.begin();
      for (const one of sets) {
        if (!one.isCompiled) one.compile();
        if (isOver()) break;
      }
    }
  }

  /** Tells whether a slice that begins here is over. */
  begin(): () => boolean {
    const began = this.#clock.monotonic();
    return () => this.#clock.monotonic() - began > sliceMs;
  }
}

const sliceMs = 10;

export interface PatternTimes {
  /** For what arrives and for those who read it. */
  live: PatternTime;
  /** For what people ask: previews, counts, simulations. */
  asked: PatternTime;
  slices: TimeSlices;
  /** Compiles the patterns of filters before they are needed, with turns for others in between. */
  prepare(patterns: readonly string[]): Promise<void>;
}

export function createPatternTimes(clock: PatternClock = systemPatternClock): PatternTimes {
  const patterns = new PatternCache();
  const slices = new TimeSlices(clock);
  return {
    live: new PatternTime(clock, liveLimits, patterns),
    asked: new PatternTime(clock, askedLimits, patterns),
    slices,
    prepare: (wanted) => slices.compile(wanted.map((pattern) => patterns.get(pattern))),
  };
}

class TimeIsOver extends Error {}
const timeIsOver = new TimeIsOver();

/** The patterns of a bot on one message: what they take together is bounded. */
export class Matching {
  readonly #time: PatternTime;
  readonly #botId: number;
  #text: CountedText | undefined;
  /** Until the next look at the clock. */
  #steps = stepsPerLook;
  #began: { monotonic: number; computed: number; allowedMs: number } | undefined;
  #takenMs = 0;
  #isOver = false;

  constructor(time: PatternTime, botId: number) {
    this.#time = time;
    this.#botId = botId;
  }

  /** Undefined when the time was over before. */
  matches(pattern: string, text: string): boolean | undefined {
    const found = this.find(this.#time.patterns.get(pattern), text);
    return found && found.length > 0;
  }

  /** Which of the patterns match, by their index; undefined when the time was over before. */
  find(patterns: PatternSet, text: string): readonly number[] | undefined {
    if (this.#text?.text !== text) this.#text = new CountedText(text, this);
    this.#text.weight = patterns.weight;
    if (this.#isOver) this.#steps = stepsAfterwards;
    try {
      if (!patterns.isCompiled) {
        if (this.#isOver) return undefined;
        this.#look();
        patterns.compile();
        this.#look();
      }
      return patterns.match(this.#text);
    } catch (error) {
      if (error !== timeIsOver) throw error;
      this.#isOver = true;
      return undefined;
    }
  }

  step(weight: number): void {
    this.#steps -= weight;
    if (this.#steps < 0) this.#look();
  }

  #look(): void {
    const { clock, limits } = this.#time;
    if (this.#isOver) throw timeIsOver;
    this.#steps = stepsPerLook;
    const monotonic = clock.monotonic();
    if (!this.#began) {
      const allowedMs = Math.min(limits.messageMs, this.#time.leftMs(this.#botId));
      this.#began = { monotonic, computed: clock.computed(), allowedMs };
      if (allowedMs <= 0) throw timeIsOver;
      return;
    }
    const passedMs = monotonic - this.#began.monotonic;
    // A thread computes no more than time passes, and this clock is the cheaper one.
    if (passedMs <= limits.freeMs) return;
    const usedMs = Math.min(passedMs, clock.computed() - this.#began.computed);
    if (usedMs <= Math.max(limits.freeMs, this.#takenMs)) return;
    this.#time.take(this.#botId, usedMs - this.#takenMs);
    this.#takenMs = usedMs;
    if (usedMs > this.#began.allowedMs) throw timeIsOver;
  }
}

/** Read by the machine of a pattern as if it were a string. */
class CountedText {
  readonly text: string;
  readonly length: number;
  /** Steps that the machine takes for each character. */
  weight = 1;
  readonly #matching: Matching;

  constructor(text: string, matching: Matching) {
    this.text = text;
    this.length = text.length;
    this.#matching = matching;
  }

  get [Symbol.toStringTag](): string {
    return 'String';
  }

  charCodeAt(index: number): number {
    this.#matching.step(this.weight);
    return this.text.charCodeAt(index);
  }
}

const memoryOfOne = 128 * 1024;
const memoryOfMany = 1024 * 1024;

/** Patterns that are matched together; they are compiled when they are first matched. */
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
        // Patterns are checked when they are saved; one that slipped through must not stop the others.
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

const mostCached = 10_000;

/** Patterns of filters: claims, readers and previews share what is compiled. */
class PatternCache {
  readonly #sets = new Map<string, PatternSet>();

  get(pattern: string): PatternSet {
    let set = this.#sets.get(pattern);
    if (!set) {
      set = new PatternSet([pattern]);
      if (this.#sets.size >= mostCached) this.#sets.clear();
      this.#sets.set(pattern, set);
    }
    return set;
  }
}

/** The heaviest pattern that is allowed has a set of its own. */
const weightOfSet = 1_500;

/** Light patterns share sets and come first; a heavy one is matched by itself, at the end. */
export function groupPatterns(patterns: readonly string[]): {
  set: PatternSet;
  /** Of its patterns, in the list. */
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
