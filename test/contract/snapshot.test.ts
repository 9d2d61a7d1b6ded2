import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { serviceForAllTests } from '../support/whole-service.ts';
import { servedSurface } from './served-surface.ts';
import { brokenPromises, type Surface } from './surface.ts';

const promised = JSON.parse(
  readFileSync(new URL('./snapshot.json', import.meta.url), 'utf8'),
) as Surface;

describe('the snapshot of what clients rely on', () => {
  const whole = serviceForAllTests('sqlite');

  // New things pass; `npm run docs` adds them, so that they are guarded too.
  it('is kept: nothing is removed, retyped or newly required', async () => {
    const served = await servedSurface(whole.service());
    expect(brokenPromises(promised, served)).toEqual([]);
    expect(Object.keys(served.operations).length).toBeGreaterThan(150);
  });
});
