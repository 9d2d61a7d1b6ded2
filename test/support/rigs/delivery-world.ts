/*
 * A world around the delivery plan: a log, a store, a backend and a process that may die, all in memory
 * and driven by a seed. Everything that takes time in life is done in steps here, so that anything may
 * happen in between. It checks the invariants of delivery as it goes.
 */
import { DeliveryPlan } from '../../../src/relay/delivery/plan/delivery-plan.ts';
import type {
  Attempt,
  Changes,
  Moment,
  PlanSettings,
  Queue,
} from '../../../src/relay/delivery/plan/plan-types.ts';
import type { LogEntry } from '../../../src/store/log/log-entry.ts';
import type { RetryEntry, RetryQueue } from '../../../src/store/delivery/retry-queues.ts';
import { readReaderState } from '../../../src/store/delivery/push-progress.ts';
import { inRanges, sizeOf } from '../../../src/core/log/ranges.ts';

export interface WorldOptions {
  settings: PlanSettings;
  /** Gives 0 to 1. */
  random: () => number;
  /** Whether the backend takes this attempt. */
  takes: (entry: LogEntry, attempt: Attempt) => boolean;
}

/** Plain and fast: it is asked millions of times. */
function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

/** Something begun that ends in steps; each step returns the next, or undefined when it has ended. */
type Step = () => Step | undefined;

export type World = ReturnType<typeof createWorld>;

/** The last step of something. */
const ended =
  (tell: () => unknown): Step =>
  () => {
    tell();
    return undefined;
  };

const wallAheadMs = 1_700_000_000_000;

export function createWorld({ settings, random, takes }: WorldOptions) {
  const now: Moment = { ms: 1_000, wallMs: 1_000 + wallAheadMs };
  const log: LogEntry[] = [];
  const store = {
    position: 0,
    state: '',
    queues: new Map<string, RetryQueue>(),
    positions: new Map<number, { queue: string; replay: boolean }>(),
    dead: new Set<number>(),
  };
  /** What truly happened, by position. */
  const taken: { position: number; queue: string; replay: boolean }[] = [];
  const isTaken = new Set<number>();
  const isConfirmed = new Set<number>();
  const firstFailedAt = new Map<number, number>();
  const givenUpOnce = new Set<number>();
  const failuresInARow: string[] = [];
  let wasPaused = false;
  let inFlight: Attempt[] = [];
  let steps: Step[] = [];
  let isCommitting = false;
  let wakeAt = 0;
  let requests = 0;
  let answered = 0;
  let life = 0;
  let plan = start();

  function start(): DeliveryPlan {
    for (const { queue } of store.positions.values()) {
      if (!store.queues.has(queue)) store.queues.set(queue, rowOf(queue));
    }
    const { finished, paused } = readReaderState(store.state);
    wasPaused = paused;
    failuresInARow.length = 0;
    return new DeliveryPlan(
      { botId: 1, reader: 'push', settings, random },
      { position: store.position, finished, paused, retryQueues: rows() },
      now,
    );
  }

  function rowOf(queue: string): RetryQueue {
    return { queue, attempts: 0, firstFailedAt: 0, nextAttemptAt: now.wallMs, requestedAt: 0 };
  }

  /** As the store gives them: due first, one more than may be in memory. */
  function rows(): RetryQueue[] {
    return [...store.queues.values()]
      .map((row) => ({ ...row }))
      .sort((a, b) => a.nextAttemptAt - b.nextAttemptAt)
      .slice(0, settings.mostRetryQueues + 1);
  }

  function requested(): RetryQueue[] {
    return [...store.queues.values()]
      .filter((row) => row.requestedAt > 0)
      .map((row) => ({ ...row }));
  }

  /** Asks the plan and begins what it wants. */
  function execute(): void {
    for (;;) {
      const commands = plan.next(now, false);
      for (const attempt of commands.attempts) begin(attempt);
      if (commands.read > 0) begun(reading(commands.readAfter, commands.read));
      for (const queue of commands.loads) begun(loading(queue));
      if (commands.lookUp) begun(lookingUp());
      if (commands.commit !== 'none' && !isCommitting) begun(committing());
      checkStatus();
      wakeAt = commands.wakeAt;
      if (wakeAt > now.ms) return;
    }
  }

  /** Of a process that has died, nothing more is heard. */
  function begun(step: Step): void {
    const lived = life;
    const alive =
      (next: Step): Step =>
      () => {
        if (lived !== life) return undefined;
        const more = next();
        return more && alive(more);
      };
    steps.push(alive(step));
  }

  function begin(attempt: Attempt): void {
    const { entry, replay } = attempt;
    check(
      inFlight.every(({ queue }) => queue.name !== attempt.queue.name),
      'two attempts of a queue',
    );
    check(entry.queue === attempt.queue.name, 'an update in a queue of another');
    check(replay || !isConfirmed.has(entry.position), 'a finished update is delivered again');
    inFlight.push(attempt);
    check(inFlight.length <= settings.maxConnections, 'too many in flight');
    const retries = inFlight.filter(({ retry }) => retry).length;
    check(retries <= Math.max(1, settings.maxConnections >> 2), 'too many retries in flight');
  }

  function reading(after: number, limit: number): Step {
    return () => {
      if (random() < 0.05) {
        plan.readFailed(now);
        return undefined;
      }
      const few = 1 + Math.floor(random() * limit);
      const entries = log.slice(after, after + few);
      const stored = plan.overflows
        ? new Set(entries.map(({ queue }) => queue).filter((name) => store.queues.has(name)))
        : undefined;
      const take = ended(() => plan.entriesRead(entries, stored));
      return stored ? take : take();
    };
  }

  function loading(queue: Queue): Step {
    return () => {
      if (random() < 0.05) {
        plan.loadFailed(queue, now);
        return undefined;
      }
      const all = [...store.positions]
        .filter(([, row]) => row.queue === queue.name)
        .sort(([a], [b]) => a - b);
      const limit = 1 + Math.floor(random() * 4);
      const entries = all.slice(0, limit).map(([position, { replay }]): RetryEntry => {
        return { ...(log[position - 1] as LogEntry), replay };
      });
      return ended(() =>
        plan.queueLoaded(queue, { entries, lost: [], complete: all.length < limit }, now),
      );
    };
  }

  function lookingUp(): Step {
    return () => {
      const found = random() < 0.05 ? undefined : rows();
      return ended(() => plan.queuesLookedUp(found, now));
    };
  }

  function committing(): Step {
    isCommitting = true;
    return () => {
      const changes = plan.takeChanges();
      return () => {
        if (random() < 0.1) {
          isCommitting = false;
          plan.commitFailed(changes);
          return undefined;
        }
        write(changes);
        return () => {
          isCommitting = false;
          answered -= changes.attempts.length;
          plan.commitEnded(changes);
          return undefined;
        };
      };
    };
  }

  /** What the transaction does, and what must hold after each. */
  function write(changes: Changes): void {
    for (const [position, row] of changes.positions) {
      if (!row) store.positions.delete(position);
      else if (!store.positions.has(position)) store.positions.set(position, row);
    }
    for (const [name, change] of changes.queues) {
      const known = store.queues.get(name);
      if (change.kind === 'waiting') {
        const { queue, attempts, firstFailedAt: failedAt, nextAttemptAt } = change;
        const requestedAt = known?.requestedAt ?? 0;
        const row = { queue, attempts, firstFailedAt: failedAt, nextAttemptAt, requestedAt };
        store.queues.set(name, row);
      } else if (known && known.requestedAt <= change.requestedAt && !hasPositions(name)) {
        store.queues.delete(name);
      } else if (known) store.queues.set(name, { ...known, attempts: 0, firstFailedAt: 0 });
    }
    for (const { position } of changes.deadLetters) {
      const failedAt = firstFailedAt.get(position) ?? Number.POSITIVE_INFINITY;
      const isReplay = changes.replayed.includes(position);
      check(isReplay || now.ms - failedAt >= settings.giveUpAfterMs, 'given up too soon');
      store.dead.add(position);
    }
    check(changes.cursor.position >= store.position, 'the cursor goes back');
    store.position = changes.cursor.position;
    store.state = changes.cursor.state;
    checkCursor();
  }

  function hasPositions(queue: string): boolean {
    return [...store.positions.values()].some((row) => row.queue === queue);
  }

  /** The cursor is only past what the backend took, or what the store has taken over. */
  function checkCursor(): void {
    const { finished } = readReaderState(store.state);
    for (const { position } of log) {
      if (position > store.position && !inRanges(finished, position)) continue;
      const isSafe =
        isTaken.has(position) || store.positions.has(position) || store.dead.has(position);
      check(isSafe, `position ${position} is lost`);
      if (isTaken.has(position) && !store.positions.has(position)) isConfirmed.add(position);
    }
    const last = finished.at(-1)?.[1] ?? store.position;
    const unfinished = last - store.position - sizeOf(finished);
    check(unfinished <= settings.mostUnfinished, 'too many unfinished in memory');
  }

  function checkStatus(): void {
    const isPaused = plan.status === 'paused';
    if (isPaused && !wasPaused) {
      check(failuresInARow.length >= 10, 'paused after few failures');
      check(new Set(failuresInARow).size >= 3, 'paused for few chats');
    }
    wasPaused = isPaused;
  }

  /** The backend answers one attempt. */
  function answer(index: number): void {
    const [attempt] = inFlight.splice(index, 1);
    if (!attempt) return;
    const { entry, queue, replay } = attempt;
    const { position } = entry;
    const isFine = takes(entry, attempt);
    if (isFine) {
      failuresInARow.length = 0;
      taken.push({ position, queue: queue.name, replay });
      isTaken.add(position);
    } else {
      failuresInARow.push(queue.name);
      if (!firstFailedAt.has(position)) firstFailedAt.set(position, now.ms);
      if (now.ms - (firstFailedAt.get(position) ?? 0) >= settings.giveUpAfterMs) {
        givenUpOnce.add(position);
      }
    }
    answered++;
    const most = settings.mostUncommitted + settings.maxConnections;
    check(answered <= most, 'too many answered and not committed');
    const error = isFine ? '' : 'answered 500';
    const status = isFine ? 200 : 500;
    const result = { status, error, answer: '', durationMs: 1, call: undefined };
    const retryAfterMs = !isFine && random() < 0.1 ? 3_000 : undefined;
    plan.attemptEnded(attempt, { ...result, retryAfterMs }, now);
  }

  function step(index: number): void {
    const [one] = steps.splice(index, 1);
    const more = one?.();
    if (more) steps.push(more);
  }

  return {
    now,
    taken,
    store,
    get isPaused() {
      return plan.status === 'paused';
    },
    get status() {
      return plan.status;
    },
    append(chats: readonly number[]): void {
      for (const chat of chats) {
        const position = log.length + 1;
        const queue = `c${chat}`;
        const raw = `{"update_id":${position}}`;
        log.push({ position, updateId: position, kind: 'message', queue, receivedAt: 0, raw });
      }
      plan.logGrew(log.length, now);
      execute();
    },
    advance(ms: number): void {
      now.ms += ms;
      now.wallMs += ms;
      execute();
    },
    /** Does one of the things that are under way; false when there is none. */
    work(): boolean {
      const count = inFlight.length + steps.length;
      if (count === 0) return false;
      const index = Math.floor(random() * count);
      if (index < inFlight.length) answer(index);
      else step(index - inFlight.length);
      execute();
      return true;
    },
    /** Everything that is not on disk is gone. */
    crash(): void {
      life++;
      inFlight = [];
      steps = [];
      isCommitting = false;
      answered = 0;
      plan = start();
      execute();
    },
    /** Someone wants all retry queues sent now. */
    retryNow(): void {
      requests++;
      for (const row of store.queues.values()) {
        row.nextAttemptAt = now.wallMs;
        row.requestedAt = requests;
      }
      const asked = plan.askedForRequests();
      begun(() => {
        const found = requested();
        return ended(() => plan.requested(found, asked, now));
      });
      execute();
    },
    /** Someone replays what the reader is past. */
    replay(position: number): void {
      const entry = log[position - 1];
      if (!entry || position > store.position || store.positions.has(position)) return;
      requests++;
      store.positions.set(position, { queue: entry.queue, replay: true });
      const row = store.queues.get(entry.queue) ?? rowOf(entry.queue);
      store.queues.set(entry.queue, { ...row, requestedAt: requests });
      const asked = plan.askedForRequests();
      begun(() => {
        const found = requested();
        return ended(() => plan.requested(found, asked, now));
      });
      execute();
    },
    changeBackend(): void {
      failuresInARow.length = 0;
      plan.backendChanged(now);
      execute();
    },
    /** Works and lets time pass until nothing is left to do. */
    finish(): void {
      for (let turn = 0; turn < 50_000; turn++) {
        if (this.work()) continue;
        if (store.position === log.length && store.queues.size === 0) return;
        check(wakeAt < Number.POSITIVE_INFINITY, 'nothing will ever happen');
        this.advance(Math.max(1, wakeAt - now.ms));
      }
      throw new Error('it does not come to an end');
    },
    /** After `finish`. */
    checkAll(): void {
      check(store.state === '', `left in the reader's state: ${store.state}`);
      check(store.positions.size === 0, 'positions left in retry queues');
      check(plan.characters === 0, 'characters left in memory');
      for (const { position } of log) {
        check(isTaken.has(position) || store.dead.has(position), `${position} was lost`);
      }
      const last = new Map<string, number>();
      const seen = new Set<number>();
      for (const { position, queue, replay } of taken) {
        // What was given up, and came back as a crash forgot that, comes after newer ones.
        if (replay || seen.has(position) || givenUpOnce.has(position)) continue;
        seen.add(position);
        check(position > (last.get(queue) ?? 0), `${position} came too late`);
        last.set(queue, position);
      }
    },
  };
}
