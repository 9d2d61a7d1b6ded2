import type { EventType } from '../../../../src/core/ports.ts';

type Happening = Exclude<EventType, 'message'> | 'sent' | 'received';

interface Refresh extends Record<string, unknown> {
  refreshOn?: readonly Happening[];
  /** If set, only events of this bot count. */
  botId?: number;
  /** Returns how long after a read no event causes another one: long reads are made less often. */
  restMs?: (data: unknown) => number;
}

/** The part of a query that says whether it is to be read again. */
interface Readable {
  meta: Refresh | undefined;
  state: { data: unknown; dataUpdatedAt: number };
}

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: Refresh;
  }
}

/** Returns the `meta` of a query that is refetched after these events, of any bot or of this one. */
export function refreshOn(happenings: readonly Happening[], botId?: number): Refresh {
  return { refreshOn: happenings, ...(botId === undefined ? {} : { botId }) };
}

/** Collects live events and returns the queries they concern. */
export function createTouched() {
  const touched = new Set<string>();
  return {
    add({ type, data }: { type: EventType; data: { bot_id: number; kind?: string } }): void {
      const messageKind = data.kind === 'sent' ? 'sent' : 'received';
      const happening = type === 'message' ? messageKind : type;
      touched.add(happening).add(`${happening} ${data.bot_id}`);
    },
    /** Returns the collected events as a filter of queries and starts a new collection. */
    take(now = Date.now()): (query: Readable) => boolean {
      const taken = new Set(touched);
      touched.clear();
      return ({ meta, state }) =>
        now - state.dataUpdatedAt >= (meta?.restMs?.(state.data) ?? 0) &&
        (meta?.refreshOn ?? []).some((happening) =>
          taken.has(meta?.botId === undefined ? happening : `${happening} ${meta.botId}`),
        );
    },
  };
}
