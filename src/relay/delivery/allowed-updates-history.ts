import { isDefaultKind } from '../../core/log/update-kinds.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { AllowedUpdatesEntry } from '../../store/delivery/allowed-updates.ts';

/** Whether an update is for the backend. */
export type Wants = (update: LogEntry) => boolean;

/**
 * Of a backend that asked for certain kinds; those already queued when it asked keep what held. The
 * filter of its app names others.
 */
export function wantsOf(
  history: readonly AllowedUpdatesEntry[],
  named: readonly string[],
): (update: Pick<LogEntry, 'position' | 'kind'>) => boolean {
  const newestFirst = history
    .map(({ after, kinds }) => ({ after, kinds: kinds && new Set(kinds) }))
    .reverse();
  return ({ position, kind }) => {
    for (const { after, kinds } of newestFirst) {
      if (position > after) return kinds ? kinds.has(kind) : isDefaultKind(kind, named);
    }
    return true;
  };
}

/** What a backend wants of that which is queued now. */
export function wantsNow(
  history: readonly AllowedUpdatesEntry[],
  named: readonly string[],
): (kind: string) => boolean {
  const wants = wantsOf(history.slice(-1), named);
  return (kind) => wants({ position: Number.POSITIVE_INFINITY, kind });
}
