const rowsOf = '[data-rows] > li';
/** The acts on a row, by the position of their keys; a button names its act in `data-act`. */
const acts: Record<string, string> = { KeyR: 'r', KeyA: 'a', KeyE: 'e' };

/** The row that had the focus last, and the address of its page. */
let left = { at: 0, address: '' };

const allRows = () => [...document.querySelectorAll<HTMLElement>(`main ${rowsOf}`)];

/** Remembers the row that gets the focus. */
export function noteRow({ target }: FocusEvent): void {
  const row = target instanceof Element ? target.closest<HTMLElement>(rowsOf) : null;
  if (row) left = { at: allRows().indexOf(row), address: location.href };
}

/** Once a row is gone, such as a replayed one, the next row is in its place. */
function placeLeft(): number {
  const isLost = document.activeElement === document.body && left.address === location.href;
  return isLost ? left.at : 0;
}

/** Moves through the rows of a page, and acts on the focused one. */
export function pressRowKey({ code, repeat }: KeyboardEvent): void {
  // The list of chats has keys of its own.
  if (document.querySelector('[data-chat-list]')) return;
  const rows = allRows();
  const focused = document.activeElement?.closest<HTMLElement>(rowsOf);
  const at = focused ? rows.indexOf(focused) : placeLeft();
  const next = focused ? at + 1 : at;
  if (code === 'KeyJ') focusRow(rows[Math.min(next, rows.length - 1)]);
  else if (code === 'KeyK') focusRow(rows[Math.max(at - 1, 0)]);
  // A key that is held acts once.
  else if (focused && !repeat) actOn(focused, acts[code] ?? 'none');
}

function actOn(row: HTMLElement, name: string): void {
  const act = row.querySelector<HTMLElement>(`[data-act=${name}]`);
  if (!act) return;
  const { bottom, top } = row.getBoundingClientRect();
  // After scrolling, people look at other rows, so the key shows this one first.
  if (bottom <= 0 || top >= innerHeight) row.scrollIntoView({ block: 'nearest' });
  else act.click();
}

/** Enter then opens what has the focus. */
function focusRow(row: HTMLElement | undefined): void {
  if (!row) return;
  const opener =
    row.querySelector<HTMLElement>('[data-open]') ??
    row.querySelector<HTMLElement>('a[href], button:not([disabled])');
  // A row without anything to press takes the focus itself.
  if (!opener) row.tabIndex = -1;
  const target = opener ?? row;
  target.focus();
  target.scrollIntoView({ block: 'nearest' });
}
