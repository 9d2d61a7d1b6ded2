const key = 'relay-recent';
const most = 6;

/** Returns what was opened last from the command palette in this tab, the latest first. */
export function recentEntries(): unknown[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}

export function rememberEntry(entry: { id: string; act: object }): void {
  const others = recentEntries().filter((one) => (one as { id?: unknown } | null)?.id !== entry.id);
  try {
    sessionStorage.setItem(key, JSON.stringify([entry, ...others].slice(0, most)));
  } catch {
    // Storage may be disabled or full; then nothing is remembered.
  }
}

/** Removes the entries at sign-out. */
export function forgetEntries(): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Without storage nothing was stored.
  }
}
