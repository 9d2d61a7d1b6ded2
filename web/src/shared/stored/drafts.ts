const prefix = 'relay-draft:';

/** Unsent texts per chat, stored in this tab; '' for none. */
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
    // Storage may be disabled or full; the draft then lasts as long as the chat is open.
  }
}

/** Removes all drafts at sign-out. */
export function forgetDrafts(): void {
  try {
    const keys = Object.keys(sessionStorage).filter((key) => key.startsWith(prefix));
    for (const key of keys) sessionStorage.removeItem(key);
  } catch {
    // Without storage nothing was stored.
  }
}
