const prefix = 'relay-draft:';

/** What was begun in a chat, kept in this tab; '' where there is nothing. */
export function draftOf(key: string): string {
  try {
    return sessionStorage.getItem(prefix + key) ?? '';
  } catch {
    return '';
  }
}

export function keepDraft(key: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(prefix + key);
    else sessionStorage.setItem(prefix + key, text);
  } catch {
    // Storage may be forbidden or full; then it lasts as long as the chat is open.
  }
}

/** Whoever leaves takes along what they wrote. */
export function forgetDrafts(): void {
  try {
    const keys = Object.keys(sessionStorage).filter((key) => key.startsWith(prefix));
    for (const key of keys) sessionStorage.removeItem(key);
  } catch {
    // Nothing was kept, then.
  }
}
