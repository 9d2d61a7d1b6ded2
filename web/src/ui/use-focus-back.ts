import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** The delay is longer than the library takes to move the focus itself. */
const settledMs = 30;

/**
 * Returns the focus after a dialog, for keyboard users. The library
 * does so only for dialogs that stay mounted while they are closed.
 */
export function useFocusBack(isOpened: boolean): void {
  useLayoutEffect(() => {
    if (!isOpened) return undefined;
    const origin = originOf(document.activeElement);
    return () => {
      window.setTimeout(() => {
        // A dialog that is still closing holds the focus.
        if (hasFocus() && !document.activeElement?.closest('[role=dialog]')) return;
        // A deleted element cannot get the focus back; then it goes to the start of the page.
        const target = origin?.isConnected ? origin : document.getElementById('content');
        target?.focus({ preventScroll: true });
      }, settledMs);
    };
  }, [isOpened]);
}

/** Returns the focus to a button that a menu replaces while it is open. */
export function useFocusAfter(isOpened: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpened = useRef(false);
  useEffect(() => {
    if (!isOpened && wasOpened.current && !hasFocus()) {
      button.current?.focus({ preventScroll: true });
    }
    wasOpened.current = isOpened;
  }, [isOpened]);
  return button;
}

function hasFocus(): boolean {
  const at = document.activeElement;
  return at !== null && at !== document.body;
}

/** The focused element before a menu; the menu is gone once an item is chosen. */
let beforeMenu: HTMLElement | undefined;
let latest: HTMLElement | undefined;
document.addEventListener('focusin', ({ target }) => {
  if (!(target instanceof HTMLElement)) return;
  if (!isInMenu(target)) beforeMenu = undefined;
  else if (latest && !isInMenu(latest)) beforeMenu = latest;
  latest = target;
});

function isInMenu(element: Element): boolean {
  return element.closest('[role=menu]') !== null;
}

function originOf(at: Element | null): HTMLElement | undefined {
  if (at instanceof HTMLElement && at !== document.body && !isInMenu(at)) return at;
  return beforeMenu;
}
