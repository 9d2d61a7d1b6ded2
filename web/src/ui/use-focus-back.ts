import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** Longer than the library takes to put the focus somewhere itself. */
const settledMs = 30;

/**
 * Puts the focus back where it was before a dialog, for those who do not use a mouse. The library
 * does so only for dialogs that stay mounted while they are closed.
 */
export function useFocusBack(isOpened: boolean): void {
  useLayoutEffect(() => {
    if (!isOpened) return undefined;
    const origin = originOf(document.activeElement);
    return () => {
      window.setTimeout(() => {
        // A dialog that is still going away holds on to it.
        if (hasFocus() && !document.activeElement?.closest('[role=dialog]')) return;
        // What was deleted cannot be gone back to; then reading goes on at the page's beginning.
        const target = origin?.isConnected ? origin : document.getElementById('content');
        target?.focus({ preventScroll: true });
      }, settledMs);
    };
  }, [isOpened]);
}

/** For a button that gives way to a menu while that is open: the focus comes back to it. */
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

/** Where the focus was before it went into a menu; a menu is gone once something is chosen in it. */
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
