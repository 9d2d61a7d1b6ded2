const prefix = 'relay-draft:';

/** What was begun in a chat, kept in this tab; '' where there is nothing. */
export function draftOf(place: string): string {
  try {
    return sessionStorage.getItem(prefix + place) ?? '';
  } catch {
    return '';
  }
}

export function keepDraft(place: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(prefix + place);
    else sessionStorage.setItem(prefix + place, text);
  } catch {
    // Storage may be forbidden or full; then it lasts as long as the chat is open.
  }
}

/** Whoever leaves takes along what they wrote. */
export function forgetDrafts(): void {
  try {
    const places = Object.keys(sessionStorage).filter((key) => key.startsWith(prefix));
    for (const place of places) sessionStorage.removeItem(place);
  } catch {
    // Nothing was kept, then.
  }
}
