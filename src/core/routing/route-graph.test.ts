import { describe, expect, it } from 'vitest';
import { findProblems, type GraphRoute } from './route-graph.ts';

const route: GraphRoute = {
  id: 1,
  source_bot_id: 1,
  target_bot_id: 2,
  condition_type: 'keyword',
  condition_value: 'refund',
  action: 'copy',
  enabled: true,
  source_chat_id: 0,
};
const all = { ...route, id: 2, condition_type: 'all', condition_value: '' };
const chosen = { ...route, id: 3, condition_type: 'llm', condition_value: '' };

const problems = (
  routes: GraphRoute[],
  bots: { disabled?: number[]; withoutModel?: number[] } = {},
) =>
  findProblems(routes, {
    disabled: new Set(bots.disabled),
    withoutModel: new Set(bots.withoutModel),
  }).map(({ route_ids, explanation }) => `${route_ids.join()}: ${explanation}`);

describe('what can be wrong with routes', () => {
  it('is nothing where each may act', () => {
    expect(problems([route, chosen])).toEqual([]);
    expect(
      problems([{ ...route, condition_type: 'chat_id', condition_value: '7', source_chat_id: 7 }]),
    ).toEqual([]);
  });

  it('a drop of everything ends the list of its bot, and of no other', () => {
    const drop = { ...all, action: 'drop' };
    expect(problems([drop, route, { ...route, id: 5, source_bot_id: 9 }])).toEqual([
      '1: Route 2 drops every message before this route.',
    ]);
    expect(problems([route, drop])).toEqual([]);
    expect(problems([{ ...drop, source_chat_id: 7 }, route])).toEqual([]);
    expect(problems([{ ...drop, enabled: false }, route])).toEqual([]);
  });

  it('a disabled bot neither receives nor sends', () => {
    expect(problems([route], { disabled: [1] })).toEqual(['1: Its source bot is disabled.']);
    expect(problems([route], { disabled: [2] })).toEqual(['1: Its target bot is disabled.']);
    expect(problems([{ ...route, action: 'drop' }], { disabled: [2] })).toEqual([]);
  });

  it('two chats are one too many', () => {
    const here = { ...route, condition_type: 'chat_id', condition_value: '7', source_chat_id: 8 };
    expect(problems([here])).toEqual(['1: Its condition and its filter name different chats.']);
  });

  it('the model is asked only where it may be and where something is left to it', () => {
    expect(problems([chosen], { withoutModel: [1] })).toEqual([
      '3: Route by meaning is off for its source bot.',
    ]);
    // The order does not matter: the model is asked when no rule matched.
    expect(problems([chosen, all])).toEqual([
      '3: Route 2 matches every message, so none reaches the model.',
    ]);
    expect(problems([chosen, { ...all, source_chat_id: 7 }])).toEqual([]);
  });

  it('a ring is told once', () => {
    const ring = [1, 2, 3].map((bot) => ({
      ...route,
      id: bot,
      source_bot_id: bot,
      target_bot_id: (bot % 3) + 1,
    }));
    expect(problems(ring)).toEqual([
      expect.stringMatching(/^1,2,3: These bots route to each other/),
    ]);
    expect(problems(ring.slice(1))).toEqual([]);
  });
});
