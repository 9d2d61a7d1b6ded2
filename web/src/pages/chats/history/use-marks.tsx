import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useSyncExternalStore,
} from 'react';
import type { ChatKey } from '../../../api/chats.ts';
import { gather } from '../../../api/client/gather.ts';
import { onLiveEvent, onLiveOpen } from '../../../api/client/live.ts';
import { type Mark, marksOf, marksPerRequest } from '../../../api/timeline.ts';

const gatherMs = 250;
/** What a backend or an app does makes no event, so unfinished marks are read again. */
const waitingMs = 4_000;

interface Marks {
  /** Called while a message is shown. */
  show(id: number, onChange: () => void): () => void;
  get(id: number): Mark | undefined;
}

const MarksContext = createContext<Marks | undefined>(undefined);

/** Reads the marks of the messages that are shown in a chat, all in one request. */
export function MarksProvider(props: { chatKey: ChatKey; enabled: boolean; children: ReactNode }) {
  const { bot_id, chat_id } = props.chatKey;
  const store = useMemo(() => createMarks({ bot_id, chat_id }), [bot_id, chat_id]);
  const { enabled } = props;
  useEffect(() => (enabled ? store.start() : undefined), [store, enabled]);
  return (
    <MarksContext.Provider value={enabled ? store : undefined}>
      {props.children}
    </MarksContext.Provider>
  );
}

/** Undefined while it is not known. */
export function useMark(id: number): Mark | undefined {
  const marks = useContext(MarksContext);
  const subscribe = useCallback(
    (onChange: () => void) => marks?.show(id, onChange) ?? (() => undefined),
    [marks, id],
  );
  return useSyncExternalStore(subscribe, () => marks?.get(id));
}

function createMarks(chatKey: ChatKey): Marks & { start(): () => void } {
  const marks = new Map<number, Mark>();
  const shown = new Map<number, () => void>();
  let reads: ReturnType<typeof gather> | undefined;
  let isStale = true;

  async function read(): Promise<void> {
    const known = isStale ? undefined : marks;
    isStale = false;
    const ids = [...shown.keys()].filter((id) => {
      const mark = known?.get(id);
      return mark === undefined || mark === 'waiting';
    });
    if (ids.length === 0) return;
    for (const { id, mark } of await marksOf(chatKey, ids.slice(-marksPerRequest))) {
      if (marks.get(id) === mark) continue;
      marks.set(id, mark);
      shown.get(id)?.();
    }
  }

  return {
    get: (id) => marks.get(id),
    show(id, onChange) {
      shown.set(id, onChange);
      if (!marks.has(id)) reads?.ask();
      return () => {
        if (shown.get(id) === onChange) shown.delete(id);
      };
    },
    start() {
      const started = gather(read, gatherMs);
      reads = started;
      const all = () => {
        isStale = true;
        started.ask();
      };
      const stops = [
        onLiveEvent(({ type, data }) => {
          const isHere = type !== 'message' || data.chat_id === chatKey.chat_id;
          if (data.bot_id === chatKey.bot_id && isHere) all();
        }),
        onLiveOpen(all),
      ];
      const timer = setInterval(() => {
        const isUnfinished = [...shown.keys()].some((id) => marks.get(id) === 'waiting');
        if (isUnfinished && document.visibilityState === 'visible') started.ask();
      }, waitingMs);
      all();
      return () => {
        clearInterval(timer);
        for (const stop of stops) stop();
        started.stop();
      };
    },
  };
}
