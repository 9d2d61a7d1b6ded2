import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { noteRow, pressRowKey } from './row-keys.ts';
import { useNavItems } from './nav-items.ts';

const chordMs = 1_200;

/** Shortcuts that work everywhere, except while typing. */
export function useShortcuts(actions: {
  palette: () => void;
  help: () => void;
  theme: () => void;
}): void {
  const navigate = useNavigate();
  const known = { ...actions, pages: useNavItems() };
  const latest = useRef(known);
  latest.current = known;
  useEffect(() => {
    let goUntil = 0;
    function onKey(event: KeyboardEvent): void {
      if ((event.ctrlKey || event.metaKey) && event.code === 'KeyK') {
        event.preventDefault();
        latest.current.palette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === '?') latest.current.help();
      else if (event.key === '/') focusSearch(event);
      else if (event.timeStamp < goUntil) go(event);
      else if (event.code === 'KeyG') goUntil = event.timeStamp + chordMs;
      else if (event.code === 'KeyD' && event.shiftKey) latest.current.theme();
      else if (!event.shiftKey && !isInDialog(event.target)) pressRowKey(event);
    }
    // Uses the position of the key, so that shortcuts work on a Cyrillic keyboard too.
    function go(event: KeyboardEvent): void {
      goUntil = 0;
      const item = latest.current.pages.find(
        (one) => event.code === `Key${one.letter.toUpperCase()}`,
      );
      if (item) void navigate({ to: item.path });
    }
    window.addEventListener('keydown', onKey);
    window.addEventListener('focusin', noteRow);
    return () => {
      window.removeEventListener('keydown', onKey);
      window.removeEventListener('focusin', noteRow);
    };
  }, [navigate]);
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  if (!field) return;
  event.preventDefault();
  field.focus();
}

/** Rows behind a dialog or a menu are out of reach. */
function isInDialog(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[role=dialog], [role=menu]') !== null;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
