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
const lookEveryMs = 4_000;
/** A failed message is delivered only if somebody retries it, so it is read at every fifth look. */
const looksPerFailed = 5;

type Marked = ReadonlySet<Mark>;
const every: Marked = new Set<Mark>(['failed', 'waiting', 'delivered', 'nobody', 'none']);
const waiting: Marked = new Set<Mark>(['waiting']);
const unfinished: Marked = new Set<Mark>(['waiting', 'failed']);

interface Marks {
  /** Called while a message is shown. */
  show(key: string, onChange: () => void): () => void;
  get(key: string): Mark | undefined;
}

const MarksContext = createContext<Marks | undefined>(undefined);

/** Reads the marks of the messages that are shown together; `botId` if all are of one bot. */
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
  /** Messages with these marks are read again. */
  let stale = new Set<Mark>();

  const isShown = (bot = 0, chat?: number) =>
    [...shown.keys()].some((key) =>
      key.startsWith(chat === undefined ? `${bot}:` : `${bot}:${chat}:`),
    );
  const keysWith = (wanted: Marked) =>
    [...shown.keys()].filter((key) => wanted.has(marks.get(key) as Mark));

  async function read(): Promise<void> {
    const keys = [...shown.keys()].filter((key) => !marks.has(key)).concat(keysWith(stale));
    stale = new Set();
    for (let at = 0; at < keys.length; at += marksPerRequest) {
      for (const { mark, ...message } of await marksOf(keys.slice(at, at + marksPerRequest))) {
        const key = markKey(message);
        if (marks.get(key) === mark) continue;
        marks.set(key, mark);
        shown.get(key)?.();
      }
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
      const readAgain = (wanted: Marked) => {
        for (const mark of wanted) stale.add(mark);
        started.ask();
      };
      const all = () => readAgain(every);
      const stops = [
        onLiveEvent(({ type, data }) => {
          const ofMessage = type === 'message';
          if (type === 'chat.writing') return;
          if (!isShown(data.bot_id, ofMessage ? data.chat_id : undefined)) return;
          // Among messages of many bots, another event concerns few.
          readAgain(ofMessage || botId !== undefined ? every : unfinished);
        }),
        onLiveOpen(all),
      ];
      let looks = 0;
      const timer = setInterval(() => {
        if (document.visibilityState !== 'visible') return;
        looks += 1;
        const wanted = looks % looksPerFailed === 0 ? unfinished : waiting;
        if (keysWith(wanted).length > 0) readAgain(wanted);
      }, lookEveryMs);
      all();
      return () => {
        clearInterval(timer);
        for (const stop of stops) stop();
        started.stop();
      };
    },
  };
}
