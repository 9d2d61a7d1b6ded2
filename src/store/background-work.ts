/*
 * Writes of loops for which nobody waits: search and statistics. Storing has priority, so under
 * load these loops fall behind rather than slowing it down, up to a limit.
 */
import type { Engine, Step } from './engine.ts';

/** One round of such a loop. */
export interface BackgroundWork {
  /** Too much waits: the loop writes like all others, and rests less. */
  readonly isUrgent: boolean;
  /** How long its jobs took of the writer, without what they waited for. */
  ownMs: number;
}

/** More entries than this in a queue are urgent; otherwise it could grow for ever. */
const longBacklog = 100_000;

export function backgroundWork(backlog: number): BackgroundWork {
  return { isUrgent: backlog > longBacklog, ownMs: 0 };
}

/** Writes as part of this work; without it, as what somebody waits for. */
export function writeFor<T>(
  engine: Engine,
  work: BackgroundWork | undefined,
  job: () => Step<T>,
): Promise<T> {
  if (!work) return engine.write(job);
  return engine.write(() => measured(job, work), { isBackground: !work.isUrgent });
}

function* measured<T>(job: () => Step<T>, work: BackgroundWork): Step<T> {
  const startedAt = performance.now();
  try {
    return yield* job();
  } finally {
    work.ownMs += performance.now() - startedAt;
  }
}

/**
 * Returns how long to pause after work that took this long: a multiple of what it took of the
 * writer, and as long as it waited, because whoever waits shares the writer with others.
 */
export function restAfter({ isUrgent, ownMs }: BackgroundWork, tookMs: number, factor: number) {
  return isUrgent ? ownMs : ownMs * factor + Math.max(0, tookMs - ownMs);
}
