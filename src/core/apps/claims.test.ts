import { describe, expect, it } from 'vitest';
import { compileRoutes } from '../routing/route-matcher.ts';
import { createPatternTimes } from '../search/pattern-time.ts';
import { compileClaims, seenByApp } from './claims.ts';
import { readFilterFacts } from './filter-facts.ts';

const heavy = '(?i)[ab]*a[ab]{700}(?:d|e)';
const text = 'ab'.repeat(2_048);
const app = { id: 5, bot_id: 1, filter: { regex: heavy } };
const claimer = {
  ...app,
  exclusive: true,
  own_replies: false,
  priority: 1,
  mode: 'poll' as const,
  disabled: false,
};
const raw = JSON.stringify({ update_id: 1, message: { chat: { id: 7 }, text } });
const entry = { position: 3, kind: 'message', raw, claimedBy: 0 };

/** Returns the pattern time of a bot that has used it up. */
function usedUp() {
  let ms = 0;
  const { live } = createPatternTimes({ monotonic: () => (ms += 1), computed: () => ms });
  const told: object[] = [];
  live.onUndecided((botId, owner) => told.push({ botId, ...owner }));
  live.take(1, 10_000);
  return { live, told };
}

describe('a pattern that takes too long', () => {
  it('claims nothing, and leaves the update to the claims behind it', () => {
    const { live, told } = usedUp();
    const next = { ...claimer, id: 6, filter: { kinds: ['message'] }, priority: 0 };
    const facts = readFilterFacts(entry);
    expect(compileClaims([claimer], '', live)?.exclusiveFor(facts)).toBe(0);
    expect(compileClaims([claimer, next], '', live)?.exclusiveFor(facts)).toBe(6);
    expect(told[0]).toEqual({ botId: 1, appId: 5 });
  });

  it('lets the update through to its app, and to nobody when another field excludes it', () => {
    const { live, told } = usedUp();
    expect(seenByApp(app, '', live)(entry)).toBe(true);
    expect(told).toEqual([{ botId: 1, appId: 5 }]);
    const other = { ...app, filter: { regex: heavy, kinds: ['poll'] } };
    expect(seenByApp(other, '', live)(entry)).toBe(false);
  });

  it('keeps a route from acting, and others do act', () => {
    const { live } = usedUp();
    const route = {
      action: 'copy',
      enabled: true,
      source_chat_id: 0,
      source_thread_id: 0,
      condition_value: '',
    };
    const routes = [
      { ...route, id: 1, condition_type: 'regex', condition_value: heavy, action: 'drop' },
      { ...route, id: 2, condition_type: 'all' },
    ];
    const message = { chatId: 7, userId: 7, text, mediaType: null };
    const { acting, undecided } = compileRoutes(routes, '').match(message, live.matching(1));
    expect(acting.map(({ route: { id } }) => id)).toEqual([2]);
    expect(undecided.map(({ route: { id }, reason }) => [id, reason.code])).toEqual([
      [1, 'pattern_undecided'],
    ]);
  });
});
