/*
 * Writes of loops for which nobody waits: search and statistics. Storing has priority, so under
 * load these loops fall behind rather than slowing it down, up to a limit. A short burst is stored
 * first, and indexed and counted after it.
 */
import type { Engine, Step } from './engine.ts';

/** One round of such a loop. */
export interface BackgroundWork {
  /** Too much waits: the loop writes like all others, and rests less. */
  readonly isUrgent: boolean;
  /** How long its jobs took of the writer, without what they waited for. */
  ownMs: number;
  /** A job waited long for PostgreSQL to begin or commit. */
  isBusy: boolean;
}

/** More entries than this in a queue are urgent; otherwise the backlog could grow without limit. */
const longBacklog = 100_000;
/** The wait for a connection and a commit that shows that PostgreSQL is busy. */
const busyMs = 10;
const busyFactor = 3;
/** More than these wait in a burst. */
const calmBacklog = 300;
/** A queue that grows for longer than this is no burst: its loop goes on. */
const longestBurstMs = 10_000;
/** After a burst the queue has to be calm for so long before there can be another. */
const calmMs = 20_000;

export function backgroundWork(backlog: number): BackgroundWork {
  return { isUrgent: backlog > longBacklog, ownMs: 0, isBusy: false };
}

/**
 * Returns whether there is a burst: much arrived suddenly, and the queue of a loop grew since its last
 * round. What arrives steadily is none, so the loop keeps up with it as far as it can.
 */
export function createBurstWatch(): (backlog: number, nowMs: number) => boolean {
  let earlier = 0;
  let beganAt = 0;
  let calmAgainAt = 0;
  return (backlog, nowMs) => {
    const isGrowing = backlog > earlier;
    earlier = backlog;
    if (backlog <= calmBacklog) return false;
    if (nowMs >= calmAgainAt) beganAt = nowMs;
    calmAgainAt = nowMs + calmMs;
    return isGrowing && backlog <= longBacklog && nowMs - beganAt < longestBurstMs;
  };
}

/** Writes as part of this work; without it, as what somebody waits for. */
export async function writeFor<T>(
  engine: Engine,
  work: BackgroundWork | undefined,
  job: () => Step<T>,
): Promise<T> {
  if (!work) return engine.write(job);
  const before = performance.now() - work.ownMs;
  const result = await engine.write(() => measured(job, work), { isBackground: !work.isUrgent });
  if (engine.isShared && performance.now() - work.ownMs - before > busyMs) work.isBusy = true;
  return result;
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
 * writer, which is larger while PostgreSQL is busy, and as long as it waited, because others
 * wait for the same writer.
 */
export function restAfter(
  { isUrgent, isBusy, ownMs }: BackgroundWork,
  tookMs: number,
  factor: number,
): number {
  if (isUrgent) return ownMs;
  return ownMs * (isBusy ? factor * busyFactor : factor) + Math.max(0, tookMs - ownMs);
}
