import { useLayoutEffect, useRef, useState } from 'react';
import type { VirtualizerHandle } from 'virtua';
import type { HistoryItem } from './history-items.ts';
import type { useHistory } from './use-history.ts';
import { useStickToEnd } from './use-stick-to-end.ts';

const nearEdge = 600;
const flashMs = 1_700;

/** Moves the view of a history: to its anchor, to new messages, to a message that is looked for. */
export function useHistoryView(
  props: {
    history: ReturnType<typeof useHistory>;
    anchor: number | undefined;
    sent: number;
    sending: string | undefined;
    onFar: (messageId: number | undefined) => void;
  },
  items: HistoryItem[],
) {
  const { anchor } = props;
  const { messages, query } = props.history;
  const list = useRef<VirtualizerHandle>(null);
  const [unseen, setUnseen] = useState(0);
  const [flash, setFlash] = useState('');
  const end = useStickToEnd({ list, begins: anchor === undefined, isShown: items.length > 0 });
  const { stick } = end;
  const newest = messages.at(-1)?.id;
  const seen = useRef(newest);
  const atAnchor = useRef(false);
  const sentBefore = useRef(props.sent);

  useLayoutEffect(() => {
    if (newest === seen.current && newest !== undefined && !stick.current) return;
    const before = seen.current;
    seen.current = newest;
    if (stick.current) {
      list.current?.scrollToIndex(items.length - 1, { align: 'end' });
      props.history.shorten();
    } else if (before !== undefined && newest !== before && !query.hasPreviousPage) {
      const since = messages.length - 1 - messages.findLastIndex(({ id }) => id === before);
      setUnseen((count) => count + since);
    }
  }, [newest, items.length, query.hasPreviousPage]);

  useLayoutEffect(() => {
    if (anchor === undefined || atAnchor.current || items.length === 0) return;
    atAnchor.current = true;
    show(items.findIndex((item) => item.key === `m${anchor}`));
  });

  useLayoutEffect(() => {
    if (props.sent === sentBefore.current) return;
    sentBefore.current = props.sent;
    toNewest();
  });

  useLayoutEffect(() => {
    if (props.sending === undefined) return;
    toNewest();
    const box = end.scroller.current;
    if (box) box.scrollTop = box.scrollHeight;
  }, [props.sending]);

  function show(index: number): void {
    const key = items[index]?.key;
    if (key === undefined) return;
    stick.current = false;
    requestAnimationFrame(() => {
      list.current?.scrollToIndex(index, { align: 'center' });
      setFlash(key);
      window.setTimeout(() => setFlash(''), flashMs);
    });
  }
  function onScroll(offset: number): void {
    const below = end.onScroll(offset, query.hasPreviousPage);
    if (stick.current && unseen > 0) setUnseen(0);
    if (query.isFetching) return;
    // Scrolling calls this often, so run one load at a time.
    const once = { cancelRefetch: false };
    if (offset < nearEdge && query.hasNextPage) void query.fetchNextPage(once);
    else if (below < nearEdge && query.hasPreviousPage) void query.fetchPreviousPage(once);
  }
  function toNewest(): void {
    setUnseen(0);
    if (query.hasPreviousPage) {
      props.onFar(undefined);
      return;
    }
    stick.current = true;
    list.current?.scrollToIndex(items.length - 1, { align: 'end' });
  }
  function jumpTo(messageId: number): void {
    const found = items.findIndex((item) => item.key === `m${messageId}`);
    if (found >= 0) show(found);
    else props.onFar(messageId);
  }

  return { list, end, unseen, flash, onScroll, toNewest, jumpTo };
}
