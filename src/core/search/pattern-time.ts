/*
 * Runs patterns of users within time limits. Matching takes time in proportion to pattern and text,
 * on the thread and within the transactions that all bots share, and some patterns take a hundred
 * milliseconds for one message. So the text that a pattern reads counts the reads, checks the clock
 * now and then, and ends the match when its time is over: the pattern is then undecided.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CountedText, PatternCache, type PatternSet } from './pattern-sets.ts';

/** The clock is passed in, so that tests can move it. */
export interface PatternClock {
  /** Milliseconds since an arbitrary moment. */
  monotonic(): number;
  /**
   * Milliseconds of processor time of this thread, so that a bot is not charged while other
   * processes run.
   */
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
  /** The limit for all patterns of a bot on one message. */
  messageMs: number;
  /** The limit for all messages of a bot; unused time is saved up to `mostMs`. */
  perSecondMs: number;
  mostMs: number;
}

const liveLimits: PatternLimits = { messageMs: 10, perSecondMs: 25, mostMs: 2_000 };
/** The limits for requests, separate so that they take no time from arriving updates. */
const askedLimits: PatternLimits = { messageMs: 10, perSecondMs: 25, mostMs: 200 };

/** The app or the route whose pattern stayed undecided. */
export type PatternOwner = { appId: number } | { routeId: number };
type Told = (botId: number, owner: PatternOwner) => void;

/**
 * The clock is checked after this many steps. A pattern that creates a new state for each character
 * takes 0.2 milliseconds for them.
 */
const stepsPerLook = 2_048;
/** The steps for all patterns on a message after its time is over: enough to match short texts. */
const stepsAfterwards = 2_048;
/** The two clocks are first compared at the first check, and the thread may have been paused before it. */
const mostBeforeLookMs = 2;

/** The limits within one turn of the event loop, for the patterns of all bots and of one. */
const mostOfTurnMs = 20;
const mostOfTurnPerBotMs = 12;
/** Callers that can wait start nothing in a turn that has already used this much time. */
const roomOfTurnMs = 10;
const roomOfTurnPerBotMs = 2;

/** Counts the time that patterns took in this turn of the event loop: others wait for its end. */
class Turn {
  #usedMs = 0;
  readonly #ofBots = new Map<number, number>();

  take(botId: number, ms: number): void {
    if (this.#ofBots.size === 0) setImmediate(() => this.#end());
    this.#usedMs += ms;
    this.#ofBots.set(botId, this.#of(botId) + ms);
  }

  leftMs(botId: number): number {
    return Math.min(mostOfTurnMs - this.#usedMs, mostOfTurnPerBotMs - this.#of(botId));
  }

  hasRoom(botId: number): boolean {
    return this.#usedMs < roomOfTurnMs && this.#of(botId) < roomOfTurnPerBotMs;
  }

  #of(botId: number): number {
    return this.#ofBots.get(botId) ?? 0;
  }

  #end(): void {
    this.#usedMs = 0;
    this.#ofBots.clear();
  }
}

/** Limits how long the patterns of each bot may take. */
export class PatternTime {
  readonly clock: PatternClock;
  readonly limits: PatternLimits;
  readonly patterns: PatternCache;
  readonly turn: Turn;
  /** Results are cached per text, including "undecided", so that nothing is matched twice. */
  readonly decided = new WeakMap<object, Map<string, boolean | undefined>>();
  readonly #slices: TimeSlices;
  readonly #left = new Map<number, { ms: number; at: number }>();
  readonly #told: Told[] = [];

  constructor(
    limits: PatternLimits,
    shared: { clock: PatternClock; patterns: PatternCache; turn: Turn; slices: TimeSlices },
  ) {
    this.limits = limits;
    this.clock = shared.clock;
    this.patterns = shared.patterns;
    this.turn = shared.turn;
    this.#slices = shared.slices;
  }

  /** Matches one message. Patterns that are used only once are compiled outside of the cache. */
  matching(botId: number, patterns: Pick<PatternCache, 'get'> = this.patterns): Matching {
    return new Matching(this, botId, patterns);
  }

  /** Compiles patterns in slices, so that other work runs in between; undefined if they are compiled. */
  prepare(patterns: readonly string[]): Promise<void> | undefined {
    const sets = patterns.map((pattern) => this.patterns.get(pattern));
    return sets.every(({ isCompiled }) => isCompiled) ? undefined : this.#slices.compile(sets);
  }

  hasRoom(botId: number): boolean {
    return this.turn.hasRoom(botId);
  }

  /** For callers that can wait, before each message: undefined while this turn has time for the bot. */
  room(botId: number): Promise<void> | undefined {
    return this.hasRoom(botId) ? undefined : this.until(() => this.hasRoom(botId));
  }

  /** Checks in each turn; all waiting callers take turns. */
  async until(isReady: () => boolean): Promise<void> {
    do await this.#slices.next();
    while (!isReady());
  }

  leftMs(botId: number, now = this.clock.monotonic()): number {
    const { mostMs, perSecondMs } = this.limits;
    const left = this.#left.get(botId);
    if (!left) return mostMs;
    const ms = left.ms + ((now - left.at) * perSecondMs) / 1_000;
    if (ms < mostMs) return ms;
    this.#left.delete(botId);
    return mostMs;
  }

  take(botId: number, ms: number, now = this.clock.monotonic()): void {
    this.#left.set(botId, { ms: this.leftMs(botId, now) - ms, at: now });
    this.turn.take(botId, ms);
  }

  undecided(botId: number, owner: PatternOwner): void {
    for (const told of this.#told) told(botId, owner);
  }

  onUndecided(told: Told): void {
    this.#told.push(told);
  }
}

/** Lets long work on stored updates proceed one slice per turn, so that other work runs in between. */
export class TimeSlices {
  readonly #clock: PatternClock;
  #last: Promise<void> = Promise.resolve();

  constructor(clock: PatternClock) {
    this.#clock = clock;
  }

  /** One of all waiting callers continues in each turn of the event loop. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => nextTurn());
    return this.#last;
  }

  /** `onSlice` receives the duration of each slice. */
  async compile(sets: readonly PatternSet[], onSlice?: (ms: number) => void): Promise<void> {
    for (const set of sets) {
      if (set.isCompiled) continue;
      await this.next();
      const began = this.#clock.monotonic();
      const passedMs = () => this.#clock.monotonic() - began;
      for (const one of sets) {
        if (!one.isCompiled) one.compile();
        if (passedMs() > sliceMs) break;
      }
      onSlice?.(passedMs());
    }
  }
}

const sliceMs = 10;

export interface PatternTimes {
  /** Arriving updates and readers take their time from it. */
  live: PatternTime;
  /** Requests take theirs from it: previews, counts, simulations. */
  asked: PatternTime;
  slices: TimeSlices;
}

export function createPatternTimes(clock: PatternClock = systemPatternClock): PatternTimes {
  const patterns = new PatternCache();
  const slices = new TimeSlices(clock);
  const shared = { clock, patterns, slices, turn: new Turn() };
  return {
    live: new PatternTime(liveLimits, shared),
    asked: new PatternTime(askedLimits, shared),
    slices,
  };
}

class TimeIsOver extends Error {}
const timeIsOver = new TimeIsOver();

/** Matches the patterns of a bot on one message within a shared time limit. Use it within one turn only. */
export class Matching {
  readonly #time: PatternTime;
  readonly #botId: number;
  readonly #patterns: Pick<PatternCache, 'get'>;
  #text: CountedText | undefined;
  /** Undefined before the first match. */
  #allowedMs: number | undefined;
  /** The steps left until the next clock check, or until the end once the time is over. */
  #steps = 0;
  #takenMs = 0;
  #isOver = false;
  /** When the match began, and the time on both clocks at the first check. */
  #began = 0;
  #firstLook: { monotonic: number; computed: number } | undefined;

  constructor(time: PatternTime, botId: number, patterns: Pick<PatternCache, 'get'>) {
    this.#time = time;
    this.#botId = botId;
    this.#patterns = patterns;
  }

  /** Undefined if the time was over before. */
  matches(pattern: string, of: { text: string }): boolean | undefined {
    const { decided } = this.#time;
    const known = decided.get(of) ?? new Map<string, boolean | undefined>();
    if (known.has(pattern)) return known.get(pattern);
    const found = this.find(this.#patterns.get(pattern), of.text);
    const matches = found && found.length > 0;
    decided.set(of, known.set(pattern, matches));
    return matches;
  }

  /** Returns the indexes of the matching patterns; undefined if the time was over before. */
  find(patterns: PatternSet, text: string): readonly number[] | undefined {
    this.#allowedMs ??= this.#begin();
    if (this.#isOver && (this.#steps <= 0 || !patterns.isCompiled)) return undefined;
    if (this.#text?.text !== text) this.#text = new CountedText(text, this);
    this.#text.weight = patterns.weight;
    if (!this.#isOver) this.#steps = stepsPerLook;
    this.#firstLook = undefined;
    try {
      if (!patterns.isCompiled) {
        this.#look();
        patterns.compile();
        this.#look();
      }
      return patterns.match(this.#text);
    } catch (error) {
      if (error !== timeIsOver) throw error;
      // When the time is over, the remaining steps are used up.
      this.#steps = this.#isOver ? 0 : this.#afterwards();
      this.#isOver = true;
      return undefined;
    } finally {
      const now = this.#time.clock.monotonic();
      const ms = this.#passedMs(now);
      this.#time.take(this.#botId, ms, now);
      this.#takenMs += ms;
      this.#began = now;
    }
  }

  step(weight: number): void {
    this.#steps -= weight;
    if (this.#steps < 0) this.#look();
  }

  #begin(): number {
    const { clock, limits, turn } = this.#time;
    this.#began = clock.monotonic();
    const leftMs = Math.min(limits.messageMs, this.#time.leftMs(this.#botId, this.#began));
    const allowedMs = Math.min(leftMs, turn.leftMs(this.#botId));
    if (allowedMs <= 0) {
      this.#isOver = true;
      this.#steps = this.#afterwards();
    }
    return allowedMs;
  }

  /** Returns 0 once the time of the turn is over too. */
  #afterwards(): number {
    return this.#time.turn.leftMs(this.#botId) > 0 ? stepsAfterwards : 0;
  }

  #look(): void {
    if (this.#isOver) throw timeIsOver;
    this.#steps = stepsPerLook;
    const { clock } = this.#time;
    const now = clock.monotonic();
    this.#firstLook ??= { monotonic: now, computed: clock.computed() };
    const allowedMs = (this.#allowedMs as number) - this.#takenMs;
    // Processor time never exceeds elapsed time, so the cheaper clock is checked first.
    if (now - this.#began > allowedMs && this.#passedMs(now) > allowedMs) throw timeIsOver;
  }

  /** The time since the match began. */
  #passedMs(now: number): number {
    const passedMs = now - this.#began;
    if (passedMs <= mostBeforeLookMs) return passedMs;
    if (!this.#firstLook) return mostBeforeLookMs;
    const { monotonic, computed } = this.#firstLook;
    const computedMs = Math.min(now - monotonic, this.#time.clock.computed() - computed);
    return Math.min(monotonic - this.#began, mostBeforeLookMs) + computedMs;
  }
}
