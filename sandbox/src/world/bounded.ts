const maxEntries = 10_000;

/** Sets an entry and removes the oldest ones beyond the limit, which it returns. */
export function keep<K, V>(map: Map<K, V>, key: K, value: V, limit = maxEntries): V[] {
  map.set(key, value);
  const forgotten: V[] = [];
  for (const [oldest, old] of map) {
    if (map.size <= limit) break;
    map.delete(oldest);
    forgotten.push(old);
  }
  return forgotten;
}
