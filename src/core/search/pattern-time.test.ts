import { describe, expect, it } from 'vitest';
import {
  createPatternTimes,
  groupPatterns,
  type PatternClock,
  PatternSet,
} from './pattern-time.ts';

/** A clock that moves by so much with every look at it. */
function movingClock(stepMs: number) {
  const clock = { ms: 0, looks: 0 };
  const look = () => {
    clock.looks++;
    clock.ms += stepMs;
    return clock.ms;
  };
  const patternClock: PatternClock = { monotonic: look, computed: () => clock.ms };
  return { clock, patternClock };
}

const heavy = [
  '(?i)(a.{0,180}b.{0,180}c.{0,180}d.{0,180})#',
  '(?i)[ab]*a[ab]{700}(?:d|e)',
  String.raw`(?i)(?:\pL|\pN){180}!`,
];
const random = (seed: number) => {
  let state = seed;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
};
const next = random(1);
const letters = Array.from({ length: 4_096 }, () => (next() < 0.5 ? 'a' : 'b')).join('');

describe('time of patterns', () => {
  it.each(heavy)('ends a match of %s in the middle, and matches well afterwards', (pattern) => {
    const { clock, patternClock } = movingClock(1);
    const { live } = createPatternTimes(patternClock);
    const set = new PatternSet([pattern, 'ok$']);
    expect(live.matching(1).find(set, letters)).toBeUndefined();
    expect(clock.ms).toBeLessThan(60);
    clock.ms += 10_000;
    expect(live.matching(1).find(set, 'ok')).toEqual([1]);
  });

  it('is shared by all patterns on a message, and by all messages of a bot', () => {
    const { clock, patternClock } = movingClock(0.5);
    const { live } = createPatternTimes(patternClock);
    const sets = Array.from({ length: 40 }, () => new PatternSet([heavy[1] as string]));
    for (const set of sets) set.compile();
    const message = () => {
      const matching = live.matching(1);
      const began = clock.ms;
      const undecided = sets.filter((set) => matching.find(set, letters) === undefined);
      return { undecided: undecided.length, ms: clock.ms - began };
    };
    const first = message();
    expect(first.undecided).toBe(40);
    expect(first.ms).toBeLessThan(25);
    message();
    const third = message();
    expect(third.undecided).toBe(40);
    expect(third.ms).toBeLessThan(2);
    const other = live.matching(2).find(new PatternSet(['b+$']), 'abb');
    expect(other).toEqual([0]);
    clock.ms += 3_000;
    expect(live.leftMs(1)).toBe(25);
  });

  it('is not asked for by usual patterns and texts, also when it is over', () => {
    const { clock, patternClock } = movingClock(1);
    const { live } = createPatternTimes(patternClock);
    live.take(1, 1_000);
    const set = new PatternSet([String.raw`(?i)\border\s+\d+`]);
    set.compile();
    clock.looks = 0;
    const texts = ['Where is my order 12345?', 'Hello'];
    expect(texts.map((text) => live.matching(1).find(set, text))).toEqual([[0], []]);
    expect(clock.looks).toBe(0);
  });

  it('compiles patterns within it', () => {
    const { patternClock } = movingClock(1);
    const { live } = createPatternTimes(patternClock);
    live.take(1, 1_000);
    const set = new PatternSet(['a']);
    expect(live.matching(1).find(set, 'a')).toBeUndefined();
    expect(set.isCompiled).toBe(false);
  });

  it('is the processor time of the thread: nothing is taken while others compute', () => {
    const clock = { ms: 0 };
    const away = () => (clock.ms += 100);
    const { live } = createPatternTimes({ monotonic: away, computed: () => 0 });
    const set = new PatternSet(['(?i)(?:a?){740}!']);
    expect(live.matching(1).find(set, 'a'.repeat(4_096))).toEqual([]);
  });

  it('goes to light patterns first, many in one pass; heavy ones are by themselves', () => {
    const light = Array.from({ length: 30 }, (_, index) => `word${index}`);
    const groups = groupPatterns(['(?i)(?:a?){740}!', ...light, '(?:b?){720}#']);
    expect(groups.map(({ indexes }) => indexes.length)).toEqual([30, 1, 1]);
    expect(groups[0]?.indexes).not.toContain(0);
  });
});
