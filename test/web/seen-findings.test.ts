import { expect, it } from 'vitest';
import type { Finding } from '../../web/src/api/operation.ts';
import { stillSeen } from '../../web/src/pages/overview/seen-findings.ts';

function finding(kind: Finding['kind'], count: number): Finding {
  return { kind, count, bot_id: 7, since: '', text: '' } as Finding;
}

it('remembers what is still so', () => {
  const seen = { 'unknown_sends:7:': 3 };
  expect(stillSeen(seen, [finding('unknown_sends', 5)])).toEqual(seen);
});

it('forgets what is over: should it happen again, it is news', () => {
  expect(stillSeen({ 'bot_disabled:7:': 0 }, [finding('unknown_sends', 1)])).toEqual({});
});

it('counts from where it has come down to', () => {
  expect(stillSeen({ 'unknown_sends:7:': 5 }, [finding('unknown_sends', 2)])).toEqual({
    'unknown_sends:7:': 2,
  });
});
