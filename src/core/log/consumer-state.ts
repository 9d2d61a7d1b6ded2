import { inRanges, type Range } from './ranges.ts';
import { isDefaultKind } from './update-kinds.ts';

/** The kinds of updates that are wanted after a position of the log. */
export interface AllowedUpdatesEntry {
  after: number;
  /** null means everything except kinds that must be named. */
  kinds: readonly string[] | null;
}

/** An update of a run of IDs that was shown. */
export interface Shown {
  position: number;
  updateId: number;
  /**
   * For the first update of a lower run: the offset that the client sent when it got the update.
   */
  asked?: number;
  /** How often the client sent that same offset again. */
  again?: number;
}

/** The state of a consumer besides its position. It is stored as JSON, so fields are only added. */
export interface ConsumerState {
  /**
   * The last confirmed update of the run that was last shown, or the first update of that run if
   * none is confirmed; null before the first answer.
   */
  shown: Shown | null;
  /**
   * Oldest first. Updates that were already queued follow the entry under which they were queued.
   */
  allowedUpdatesHistory: readonly AllowedUpdatesEntry[];
  /**
   * True if the consumer was moved and nothing was shown from there yet: offsets refer to the
   * previous position.
   */
  rewound?: true;
  /** Positions above its own that the webhook took before. */
  finished?: readonly Range[];
}

export function readState(stored: string): ConsumerState {
  if (stored === '') return { shown: null, allowedUpdatesHistory: [] };
  return JSON.parse(stored) as ConsumerState;
}

export function writeState(state: ConsumerState): string {
  return JSON.stringify(state);
}

/**
 * True if the consumer wants an update and has not had it; `named` are the kinds in its app's
 * filter.
 */
export function wants(
  state: ConsumerState,
  named: readonly string[],
  update: { position: number; kind: string },
): boolean {
  if (state.finished && inRanges(state.finished, update.position)) return false;
  let kinds: readonly string[] | null = null;
  for (const entry of state.allowedUpdatesHistory) {
    if (entry.after >= update.position) break;
    kinds = entry.kinds;
  }
  return kinds ? kinds.includes(update.kind) : isDefaultKind(update.kind, named);
}
