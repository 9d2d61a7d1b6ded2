import { describe, expect, it } from 'vitest';
import { createFormat } from '../../../web/src/i18n/format.ts';
import { countSteps, durationSteps } from '../../../web/src/ui/charts/chart-steps.ts';

/** The labels of an axis; it has room for four above zero. */
const marksOf = (step: number) => [1, 2, 3, 4].map((count) => count * step);
const units: Record<string, number> = { ms: 1, sec: 1_000, min: 60_000, hr: 3_600_000 };

describe('the marks of a scale', () => {
  const format = createFormat('en');

  it('are written as what they are', () => {
    for (const mark of countSteps.flatMap(marksOf)) {
      expect(Number(format.rate(mark).replaceAll(',', ''))).toBeCloseTo(mark, 6);
    }
  });

  it('are written so in units of time, too', () => {
    for (const mark of durationSteps.flatMap(marksOf)) {
      const [amount = '', unit = ''] = format.duration(mark).replaceAll(',', '').split(' ');
      expect(Number(amount) * (units[unit] ?? Number.NaN), `${amount} ${unit}`).toBe(mark);
    }
  });

  it('stand ever further apart', () => {
    for (const steps of [countSteps, durationSteps]) {
      expect(steps).toEqual([...new Set(steps)].toSorted((a, b) => a - b));
    }
  });
});
