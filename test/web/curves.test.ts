import { expect, it } from 'vitest';
import { curvesOf } from '../../web/src/pages/overview/curves.ts';

const slice = (index: number, delivery_failures: number) => ({
  at: 1_000 + index * 2,
  received: 0,
  sent: 0,
  send_failures: 0,
  delivered: 0,
  delivery_failures,
  backlog: 0,
});

it('counts the failures of the last minute instead of multiplying those of a moment', () => {
  const slices = Array.from({ length: 40 }, (_, index) =>
    slice(index, [4, 20].includes(index) ? 2 : 0),
  );
  const { errors, now } = curvesOf({ slice_seconds: 2, slices });
  const values = [...(errors[1] ?? [])].filter((value) => typeof value === 'number');
  expect(Math.max(...values)).toBe(4);
  expect(values[4]).toBe(2);
  expect(values[33]).toBe(4);
  // The first two are older than a minute by now.
  expect(now.failedDeliveries).toBe(2);
});
