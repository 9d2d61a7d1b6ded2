import { describe, expect, it, onTestFinished } from 'vitest';
import { type AppSettings, defaultAppSettings } from '../../../src/core/apps/app.ts';
import { createPatternTimes } from '../../../src/core/search/pattern-time.ts';
import { countMatches } from '../../../src/manage/apps/filter-matches.ts';
import { createAppReaders } from '../../../src/relay/apps/app-readers.ts';
import { createUpdateLog } from '../../../src/relay/log/update-log.ts';
import { createPullers } from '../../../src/relay/pull/pullers.ts';
import { createStore, type Store } from '../../../src/store/store.ts';
import type { DialectName } from '../../../src/store/engine.ts';
import { longestTurn } from '../../support/cpu-time.ts';
import { dialects } from '../../support/database/engines.ts';
import { createTestStore } from '../../support/database/store.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { update } from '../../support/rigs/pull-rig.ts';

/**
 * The bound is 35 ms of patterns in a turn; a slow machine takes several times as long for the rest.
 * Without the bound, a turn takes 160 to 1,700 ms on a fast one.
 */
const mostTurnMs = 150;

/** Its machine makes a new state for nearly each character of `letters`. */
const hostile = (index: number) => `(?i)[ab]*a[ab]{70}(?:d|e)${index}`;
const letters = (seed: number): string => {
  let state = seed + 1;
  const next = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648);
  return Array.from({ length: 4_096 }, () => (next() < 2 ** 30 ? 'a' : 'b')).join('');
};
const prose = (seed: number) =>
  `${'Hello, where is my parcel, and may I return it some day? '.repeat(71)} refund #12345${seed % 20}`;

/** Bot 1 of a store with its patterns, as a node has it. */
async function node(dialect: DialectName) {
  const { store: opened, close } = await createTestStore(dialect);
  onTestFinished(close);
  const patterns = createPatternTimes();
  const store = createStore(opened.engine, opened.vault, patterns);
  const { id: botId } = await store.bots.insert({ token: '1:secret', source: 'web' }, 1);
  const log = createUpdateLog(store.log);
  const pullers = createPullers({
    consumers: store.consumers,
    log: store.log,
    updateLog: log,
    clock: createManualClock(),
    apps: createAppReaders(store),
  });
  onTestFinished(() => pullers.close());
  let undecided = 0;
  patterns.live.onUndecided(() => undecided++);
  let updates = 0;
  return {
    store,
    botId,
    pullers,
    get undecided() {
      return undecided;
    },
    useUp: () => patterns.live.take(botId, 5_000),
    add: (name: string, settings: Partial<AppSettings>) => addApp(store, botId, name, settings),
    batch: (textOf: (index: number) => string) =>
      Array.from({ length: 100 }, (_, index) => update(++updates, 'message', textOf(index))),
    append: (batch: ReturnType<typeof update>[]) => log.append(botId, batch, { receivedAt: 1 }),
  };
}

const addApp = (store: Store, botId: number, name: string, settings: Partial<AppSettings>) =>
  store.apps.insert(
    {
      botId,
      name,
      token: `1:${name}`,
      settings: { ...defaultAppSettings, mode: 'poll', ...settings },
      patch: {},
    },
    5,
  );

describe.each(dialects)('patterns of apps on %s', (dialect) => {
  it('hold no append, within their time and after it', async () => {
    const one = await node(dialect);
    for (let index = 0; index < 100; index++) {
      await one.add(`app${index}`, { exclusive: true, filter: { regex: hostile(index) } });
    }
    for (const isUsedUp of [false, false, true]) {
      const batch = one.batch(letters);
      if (isUsedUp) one.useUp();
      expect(await longestTurn(() => one.append(batch))).toBeLessThan(mostTurnMs);
    }
    expect(one.undecided).toBeGreaterThan(0);
  });

  it('that are usual are all decided in a long batch', async () => {
    const one = await node(dialect);
    const apps: number[] = [];
    for (let index = 0; index < 20; index++) {
      const regex = String.raw`(?i)\b(refund|return)\s+#?\d{3,8}${index}\b`;
      const { id } = await one.add(`app${index}`, { exclusive: true, filter: { regex } });
      apps.push(id);
    }
    const outcome = await one.append(one.batch(prose));
    expect(one.undecided).toBe(0);
    const claims =
      outcome.status === 'stored' ? outcome.entries.map((entry) => entry.claimedBy) : [];
    const byMostDigits = (index: number) =>
      apps.find((_, app) => `12345${index % 20}`.endsWith(`${app}`));
    expect(claims).toEqual(Array.from({ length: 100 }, (_, index) => byMostDigits(index)));
  });
});

// The embedded database answers at once, so nothing but the bound interrupts these reads.
describe('patterns of apps in reads', () => {
  it('hold nothing up for one that polls, counts or previews', async () => {
    const one = await node('sqlite');
    const bot = { id: one.botId, username: '' };
    const poll = (consumer: string) =>
      one.pullers.poll({ botId: one.botId, consumer, offset: 0, limit: 100, timeoutSeconds: 0 });
    await one.add('slow', { filter: { regex: hostile(0) } });
    await poll('slow');
    for (let n = 0; n < 10; n++) await one.append(one.batch(letters));
    const { unread } = one.store;
    expect(await longestTurn(() => unread.of(one.botId))).toBeLessThan(mostTurnMs);
    expect(await longestTurn(() => one.pullers.pending(one.botId, 'slow'))).toBeLessThan(
      mostTurnMs,
    );
    expect(await longestTurn(() => poll('slow'))).toBeLessThan(mostTurnMs);
    one.useUp();
    expect(await longestTurn(() => poll('slow'))).toBeLessThan(mostTurnMs);
    const preview = () => countMatches(one.store, bot, { regex: hostile(1) }, 100);
    expect(await longestTurn(preview)).toBeLessThan(mostTurnMs);
  });

  it('leave the compiled ones of others alone when many are previewed', async () => {
    const one = await node('sqlite');
    const { patterns } = one.store.patterns.live;
    const used = patterns.get('refund');
    await one.append(one.batch(() => 'short').slice(0, 1));
    for (let index = 0; index < 200; index++) {
      await countMatches(one.store, { id: one.botId, username: '' }, { regex: `x${index}` }, 100);
    }
    expect(patterns.size).toBe(1);
    expect(patterns.get('refund')).toBe(used);
  });
});
