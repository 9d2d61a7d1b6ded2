import { updateKinds } from '../../core/log/update-kinds.ts';
import type { ConsumerState } from '../../store/log/consumer-state.ts';

const knownKinds = new Set<string>(updateKinds);
const kindShape = /^[a-z][a-z0-9_]{0,63}$/;
const maxNewer = 32;

/**
 * What `allowed_updates` means: undefined keeps what was asked for before (it was absent, or no list of
 * names), null is the default (an empty list, or one without any known name).
 */
export function readAllowedUpdates(given: unknown): readonly string[] | null | undefined {
  const list = typeof given === 'string' ? parseList(given) : given;
  if (!Array.isArray(list) || !list.every((name) => typeof name === 'string')) return undefined;
  const names = new Set(list.map((name: string) => name.toLowerCase()));
  const known = updateKinds.filter((kind) => names.has(kind));
  // A kind newer than this program may be meant; what cannot be one would only be carried along.
  const newer = [...names].filter((name) => kindShape.test(name) && !knownKinds.has(name));
  return known.length > 0 ? [...known, ...newer.slice(0, maxNewer)].sort() : null;
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Remembers the kinds for everything after `lastPosition`; gives back the same state if it is not new. */
export function withAllowedUpdates(
  state: ConsumerState,
  kinds: readonly string[] | null,
  lastPosition: number,
): ConsumerState {
  const current = state.allowedUpdatesHistory.at(-1)?.kinds ?? null;
  if (JSON.stringify(current) === JSON.stringify(kinds)) return state;
  const before = state.allowedUpdatesHistory.filter((entry) => entry.after < lastPosition);
  return { ...state, allowedUpdatesHistory: [...before, { after: lastPosition, kinds }] };
}

/** What follows the new position is as if it were queued now: for what the consumer wants now. */
export function rewoundTo(state: ConsumerState, position: number): ConsumerState {
  const kinds = state.allowedUpdatesHistory.at(-1)?.kinds ?? null;
  return {
    shown: null,
    allowedUpdatesHistory: kinds ? [{ after: position, kinds }] : [],
    rewound: true,
  };
}

/** Forgets what no update after `position` falls under. */
export function withoutOldAllowedUpdates(state: ConsumerState, position: number): ConsumerState {
  const inForce = Math.max(
    0,
    state.allowedUpdatesHistory.findLastIndex((entry) => entry.after <= position),
  );
  const { finished: before, ...rest } = state;
  const finished = before?.filter(([, to]) => to > position) ?? [];
  if (inForce === 0 && finished.length === (before?.length ?? 0)) return state;
  const allowedUpdatesHistory = state.allowedUpdatesHistory.slice(inForce);
  return { ...rest, allowedUpdatesHistory, ...(finished.length > 0 ? { finished } : {}) };
}
