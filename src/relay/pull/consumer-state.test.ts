import { describe, expect, it } from 'vitest';
import { readAllowedUpdates } from './consumer-state.ts';

describe('allowed_updates', () => {
  it('are a list of names, or JSON of one', () => {
    expect(readAllowedUpdates('["Message","poll","message"]')).toEqual(['message', 'poll']);
    expect(readAllowedUpdates(['poll', 'a_newer_kind'])).toEqual(['a_newer_kind', 'poll']);
    expect(readAllowedUpdates([])).toBeNull();
    expect(readAllowedUpdates(['nothing_known'])).toBeNull();
    for (const given of [undefined, 'message', '{', [1], {}]) {
      expect(readAllowedUpdates(given)).toBeUndefined();
    }
  });

  it('store only valid kinds, whatever a client sends', () => {
    const junk = Array.from({ length: 50_000 }, (_, n) => `junk_${n}`);
    const kept = readAllowedUpdates(['message', 'x'.repeat(900_000), 'a b', ...junk]) ?? [];
    expect(kept).toContain('message');
    expect(JSON.stringify(kept).length).toBeLessThan(4_000);
  });
});
