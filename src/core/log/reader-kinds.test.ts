import { describe, expect, it } from 'vitest';
import { isKnownReader, publicName, readerKind, readerName, storedName } from './reader-kinds.ts';

describe('readers', () => {
  it.each([
    ['push', 'push', '', 'push'],
    ['push:shop', 'push', 'shop', 'push:shop'],
    ['pull:', 'pull', '', 'pull'],
    ['pull:push', 'pull', 'push', 'pull:push'],
    ['export:cold', 'export', 'cold', 'export:cold'],
  ])('%s is of the kind %s, is called "%s" and named %s', (stored, kind, name, shown) => {
    expect(readerKind(stored)).toBe(kind);
    expect(readerName(stored)).toBe(name);
    expect(publicName(stored)).toBe(shown);
    expect(storedName(shown)).toBe(stored);
  });

  it('of other kinds are not known', () => {
    for (const name of ['', 'pushed', 'bridge:push', 'constructor']) {
      expect(storedName(name)).toBeUndefined();
      expect(isKnownReader(name)).toBe(false);
      expect(() => readerKind(name)).toThrow('unknown kind');
    }
  });
});
