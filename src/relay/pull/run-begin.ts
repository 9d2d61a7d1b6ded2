/*
 * Finds the beginning of a run of IDs that the client's offset does not refer to: after a downward
 * jump, or after the consumer was moved. The offset that the client had sent is remembered, so that
 * the same offset, if it comes again, is not taken as a confirmation.
 */
import type { Shown } from '../../core/log/consumer-state.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { ConsumerPosition } from './confirm.ts';

/**
 * Returns what must be remembered before these updates are shown; undefined if they continue a
 * known run.
 */
export function beginOfRun(
  at: ConsumerPosition,
  entries: readonly LogEntry[],
  asked: number,
): Shown | undefined {
  const [first] = entries;
  const { shown, rewound } = at.state;
  if (!first) return undefined;
  const { position, updateId } = first;
  if (!rewound) {
    const goesOn = !shown || shown.position > at.position || updateId > shown.updateId;
    return goesOn ? undefined : { position, updateId, asked };
  }
  // If the client has seen this ID before and it comes alone, the client sends the same offset
  // whether it sees the update or not. So it is not shown again and again.
  const isSeen = entries.length === 1 && updateId === asked - 1;
  return { position, updateId, ...(isSeen ? {} : { asked }) };
}

/**
 * At the beginning of a run, a client that has confirmed exactly this offset looks like one that
 * lost the answer. So an answer never ends there, and the updates left out come with the next
 * answer.
 */
export function withoutAmbiguousEnd(
  at: ConsumerPosition,
  entries: LogEntry[],
  asked: number,
  begins: Shown | undefined,
): LogEntry[] {
  const { shown } = at.state;
  const first = begins ?? (shown && shown.position > at.position ? shown : undefined);
  if (entries.length < 2 || first?.asked !== asked) return entries;
  return entries.at(-1)?.updateId === asked - 1 ? entries.slice(0, -1) : entries;
}
