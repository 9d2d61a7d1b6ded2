import { describe, expect, it } from 'vitest';
import { mostBackendConnections } from './open-files.ts';

describe('connections to backends', () => {
  it.each([
    [10, 16],
    [1_024, 256],
    [20_000, 5_000],
    [1_048_576, 16_384],
  ])('with %d open files are at most %d', (openFiles, most) => {
    expect(mostBackendConnections(openFiles)).toBe(most);
  });

  it('follow the limit of the process', () => {
    expect(mostBackendConnections()).toBeGreaterThanOrEqual(16);
    expect(mostBackendConnections()).toBeLessThanOrEqual(16_384);
  });
});
