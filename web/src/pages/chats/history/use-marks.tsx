import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useSyncExternalStore,
} from 'react';
import { gather } from '../../../api/client/gather.ts';
import { onLiveEvent, onLiveOpen } from '../../../api/client/live.ts';
import {
  type Mark,
  markKey,
  marksOf,
  marksPerRequest,
  type MessageKey,
} from '../../../api/timeline.ts';

const gatherMs = 250;
/** What a backend or an app does makes no event, so unfinished marks are read again. */
const waitingMs = 4_000;

interface Marks {
  /** Called while a message is shown. */
  show(key: string, onChange: () => void): () => void;
  get(key: string): Mark | undefined;
}

const MarksContext = createContext<Marks | undefined>(undefined);

/** Reads the marks of the messages that are shown, all in one request; `botId` if all are of one bot. */
export function MarksProvider(props: { botId?: number; enabled: boolean; children: ReactNode }) {
  const { botId, enabled } = props;
  const store = useMemo(() => createMarks(botId), [botId]);
  useEffect(() => (enabled ? store.start() : undefined), [store, enabled]);
  return (
    <MarksContext.Provider value={enabled ? store : undefined}>
      {props.children}
    </MarksContext.Provider>
  );
}

/** Undefined while it is not known. */
export function useMark(message: MessageKey): Mark | undefined {
  const marks = useContext(MarksContext);
  const key = markKey(message);
  const subscribe = useCallback(
    (onChange: () => void) => marks?.show(key, onChange) ?? (() => undefined),
    [marks, key],
  );
  return useSyncExternalStore(subscribe, () => marks?.get(key));
}

function createMarks(botId?: number): Marks & { start(): () => void } {
  const marks = new Map<string, Mark>();
  const shown = new Map<string, () => void>();
  let reads: ReturnType<typeof gather> | undefined;
  let isStale = true;

  const isShown = (bot = 0, chat = 0) =>
    [...shown.keys()].some((key) => key.startsWith(`${bot}:${chat}:`));

  async function read(): Promise<void> {
    const known = isStale ? undefined : marks;
    isStale = false;
    const keys = [...shown.keys()].filter((key) => {
      const mark = known?.get(key);
      return mark === undefined || mark === 'waiting';
    });
    if (keys.length === 0) return;
    for (const { mark, ...message } of await marksOf(keys.slice(-marksPerRequest))) {
      const key = markKey(message);
      if (marks.get(key) === mark) continue;
      marks.set(key, mark);
      shown.get(key)?.();
    }
  }

  return {
    get: (key) => marks.get(key),
    show(key, onChange) {
      shown.set(key, onChange);
      if (!marks.has(key)) reads?.ask();
      return () => {
        if (shown.get(key) === onChange) shown.delete(key);
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
        // Among messages of many bots, those that are unfinished are read again anyway.
        onLiveEvent(({ type, data }) => {
          const isHere =
            type === 'message'
              ? isShown(data.bot_id, data.chat_id)
              : botId !== undefined && data.bot_id === botId;
          if (isHere) all();
        }),
        onLiveOpen(all),
      ];
      const timer = setInterval(() => {
        const isUnfinished = [...shown.keys()].some((key) => marks.get(key) === 'waiting');
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
