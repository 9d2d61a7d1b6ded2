const rowsOf = '[data-rows] > li';
/** The acts on a row, by the position of their keys; a button names its act in `data-act`. */
const acts: Record<string, string> = { KeyR: 'r', KeyA: 'a', KeyE: 'e' };

/** Moves through the rows of a page, and acts on the focused one; true if the key did something. */
export function pressRowKey(code: string): boolean {
  // The list of chats has keys of its own.
  if (document.querySelector('[data-chat-list]')) return false;
  const rows = [...document.querySelectorAll<HTMLElement>(`main ${rowsOf}`)];
  const focused = document.activeElement?.closest<HTMLElement>(rowsOf);
  const at = focused ? rows.indexOf(focused) : -1;
  if (code === 'KeyJ') return focusRow(rows[Math.min(at + 1, rows.length - 1)]);
  if (code === 'KeyK') return focusRow(rows[Math.max(at - 1, 0)]);
  const act = focused?.querySelector<HTMLElement>(`[data-act=${acts[code] ?? 'none'}]`);
  act?.click();
  return act !== undefined && act !== null;
}

/** Enter then opens what has the focus. */
function focusRow(row: HTMLElement | undefined): boolean {
  const opener = row?.querySelector<HTMLElement>('a[href], button:not([disabled])');
  opener?.focus();
  opener?.scrollIntoView({ block: 'nearest' });
  return opener !== null && opener !== undefined;
}
