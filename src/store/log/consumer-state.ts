import { inRanges, type Range } from '../../core/log/ranges.ts';
import { isDefaultKind } from '../../core/log/update-kinds.ts';
import type { AllowedUpdatesEntry } from '../delivery/allowed-updates.ts';

/** An update of a run of ids that was shown. */
export interface Shown {
  position: number;
  updateId: number;
  /** For the first of a run that went down: with which offset the client asked when it got it. */
  asked?: number;
  /** How often it asked with that same offset again. */
  again?: number;
}

/** State of a long-poll consumer besides its position. Stored as JSON, so fields are only added. */
export interface ConsumerState {
  /** Of the run last shown to this consumer; none before the first answer. */
  shown: Shown | null;
  /** Oldest first. Those already queued keep the kinds under which they were queued. */
  allowedUpdatesHistory: readonly AllowedUpdatesEntry[];
  /** It was set to another position and nothing was shown from there yet: offsets are of before. */
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

/** Whether the consumer asked for an update, and has not had it; `named` are the kinds in its app's filter. */
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
