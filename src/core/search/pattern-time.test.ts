import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { longestTurn } from '../../../test/support/cpu-time.ts';
import { groupPatterns, PatternCache, PatternSet } from './pattern-sets.ts';
import { createPatternTimes, type PatternClock, systemPatternClock } from './pattern-time.ts';

/** A clock that moves by `stepMs` with every look at it. */
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
/** Its machine makes a new state for nearly each character. */
const hostile = '(?i)[ab]*a[ab]{70}(?:d|e)';
const { computed } = systemPatternClock;
const random = (seed: number) => {
  let state = seed;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
};
const next = random(1);
const letters = Array.from({ length: 4_096 }, () => (next() < 0.5 ? 'a' : 'b')).join('');

describe('time of patterns', () => {
  it.each(heavy)(
    'ends a match of %s in the middle, and matches well afterwards',
    async (pattern) => {
      const { clock, patternClock } = movingClock(1);
      const { live } = createPatternTimes(patternClock);
      const set = new PatternSet([pattern, 'ok$']);
      expect(live.matching(1).find(set, letters)).toBeUndefined();
      expect(clock.ms).toBeLessThan(60);
      clock.ms += 10_000;
      await nextTurn();
      expect(live.matching(1).find(set, 'ok')).toEqual([1]);
    },
  );

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
    clock.ms += 60_000;
    expect(live.leftMs(1)).toBe(live.limits.mostMs);
  });

  it('lets usual patterns decide short texts also when it is over', async () => {
    const { patternClock } = movingClock(0.01);
    const { live } = createPatternTimes(patternClock);
    live.take(1, 10_000);
    await nextTurn();
    const set = new PatternSet([String.raw`(?i)\border\s+\d+`]);
    set.compile();
    const texts = ['Where is my order 12345?', 'Hello'];
    expect(texts.map((text) => live.matching(1).find(set, text))).toEqual([[0], []]);
  });

  it('compiles patterns within it', () => {
    const { patternClock } = movingClock(1);
    const { live } = createPatternTimes(patternClock);
    live.take(1, 10_000);
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

  it('is bounded for one turn of the event loop, whoever asks without waiting', async () => {
    const { live, asked } = createPatternTimes();
    const set = new PatternSet([hostile]);
    set.compile();
    const began = computed();
    const matchings = Array.from({ length: 2_000 }, (_, index) =>
      (index % 2 ? live : asked).matching(index % 50),
    );
    for (const matching of matchings) for (let n = 0; n < 20; n++) matching.find(set, letters);
    expect(computed() - began).toBeLessThan(50);
    await nextTurn();
    expect(live.matching(1).find(new PatternSet(['b$']), 'ab')).toEqual([0]);
  });

  it('has turns for others in between where messages can wait', async () => {
    const { live } = createPatternTimes();
    const decideAll = Array.from({ length: 10 }, async (_, bot) => {
      for (let n = 0; n < 10; n++) {
        await live.room(bot);
        live.matching(bot).matches(hostile, { text: letters });
      }
    });
    expect(await longestTurn(() => Promise.all(decideAll))).toBeLessThan(50);
  });

  it('keeps compiled patterns within bounds, and those in use', () => {
    const cache = new PatternCache(1_000_000);
    const used = cache.get('used');
    for (let n = 0; n < 1_000; n++) {
      cache.get(`preview ${n}`);
      expect(cache.get('used')).toBe(used);
    }
    expect(cache.size).toBeLessThan(100);
  });
});
