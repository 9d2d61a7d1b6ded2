import { expect, it } from 'vitest';
import type { AlertKind } from '../../../web/src/api/alerts.ts';
import { stillDismissed } from '../../../web/src/pages/overview/still-seen.ts';

const alert = (kind: AlertKind, count: number) => ({ kind, count, bot_id: 7, params: { count } });

it('remembers what is still so', () => {
  const seen = { 'unknown_sends:7:': 3 };
  expect(stillDismissed(seen, [alert('unknown_sends', 5)])).toEqual(seen);
});

it('forgets what is over: should it happen again, it is news', () => {
  expect(stillDismissed({ 'bot_disabled:7:': 0 }, [alert('unknown_sends', 1)])).toEqual({});
});

it('counts from where it has come down to', () => {
  expect(stillDismissed({ 'unknown_sends:7:': 5 }, [alert('unknown_sends', 2)])).toEqual({
    'unknown_sends:7:': 2,
  });
});
