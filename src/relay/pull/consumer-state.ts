import { updateKinds } from '../../core/log/update-kinds.ts';
import type { ConsumerState } from '../../core/log/consumer-state.ts';

const knownKinds = new Set<string>(updateKinds);
const kindShape = /^[a-z][a-z0-9_]{0,63}$/;
const maxNewer = 32;

/**
 * Reads `allowed_updates`: undefined keeps the previous choice (it was absent, or no list of
 * names), null is the default (an empty list, or one without any known name).
 */
export function readAllowedUpdates(given: unknown): readonly string[] | null | undefined {
  const list = typeof given === 'string' ? parseList(given) : given;
  if (!Array.isArray(list) || !list.every((name) => typeof name === 'string')) return undefined;
  const names = new Set(list.map((name: string) => name.toLowerCase()));
  const known = updateKinds.filter((kind) => names.has(kind));
  // A name may be a kind newer than this program; other names would only be kept for nothing.
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

/**
 * Remembers the kinds for everything after `lastPosition`; returns the same state if nothing
 * changed.
 */
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

/**
 * Updates after the new position count as if they were queued at present, so the present choice of
 * kinds applies to them.
 */
export function rewoundTo(state: ConsumerState, position: number): ConsumerState {
  const kinds = state.allowedUpdatesHistory.at(-1)?.kinds ?? null;
  return {
    shown: null,
    allowedUpdatesHistory: kinds ? [{ after: position, kinds }] : [],
    rewound: true,
  };
}

/** Forgets choices that apply to no update after `position`. */
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
