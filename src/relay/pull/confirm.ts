/*
 * Decides what an `offset` confirms.
 *
 * IDs may jump, even downward, so an offset has a meaning only within one run of rising IDs: the
 * run last shown to the consumer, as far as it reaches. Invariant: an offset one past an update
 * that was shown never confirms an update that was not. IDs within a run rise strictly, so the
 * updates below the offset are the beginning of the run.
 *
 * A client that lost the answer in which a lower run began asks again with the offset it had, which
 * may lie above IDs it never saw. So the same offset is not believed at once; but a client that
 * keeps the highest ID it ever saw cannot send another offset, and is believed in the end. The same
 * holds for a consumer that was moved: its client's offset belongs to the previous position.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ConsumerState } from '../../core/log/consumer-state.ts';
import type { ConsumerRepository, LogMark } from '../../store/apps/consumers.ts';
import type { UpdateLog } from '../log/update-log.ts';
import type { LogView } from '../apps/app-readers.ts';
import { wants } from '../../core/log/consumer-state.ts';

export interface ConsumerPosition {
  position: number;
  state: ConsumerState;
}

export interface ConfirmDeps {
  consumers: ConsumerRepository;
  updateLog: UpdateLog;
}

/** The consumer whose updates are confirmed. */
export interface Confirming {
  botId: number;
  view: LogView;
}

// The platform treats an offset further than this past its newest ID as a mistake.
const maxAhead = 10;
const repeatsNotBelieved = 3;
/** The tolerance between the clocks of two nodes. */
const clockSkewMs = 5_000;
const firstBatch = 100;
const laterBatch = 2_000;
const laterTexts = 100;

/** Confirms everything below `offset` (> 0) in the run. */
export async function confirmBelow(
  deps: ConfirmDeps,
  of: Confirming,
  at: ConsumerPosition,
  offset: number,
): Promise<ConsumerPosition> {
  const { shown, rewound } = at.state;
  if (rewound) return at;
  const next = await confirmedBy(deps, of, at, offset);
  const again = shown?.again ?? 0;
  const isRepeat = shown !== null && shown.position > at.position && shown.asked === offset;
  if (next.position === at.position || !isRepeat || again >= repeatsNotBelieved) return next;
  return { ...at, state: { ...at.state, shown: { ...shown, again: again + 1 } } };
}

/**
 * The filter may have shown, before it changed, what it hides at present, and an offset may then
 * refer to that. If that reading confirms nothing, hidden updates do not count: otherwise the
 * consumer would never move.
 */
async function confirmedBy(
  deps: ConfirmDeps,
  of: Confirming,
  at: ConsumerPosition,
  offset: number,
): Promise<ConsumerPosition> {
  const shownUntil = of.view.changedAt === 0 ? 0 : of.view.changedAt + clockSkewMs;
  const next = await resolve(deps, of, at, { offset, shownUntil });
  if (shownUntil === 0 || next.position > at.position) return next;
  return resolve(deps, of, at, { offset, shownUntil: 0 });
}

/** Updates received until `shownUntil` may have been shown although they are hidden at present. */
async function resolve(
  deps: ConfirmDeps,
  of: Confirming,
  at: ConsumerPosition,
  { offset, shownUntil }: { offset: number; shownUntil: number },
): Promise<ConsumerPosition> {
  const { shown } = at.state;
  // A shown update that is not confirmed yet begins its run.
  let newest = shown && shown.position <= at.position ? shown.updateId : undefined;
  let confirmed: LogMark | undefined;
  for await (const mark of forward(deps, of, at.position)) {
    if (!wants(at.state, of.view.kinds, mark)) continue;
    // Retention may have deleted the update that was shown.
    if (newest === undefined && shown && mark.position > shown.position) newest = shown.updateId;
    const waiting = of.view.sees.ready?.(mark);
    if (waiting) await waiting;
    if (!of.view.sees(mark)) {
      // A hidden update neither begins nor ends a run.
      const { claimedBy, receivedAt, updateId } = mark;
      if (claimedBy !== 0 || receivedAt > shownUntil || newest === undefined) continue;
      if (updateId <= newest || updateId >= offset) continue;
    }
    if (newest !== undefined && mark.updateId <= newest) break;
    if (mark.updateId >= offset) return below(at, confirmed);
    newest = mark.updateId;
    confirmed = mark;
    // This is the usual case: whatever follows in the run lies at or above the offset.
    if (newest === offset - 1) return below(at, confirmed);
  }
  if (newest === undefined || offset > newest + maxAhead) return at;
  return below(at, confirmed);
}

function below(at: ConsumerPosition, confirmed: LogMark | undefined): ConsumerPosition {
  if (!confirmed) return at;
  const { position, updateId } = confirmed;
  return { position, state: { ...at.state, shown: { position, updateId } } };
}

/** Confirms everything but the last `count` updates. */
export async function confirmAllBut(
  deps: ConfirmDeps,
  of: Confirming,
  at: ConsumerPosition,
  count: number,
): Promise<ConsumerPosition> {
  let seen = 0;
  let first: LogMark | undefined;
  for await (const mark of backward(deps, of, at.position)) {
    if (!wants(at.state, of.view.kinds, mark)) continue;
    const waiting = of.view.sees.ready?.(mark);
    if (waiting) await waiting;
    if (!of.view.sees(mark)) continue;
    if (first && seen === count) {
      const shown = { position: first.position, updateId: first.updateId };
      return { position: mark.position, state: { ...at.state, shown } };
    }
    seen++;
    first = mark;
  }
  return at;
}

async function* forward(
  deps: ConfirmDeps,
  { botId, view: { needsText } }: Confirming,
  after: number,
): AsyncGenerator<LogMark> {
  const size = needsText ? laterTexts : laterBatch;
  // An honest client confirms at most one answer, which is usually still in memory.
  let batch: readonly LogMark[] = await deps.updateLog.read(botId, after, firstBatch);
  for (;;) {
    yield* batch;
    const last = batch.at(-1);
    if (!last) return;
    // Lets others have a turn: the embedded database answers at once, and there may be many
    // batches.
    await nextTurn();
    batch = await deps.consumers.marks(botId, last.position, size, needsText);
  }
}

async function* backward(
  deps: ConfirmDeps,
  { botId, view: { needsText } }: Confirming,
  after: number,
): AsyncGenerator<LogMark> {
  let before = Number.MAX_SAFE_INTEGER;
  let size = firstBatch;
  for (;;) {
    const batch = await deps.consumers.marksBackward(botId, { after, before }, size, needsText);
    yield* batch;
    const last = batch.at(-1);
    if (!last) return;
    await nextTurn();
    before = last.position;
    size = needsText ? laterTexts : laterBatch;
  }
}
