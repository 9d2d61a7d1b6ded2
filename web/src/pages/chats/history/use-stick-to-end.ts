import { type RefObject, useEffect, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';

const atEnd = 80;
/** For so long after its width changed, what moves the list is the list itself. */
const settlingMs = 1_000;
/** A wheel or a finger goes on moving it for about as long. */
const handMs = 1_000;
const hands = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

/**
 * Keeps the newest in sight as long as nobody scrolled away from it. Sizes are measured late and
 * change with the window, so being off the end alone does not tell that somebody left it.
 */
export function useStickToEnd(options: {
  list: RefObject<VirtualizerHandle | null>;
  /** Whether it begins at the end. */
  begins: boolean;
  /** Whether there is something to scroll. */
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

  /** Tells how much is below. */
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
