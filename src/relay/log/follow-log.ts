/*
 * Runs the loop of a reader that one node at a time runs for a bot: read after its position,
 * handle, commit the result together with the new position, wait.
 *
 * Invariants: a result is committed once, under the lease it was read under; a reader that someone
 * moved starts again from its new position. Wake-ups are hints: the loop also looks by itself.
 */
import type { Clock } from '../../clock.ts';
import { backoffMs } from '../../core/backoff.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { Engine, Step } from '../../store/engine.ts';
import { LeaseLost, type LeaseRepository } from '../../store/cluster/leases.ts';
import { type LogRepository, moveReader } from '../../store/log/log.ts';
import { failureState } from '../../core/log/reader-failure.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { UpdateLog } from './update-log.ts';

export interface FollowDeps {
  clock: Clock;
  engine: Pick<Engine, 'write'>;
  requireEpoch: LeaseRepository['requireEpoch'];
  log: Pick<UpdateLog, 'read' | 'onAppend'>;
  readers: Pick<LogRepository, 'openReader' | 'readers'>;
  bots: { get(id: number): Promise<BotRecord | undefined> };
  /** Returns the lease under which this node runs the bot; left out if there are no other nodes. */
  leaseEpochOf?: (botId: number) => number | undefined;
  onError(error: unknown, botId: number): void;
}

export interface Handled {
  /**
   * Everything up to this position was handled or is remembered by the handler, and is not read
   * again.
   */
  front: number;
  /** Everything up to this position is finished; at most `front`. */
  position: number;
  /** Runs in the transaction that moves the reader. Throws `readAgain` to undo all of it. */
  commit?: () => Step<void>;
  /** True if the commit locks rows of other bots, although the reader mostly does not. */
  isAlone?: boolean;
  /** Called also if the reader was moved meanwhile, because the handled work is done. */
  committed?(): void;
  /**
   * The wait before the next look, unless a wake-up ends it sooner; 0 continues at once if there is
   * more to read.
   */
  waitMs: number;
}

export interface Handler {
  /** Returns the number of entries that the handler can take at the moment. */
  room(): number;
  /**
   * Handles entries; `isAll` means that there is nothing more to read for the moment. Returns
   * undefined if there was nothing to do. Throws `CannotHandle` if something outside the service
   * has to be fixed first.
   */
  handle(bot: BotRecord, entries: LogEntry[], isAll: boolean): Promise<Handled | undefined>;
}

export interface Following {
  /** Looks again, because something changed or someone moved the reader. */
  wake(): void;
  stop(): Promise<void>;
}

/** The reader list shows the code. The loop retries with backoff. */
export class CannotHandle extends Error {
  readonly code: string;
  constructor(code: string, options: ErrorOptions) {
    super(`what was read cannot be handled: ${code}`, options);
    this.name = 'CannotHandle';
    this.code = code;
  }
}

/** Thrown inside a commit whose input is outdated. */
export const readAgain = new Error('what was read has to be read again');

// Looks again after this time, in case a wake-up was lost.
const lookAgainMs = 5_000;
const retryMs = 1_000;

/**
 * `begin` makes the handler for what comes after a position; it is called again whenever the reader
 * was moved. A reader that `isKept` continues from its position if a node with other settings
 * removed its row; otherwise it begins at the end of the log. With `onlyOwnRows`, a commit may
 * share a transaction with commits of other bots; if those locked the same rows, they could
 * deadlock.
 */
interface Followed {
  botId: number;
  reader: string;
  isKept?: boolean;
  onlyOwnRows?: boolean;
}

export function followLog(
  deps: FollowDeps,
  followed: Followed,
  begin: (position: number) => Handler,
): Following {
  const { clock, log } = deps;
  const { botId, reader, isKept: continuesAfterRemoval = false } = followed;
  const stopping = new AbortController();
  const { signal } = stopping;
  /** True if the reader may have been moved. */
  let isUnsure = false;
  let committedPosition: number | undefined;
  /** Everything up to this position was read. */
  let front = 0;
  /** The last position that the log is known to hold. */
  let known = 0;
  /** The number of failures in a row. */
  let failures = 0;
  let wake = () => {};
  const stopListening = log.onAppend(botId, (lastPosition) => {
    known = Math.max(known, lastPosition);
    if (lastPosition === 0 || lastPosition > front) wake();
  });

  async function follow(): Promise<'moved' | 'ended'> {
    // If the reader is gone, its bot may have been deleted, too.
    if (!(await deps.bots.get(botId))) return 'ended';
    // The lease is read before the reader's position, so that work of another node under a later
    // lease is noticed.
    const leaseEpoch = deps.leaseEpochOf?.(botId);
    if (deps.leaseEpochOf && leaseEpoch === undefined) throw new LeaseLost(botId);
    const startAt = continuesAfterRemoval ? committedPosition : undefined;
    const opened = await deps.readers.openReader(botId, reader, clock.now(), startAt);
    committedPosition = opened.position;
    const commit = (handled: Committed) =>
      commitMove(deps, followed, handled, { generation: opened.generation, leaseEpoch });
    const handler = begin(opened.position);
    let { position } = opened;
    front = position;
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const bot = await deps.bots.get(botId);
      if (!bot) return 'ended';
      if (isUnsure) {
        isUnsure = false;
        if ((await currentGeneration()) !== opened.generation) return 'moved';
      }
      const room = handler.room();
      const entries = room > 0 ? await log.read(botId, front, room) : [];
      const isAll = entries.length < room || room === 0;
      const handled = await handler.handle(bot, entries, isAll).catch(async (error: unknown) => {
        if (error instanceof CannotHandle) {
          const state = failureState(error.code);
          if (state !== opened.state) await commit({ position, state });
        }
        throw error;
      });
      failures = 0;
      if (!handled) {
        await pause(woken, lookAgainMs);
        continue;
      }
      if (handled.commit || handled.position > position) {
        if (!(await commit(handled))) return 'moved';
        committedPosition = handled.position;
      }
      ({ position, front } = handled);
      const isHandled = front >= (entries.at(-1)?.position ?? front);
      // A read from memory may end before the log does, because other nodes append, too.
      const isAtEnd = entries.length === 0 || front >= known;
      const isDone = entries.length < room && isHandled && isAtEnd;
      const waitMs = handled.waitMs === 0 && isDone ? lookAgainMs : handled.waitMs;
      if (waitMs > 0) await pause(woken, waitMs);
    }
    return 'ended';
  }

  async function currentGeneration(): Promise<number | undefined> {
    const readers = await deps.readers.readers(botId);
    return readers.find(({ name }) => name === reader)?.generation;
  }

  async function pause(woken: Promise<void>, ms: number): Promise<void> {
    const timer = new AbortController();
    const both = AbortSignal.any([signal, timer.signal]);
    const timeIsUp = clock.sleep(ms, both).then(
      () => {
        isUnsure = true;
      },
      () => {},
    );
    await Promise.race([woken, timeIsUp]);
    timer.abort();
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        if ((await follow()) === 'ended') return;
      } catch (error) {
        if (signal.aborted) return;
        // Another node runs the bot, so this reader will soon be stopped.
        if (!(error instanceof LeaseLost)) deps.onError(error, botId);
        const waitMs =
          error instanceof CannotHandle ? backoffMs(++failures, { random: () => 1 }) : retryMs;
        await clock.sleep(waitMs, signal).catch(() => {});
      }
    }
  }

  const running = run();
  return {
    wake() {
      isUnsure = true;
      wake();
    },
    async stop() {
      stopListening();
      stopping.abort(new Error('the reader was stopped'));
      wake();
      await running;
    },
  };
}

type Committed = Pick<Handled, 'position' | 'commit' | 'isAlone' | 'committed'> & {
  state?: string;
};

/**
 * Moves the reader together with what its handler writes. Returns false if the entries have to be
 * read again: someone moved the reader meanwhile, or `readAgain` was thrown.
 */
async function commitMove(
  { clock, engine, requireEpoch }: FollowDeps,
  { botId, reader, onlyOwnRows = false }: Followed,
  { position, state = '', ...handled }: Committed,
  { generation, leaseEpoch }: { generation: number; leaseEpoch: number | undefined },
): Promise<boolean> {
  const work = function* (): Step<boolean> {
    if (leaseEpoch !== undefined) yield* requireEpoch(botId, leaseEpoch);
    if (handled.commit) yield* handled.commit();
    const nowMs = clock.now();
    return yield* moveReader(botId, reader, { position, state, generation, nowMs });
  };
  try {
    const mayShare = onlyOwnRows && handled.isAlone !== true;
    const isMoved = await engine.write(work, mayShare ? { ofBot: botId } : {});
    handled.committed?.();
    return isMoved;
  } catch (error) {
    if (error === readAgain) return false;
    throw error;
  }
}
