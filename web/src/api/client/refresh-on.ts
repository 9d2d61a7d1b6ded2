import type { EventType } from '../../../../src/core/ports.ts';

type Happening = Exclude<EventType, 'message'> | 'sent' | 'received';

interface Refresh extends Record<string, unknown> {
  refreshOn?: readonly Happening[];
  /** Only what happens to this bot. */
  botId?: number;
}

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: Refresh;
  }
}

/** The `meta` of a query that is read again when something happens, to any bot or to this one. */
export function refreshOn(happenings: readonly Happening[], botId?: number): Refresh {
  return { refreshOn: happenings, ...(botId === undefined ? {} : { botId }) };
}

/** Gathers live events, and tells which queries they touch. */
export function createTouched() {
  const touched = new Set<string>();
  return {
    add({ type, data }: { type: EventType; data: { bot_id: number; kind?: string } }): void {
      const messageKind = data.kind === 'sent' ? 'sent' : 'received';
      const happening = type === 'message' ? messageKind : type;
      touched.add(happening).add(`${happening} ${data.bot_id}`);
    },
    /** What was gathered so far, as a filter of queries; gathering begins anew. */
    take(): (query: { meta: Refresh | undefined }) => boolean {
      const taken = new Set(touched);
      touched.clear();
      return ({ meta }) =>
        (meta?.refreshOn ?? []).some((happening) =>
          taken.has(meta?.botId === undefined ? happening : `${happening} ${meta.botId}`),
        );
    },
  };
}
