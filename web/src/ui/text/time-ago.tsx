import { useSyncExternalStore } from 'react';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';

const listeners = new Set<() => void>();
window.setInterval(() => {
  for (const listener of listeners) listener();
}, 1_000);

/** The service's clock may be ahead of the browser's by this much. */
const clockSkewMs = 10_000;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The current time, rounded down to the step; the component renders once per step. */
export function useNow(stepMs = 1_000): number {
  return useSyncExternalStore(subscribe, () => Math.floor(Date.now() / stepMs) * stepMs);
}

/**
 * "3 minutes ago", with the exact time on hover; '' and 0 are never. Renders only when the text
 * changes. Set `ahead` to count down to a time in the future.
 */
export function TimeAgo(props: { at: number | string; ahead?: boolean }) {
  const format = useFormat();
  const { common } = useT();
  const isNever = props.at === '' || props.at === 0;
  const words = useSyncExternalStore(subscribe, () => {
    if (isNever) return common.never;
    const now = Date.now();
    const aheadMs = new Date(props.at).getTime() - now;
    const isSkewed = !props.ahead && aheadMs > 0 && aheadMs < clockSkewMs;
    return format.ago(props.at, isSkewed ? now + aheadMs : now);
  });
  if (isNever) return <span>{words}</span>;
  return (
    <time dateTime={new Date(props.at).toISOString()} title={format.dateTime(props.at)}>
      {words}
    </time>
  );
}
