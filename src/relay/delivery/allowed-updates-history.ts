import { isDefaultKind } from '../../core/log/update-kinds.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { AllowedUpdatesEntry } from '../../core/log/consumer-state.ts';

/** Tells whether the backend wants an update. */
export type Wants = (update: LogEntry) => boolean;

/**
 * Says what a backend wants that asked for certain kinds. Updates queued before it asked follow the
 * choice of that time. `named` are the kinds that the filter of its app names.
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

/** Says what a backend wants of the updates that are queued at present. */
export function wantsNow(
  history: readonly AllowedUpdatesEntry[],
  named: readonly string[],
): (kind: string) => boolean {
  const wants = wantsOf(history.slice(-1), named);
  return (kind) => wants({ position: Number.POSITIVE_INFINITY, kind });
}
