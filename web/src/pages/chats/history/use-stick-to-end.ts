import { type RefObject, useEffect, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';

const atEnd = 80;
/** For this long after a change of its width, the list moves without a gesture. */
const settlingMs = 1_000;
/** For this long after a wheel or touch gesture, the list may move because of it. */
const handMs = 1_000;
const hands = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

/**
 * Keeps the newest message visible until the user scrolls away. Sizes are measured late and change
 * with the window, so a distance from the end alone does not mean that the user scrolled.
 */
export function useStickToEnd(options: {
  list: RefObject<VirtualizerHandle | null>;
  /** True if the list starts at the end. */
  begins: boolean;
  /** True if the list can scroll. */
  isShown: boolean;
}) {
  const { isShown, list } = options;
  const scroller = useRef<HTMLDivElement>(null);
  const stick = useRef(options.begins);
  const last = useRef({ offset: 0, size: 0 });
  const resizedAt = useRef(-settlingMs);
  const movedAt = useRef(-handMs);

  useEffect(() => {
    const box = scroller.current;
    if (!box) return undefined;
    let width = box.clientWidth;
    const watch = new ResizeObserver(() => {
      if (box.clientWidth !== width) resizedAt.current = performance.now();
      width = box.clientWidth;
      if (stick.current) box.scrollTop = box.scrollHeight;
    });
    watch.observe(box);
    for (const child of box.children) watch.observe(child);
    const onHand = () => {
      movedAt.current = performance.now();
    };
    for (const hand of hands) box.addEventListener(hand, onHand, { passive: true });
    return () => {
      watch.disconnect();
      for (const hand of hands) box.removeEventListener(hand, onHand);
    };
  }, [isShown]);

  function isSettling(): boolean {
    const now = performance.now();
    return now - resizedAt.current < settlingMs && now - movedAt.current > handMs;
  }

  /** Handles a scroll and returns the height below the view. */
  function onScroll(offset: number, hasNewer: boolean): number {
    const handle = list.current;
    if (!handle) return 0;
    const { scrollSize, viewportSize } = handle;
    const below = scrollSize - viewportSize - offset;
    const wentUp = offset < last.current.offset && scrollSize >= last.current.size;
    last.current = { offset, size: scrollSize };
    if (below < atEnd) stick.current = !hasNewer;
    else if (stick.current && isSettling()) {
      if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
    } else if (wentUp) stick.current = false;
    return below;
  }
  return { scroller, stick, onScroll };
}
