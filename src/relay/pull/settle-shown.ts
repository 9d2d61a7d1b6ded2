import type { LogEntry } from '../../store/log/log-entry.ts';
import type { PollRequest } from './apply-request.ts';
import type { Collected } from './collect.ts';
import type { ConsumerPosition } from './confirm.ts';
import { type ConsumerCursors, isSameCursor } from './consumer-cursors.ts';
import { beginOfRun, withoutAmbiguousEnd } from './run-begin.ts';

// Updates that the consumer does not get are skipped with its next confirmation, and before that
// only if the stretch is worth a commit.
const worthwhileSkip = 100;

/**
 * Remembers that a new run of IDs begins, before its updates are shown, and skips unwanted updates.
 * A look at the last updates that must drop nothing counts as a rewind: the offset that the client
 * sends next would confirm everything before them.
 */
export async function settleShown(
  cursors: Pick<ConsumerCursors, 'change'>,
  { botId, consumer, offset, appId, keepsPending }: PollRequest,
  at: ConsumerPosition,
  { entries, clearTo }: Collected,
): Promise<LogEntry[]> {
  if (offset < 0 && keepsPending) {
    const rewind = async (now: ConsumerPosition) =>
      now.state.rewound ? now : { ...now, state: { ...now.state, rewound: true as const } };
    if (entries.length > 0) await cursors.change(botId, consumer, rewind, appId);
    return entries;
  }
  const begins = beginOfRun(at, entries, offset);
  const shown = withoutAmbiguousEnd(at, entries, offset, begins);
  const skipped = clearTo - at.position;
  const isWorthwhile = entries.length > 0 ? skipped >= worthwhileSkip : skipped > 0;
  if (!begins && !isWorthwhile) return shown;
  const move = async (now: ConsumerPosition) => {
    // Another poll of the same consumer, or a person, moved it: that move wins.
    if (!isSameCursor(now, at)) return now;
    const { rewound: _, ...state } = now.state;
    return {
      position: Math.max(now.position, clearTo),
      state: begins ? { ...state, shown: begins } : now.state,
    };
  };
  await cursors.change(botId, consumer, move, appId);
  return shown;
}
