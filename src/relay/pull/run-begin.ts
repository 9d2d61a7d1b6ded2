/*
 * Where a run of ids begins that the client's offset says nothing about: after a downward jump, and
 * after the consumer was set to another position. What the client had asked with is remembered, so
 * that the same offset, should it come again, is not taken for a confirmation.
 */
import type { Shown } from '../../store/log/consumer-state.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { ConsumerPosition } from './confirm.ts';

/** What is to be remembered before these are shown; undefined when they go on with a known run. */
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
  // Alone, an id that the client has seen before has it ask the same whether it sees it now or not:
  // it is not shown again and again for that.
  const isSeen = entries.length === 1 && updateId === asked - 1;
  return { position, updateId, ...(isSeen ? {} : { asked }) };
}

/**
 * Where a run begins, whoever has seen up to the offset asked with would ask as one who lost the
 * answer: so an answer does not end there, and what is left out comes with the next.
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
