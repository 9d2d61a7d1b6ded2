import { type RefObject, useEffect, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';

const atEnd = 80;

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

  useEffect(() => {
    const box = scroller.current;
    if (!box) return undefined;
    const watch = new ResizeObserver(() => {
      if (stick.current) box.scrollTop = box.scrollHeight;
    });
    watch.observe(box);
    for (const child of box.children) watch.observe(child);
    return () => watch.disconnect();
  }, [isShown]);

  /** Tells how much is below. */
  function onScroll(offset: number, hasNewer: boolean): number {
    const handle = list.current;
    if (!handle) return 0;
    const { scrollSize, viewportSize } = handle;
    const below = scrollSize - viewportSize - offset;
    const wentUp = offset < last.current.offset && scrollSize >= last.current.size;
    last.current = { offset, size: scrollSize };
    if (below < atEnd) stick.current = !hasNewer;
    else if (wentUp) stick.current = false;
    return below;
  }
  return { scroller, stick, onScroll };
}
