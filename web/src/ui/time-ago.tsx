import { useSyncExternalStore } from 'react';
import { useFormat } from '../i18n/use-format.ts';
import { useT } from '../i18n/use-t.tsx';

const listeners = new Set<() => void>();
let now = Date.now();
window.setInterval(() => {
  now = Date.now();
  for (const listener of listeners) listener();
}, 10_000);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The time of the page, moving every ten seconds for everyone at once. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** "3 minutes ago", with the exact moment on hover; '' and 0 are never. */
export function TimeAgo(props: { at: number | string }) {
  const format = useFormat();
  const { common } = useT();
  const current = useNow();
  if (props.at === '' || props.at === 0) return <span>{common.never}</span>;
  const at = new Date(props.at);
  return (
    <time dateTime={at.toISOString()} title={format.dateTime(props.at)}>
      {format.ago(props.at, Math.max(current, Math.min(at.getTime(), current + 10_000)))}
    </time>
  );
}
