const KEPT = 10_000;

/** Sets an entry and forgets the oldest ones beyond the limit. */
export function keep<K, V>(map: Map<K, V>, key: K, value: V, limit = KEPT): void {
  map.set(key, value);
  while (map.size > limit) {
    const [oldest] = map.keys();
    if (oldest === undefined) return;
    map.delete(oldest);
  }
}
