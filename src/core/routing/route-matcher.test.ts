import { reason } from '../reasons/reason.ts';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../test/support/cpu-time.ts';
import { createPatternTimes } from '../search/pattern-time.ts';
import { compileRoutes, type MatchableRoute } from './route-matcher.ts';

let nextId = 1;
function route(
  condition_type: string,
  condition_value = '',
  more: Partial<MatchableRoute> = {},
): MatchableRoute {
  return {
    id: nextId++,
    condition_type,
    condition_value,
    action: 'copy',
    enabled: true,
    source_chat_id: 0,
    source_thread_id: 0,
    ...more,
  };
}
/** A slow machine must not end a match. */
const standing = { monotonic: () => 0, computed: () => 0 };
const matching = () => createPatternTimes(standing).live.matching(1);
const message = { chatId: -100, userId: 7, text: 'hello world', mediaType: null };

function matched(routes: MatchableRoute[], more: Partial<typeof message> | object = {}) {
  const matcher = compileRoutes(routes, 'desk_bot');
  return matcher
    .match({ ...message, ...more }, matching())
    .acting.map((match) => routes.indexOf(match.route as never));
}

describe('route matcher', () => {
  it('passes over a pattern that does not compile and an id that is none', () => {
    const routes = [route('regex', '('), route('user_id', 'x'), route('regex', 'w.rld')];
    expect(matched(routes)).toEqual([2]);
  });

  it('gives every matching route in the order of the list', () => {
    const routes = [
      route('keyword', 'world'),
      route('user_id', '8'),
      route('all'),
      route('chat_id', '-100'),
      route('user_id', '7'),
      route('regex', '^hel+o'),
      route('keyword', 'hello, goodbye'),
    ];
    expect(matched(routes)).toEqual([0, 2, 3, 4, 5, 6]);
  });

  it('ends at a drop', () => {
    const routes = [route('keyword', 'hello'), route('all', '', { action: 'drop' }), route('all')];
    expect(matched(routes)).toEqual([0, 1]);
    expect(matched(routes, { text: 'bye' })).toEqual([1]);
  });

  it('passes over disabled routes, other chats, and those the model chooses', () => {
    const routes = [
      route('all', '', { enabled: false }),
      route('all', '', { source_chat_id: -200 }),
      route('all', '', { source_chat_id: -100 }),
      route('llm'),
    ];
    expect(matched(routes)).toEqual([2]);
    expect(compileRoutes(routes, '').chosenByModel).toEqual([routes[3]]);
  });

  it('limits routes to a topic, of which General is 1', () => {
    const here = { source_chat_id: -100 };
    const routes = [
      route('all', '', { ...here, source_thread_id: 4 }),
      route('all', '', { ...here, source_thread_id: 1 }),
      route('all', '', here),
    ];
    expect(matched(routes, { chatId: -100, threadId: 4 })).toEqual([0, 2]);
    expect(matched(routes, { chatId: -100, threadId: 1 })).toEqual([1, 2]);
    expect(matched(routes, { chatId: -100 })).toEqual([2]);
    expect(matched(routes, { chatId: -200, threadId: 4 })).toEqual([]);
  });

  it('knows commands with and without the name of the bot', () => {
    const routes = [route('command', '/start')];
    for (const text of ['/start', '/START now', '/start@Desk_Bot x']) {
      expect(matched(routes, { text })).toEqual([0]);
    }
    for (const text of ['/started', 'say /start', '/start@other_bot', '/start-up']) {
      expect(matched(routes, { text })).toEqual([]);
    }
  });

  it('knows media by kind, and any media', () => {
    const routes = [route('media', 'photo, video'), route('media')];
    expect(matched(routes, { mediaType: 'photo' })).toEqual([0, 1]);
    expect(matched(routes, { mediaType: 'sticker', text: '' })).toEqual([1]);
    expect(matched(routes)).toEqual([]);
  });

  it('tells which routes were asked', () => {
    const routes = [4, 1, 2, 3, 9].map((id) => route('all', '', { id }));
    expect(compileRoutes(routes, '').asked).toBe('1-4,9');
    expect(compileRoutes([], '').asked).toBe('');
  });

  it('says in words why it matched', () => {
    const matcher = compileRoutes([route('keyword', 'Wörld')], '');
    expect(matcher.match({ ...message, text: 'my world' }, matching()).acting[0]?.reason).toEqual(
      reason('words_found', { words: 'world' }),
    );
  });

  it('goes through a text once, however many keywords begin like it', () => {
    const letters = 'bcdefghijklmnopqrstu'.split('');
    const keywords = Array.from({ length: 50 }, () =>
      letters.map((letter) => `a ${letter}`),
    ).flat();
    const routes = Array.from({ length: 100 }, () => route('keyword', keywords.join()));
    const matcher = compileRoutes([...routes, route('keyword', 'z')], '');
    const startedAt = cpuMs();
    const text = `${'a '.repeat(2_000)}z`;
    expect(matcher.match({ ...message, text }, matching()).acting).toHaveLength(1);
    // Comparing the words one by one for each route took seconds.
    expect(cpuMs() - startedAt).toBeLessThan(1_000);
  });

  it('finds the right one of a thousand patterns', async () => {
    const routes = Array.from({ length: 1_000 }, (_, i) => route('regex', `order-${i}\\b`));
    const matcher = compileRoutes(routes, '');
    await matcher.prepare(createPatternTimes(standing).slices);
    const text = 'where is order-731?';
    const { acting } = matcher.match({ ...message, text }, matching());
    expect(acting.map(({ route: { id } }) => routes.findIndex((one) => one.id === id))).toEqual([
      731,
    ]);
  });
});
