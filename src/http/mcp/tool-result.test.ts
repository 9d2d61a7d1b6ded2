import { describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { searchEndIn, toolResult } from './tool-result.ts';

const resultOf = (json: unknown, headers: Record<string, unknown>) => {
  const response = { status: 200, json, retryAfterSeconds: 0, searchEnd: searchEndIn(headers) };
  const [content] = toolResult(response, { clock: systemClock }).content;
  return (JSON.parse(content?.text ?? '') as { result: unknown }).result;
};

describe('the result of a tool', () => {
  it('says where a search ended, also if it found nothing', () => {
    const headers = {
      'x-next-before-id': '17',
      'x-searched-back-to': '2026-01-31T10:00:00.000Z',
    };
    const end = { next_before_id: 17, searched_back_to: '2026-01-31T10:00:00.000Z' };
    expect(resultOf([{ id: 40 }], headers)).toEqual({ items: [{ id: 40 }], ...end });
    expect(resultOf([], headers)).toEqual({ items: [], ...end });
  });

  it('is the list itself after a search that looked at everything', () => {
    expect(resultOf([{ id: 40 }], { 'content-type': 'application/json' })).toEqual([{ id: 40 }]);
  });
});
