import { type FocusEvent, type KeyboardEvent, useLayoutEffect, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';

/**
 * Moves the focus with arrow keys, Home and End through a list that draws only the visible rows.
 * The focused row stays drawn, and if it disappears, its neighbour gets the focus.
 */
export function useListKeys(options: {
  keys: string[];
  list: { current: VirtualizerHandle | null };
  /** The key of the focused row; '' for none. */
  focused: string;
  setFocused: (key: string) => void;
}) {
  const { focused, keys, list, setFocused } = options;
  const box = useRef<HTMLDivElement>(null);
  const at = keys.indexOf(focused);
  const lastAt = useRef(0);

  useLayoutEffect(() => {
    if (focused === '') return;
    if (at < 0) {
      setFocused(keys[Math.min(lastAt.current, keys.length - 1)] ?? '');
      return;
    }
    lastAt.current = at;
    const row = box.current?.querySelector<HTMLElement>(`[data-row="${focused}"]`);
    if (row && row !== document.activeElement) row.focus({ preventScroll: true });
  }, [at, focused, keys, setFocused]);

  function moveTo(next: number): void {
    list.current?.scrollToIndex(next, { align: 'nearest' });
    setFocused(keys[next] ?? '');
  }

  return {
    box,
    /** Focuses the next or previous row, or the first one. */
    step(by: 1 | -1): void {
      if (keys.length > 0) moveTo(at < 0 ? 0 : Math.min(Math.max(0, at + by), keys.length - 1));
    },
    /** The rows to draw even if they are not visible. */
    keepMounted: at < 0 ? [] : [at],
    handlers: {
      onFocus: ({ target }: FocusEvent<HTMLElement>) => setFocused(target.dataset['row'] ?? ''),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
        if (!currentTarget.contains(relatedTarget)) setFocused('');
      },
      onKeyDown: (event: KeyboardEvent) => {
        const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
        const next = isPlain && at >= 0 ? nextOf(event.key, at, keys.length) : undefined;
        if (next === undefined) return;
        event.preventDefault();
        moveTo(next);
      },
    },
  };
}

function nextOf(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowUp':
      return Math.max(0, at - 1);
    case 'ArrowDown':
      return Math.min(count - 1, at + 1);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
