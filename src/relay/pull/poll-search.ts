import { wants } from '../../core/log/consumer-state.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { LogView } from '../apps/app-readers.ts';
import type { UpdateLog } from '../log/update-log.ts';
import type { PollRequest } from './apply-request.ts';
import { type Collected, collect } from './collect.ts';
import type { ConsumerPosition } from './confirm.ts';
import { type ConsumerCursors, isSameCursor, removed } from './consumer-cursors.ts';

interface PollSearchDeps {
  updateLog: UpdateLog;
  cursors: Pick<ConsumerCursors, 'find'>;
  /** The count grows when any consumer was moved by hand. */
  moves: { readonly count: number };
}

interface Searched {
  request: PollRequest;
  view: LogView;
  /** Where the answer begins. */
  at: ConsumerPosition;
  /** The count of moves before `at` was read. */
  seenMoves: number;
}

/**
 * Searches the log for what answers one poll. It listens from the beginning, so that no append falls
 * between two looks.
 */
export class PollSearch {
  /** Up to this position there is nothing for the consumer. */
  clearTo: number;
  readonly #deps: PollSearchDeps;
  readonly #searched: Searched;
  readonly #limit: number;
  readonly #stopListening: () => void;
  #seenMoves: number;
  /** The last position known to be in the log; undefined if the log may go further. */
  #end: number | undefined;
  #hasGrown = false;
  #wake = () => {
    this.#hasGrown = true;
  };

  constructor(deps: PollSearchDeps, searched: Searched) {
    const { request, at, seenMoves } = searched;
    this.#deps = deps;
    this.#searched = searched;
    this.#limit = Math.min(Math.max(request.limit, 1), 100);
    this.#seenMoves = seenMoves;
    this.clearTo = at.position;
    this.#stopListening = deps.updateLog.onAppend(request.botId, (lastPosition) => {
      this.#end = lastPosition > 0 ? Math.max(this.#end ?? 0, lastPosition) : undefined;
      if (!this.#skips(lastPosition)) this.#wake();
    });
  }

  /** Returns undefined if the poll may wait. */
  async look(): Promise<Collected | undefined> {
    const { at, request, view } = this.#searched;
    // The client polls again and gets its answer from the consumer's new position.
    if (await this.#wasMoved()) return { entries: [], clearTo: at.position };
    const end = this.#end === undefined ? {} : { end: this.#end };
    const from = { after: this.clearTo, state: at.state, view, ...end };
    const found = await collect(this.#deps.updateLog, request.botId, from, this.#limit);
    this.clearTo = found.clearTo;
    return found.entries.length > 0 ? found : undefined;
  }

  /** Calls `wake` when another look may find something. */
  onWake(wake: () => void): void {
    this.#wake = wake;
    if (this.#hasGrown || this.#seenMoves !== this.#deps.moves.count) wake();
  }

  end(): void {
    this.#stopListening();
  }

  /** Returns true if the poll has nothing left to wait for. */
  async #wasMoved(): Promise<boolean> {
    const { cursors, moves } = this.#deps;
    if (this.#seenMoves === moves.count) return false;
    this.#seenMoves = moves.count;
    const { at, request } = this.#searched;
    const cursor = await cursors.find(request.botId, request.consumer);
    if (!cursor) throw removed(request.consumer);
    return !isSameCursor(cursor, at);
  }

  /** Skips the entries that just arrived, if none of them is for this consumer. */
  #skips(lastPosition: number): boolean {
    const { at, request, view } = this.#searched;
    const fresh = this.#deps.updateLog.peek(request.botId, this.clearTo);
    if (!fresh || lastPosition === 0 || (fresh.at(-1)?.position ?? 0) < lastPosition) return false;
    const mayBeFor = (entry: LogEntry) =>
      wants(at.state, view.kinds, entry) &&
      (view.sees.isReady?.(entry) === false || view.sees(entry));
    if (fresh.some(mayBeFor)) return false;
    this.clearTo = lastPosition;
    return true;
  }
}
