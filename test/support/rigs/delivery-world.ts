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
import type { LogEntry, StoredUpdate } from '../../../src/store/log/log-entry.ts';
import type { RetryQueue } from '../../../src/store/delivery/retry-queues.ts';
import { readReaderState } from '../../../src/core/log/push-progress.ts';
import { type QueueSettings, readerQueues } from '../../../src/core/log/reader-queues.ts';
import { inRanges, sizeOf } from '../../../src/core/log/ranges.ts';
import { createDeliveryStore } from './delivery-store.ts';

export interface WorldOptions {
  settings: PlanSettings;
  /** Gives 0 to 1. */
  random: () => number;
  /** Whether the backend takes this attempt. */
  takes: (entry: StoredUpdate, attempt: Attempt) => boolean;
  /** Whether an update is for the reader; all are when left out. */
  wants?: (entry: LogEntry) => boolean;
  /** The settings that a switch goes through; the stored queues when left out. */
  queues?: readonly QueueSettings[];
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

export function createWorld({ settings, random, takes, wants, queues = [] }: WorldOptions) {
  const now: Moment = { ms: 1_000, wallMs: 1_000 + wallAheadMs };
  const log: LogEntry[] = [];
  const store = createDeliveryStore();
  /** The actual events, by position. */
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
  let answered = 0;
  let life = 0;
  /** Counts the backends of a plan, as the plan does. */
  let backend = 0;
  let queueSetting = 0;
  const topicOf = queues[0] && readerQueues({ ...queues[0], per_topic: true });
  /** The last position that was delivered of each topic. */
  const lastOfTopic = new Map<string, number>();
  let plan = start();

  function start(): DeliveryPlan {
    store.repair(now.wallMs);
    const { finished, paused } = readReaderState(store.state);
    wasPaused = paused;
    failuresInARow.length = 0;
    const started = new DeliveryPlan(
      { botId: 1, reader: 'push', settings, random },
      { position: store.position, finished, paused, retryQueues: rows() },
      now,
    );
    useOptions(started);
    return started;
  }

  function useOptions(of: DeliveryPlan): void {
    const { maxConnections } = settings;
    const present = queues[queueSetting % queues.length];
    const queueOf = present && readerQueues(present);
    of.useOptions({ maxConnections, wants: wants ?? (() => true), queueOf });
  }

  const isWanted = (position: number) => !wants || wants(log[position - 1] as LogEntry);

  /** As the plan wants them: one more than may be in memory. */
  function rows(): RetryQueue[] {
    return store.rows(settings.mostRetryQueues + 1);
  }

  /** Asks the plan and starts its commands. */
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

  /** Nothing of a dead process arrives. */
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
    check(isWanted(entry.position), 'an update of others is delivered');
    inFlight.push(attempt);
    const extra = inFlight.some(({ queue }) => queue.isUrgent) ? 1 : 0;
    check(inFlight.length <= settings.maxConnections + extra, 'too many in flight');
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
      if (plan.overflows) return lookingAmong(entries);
      plan.entriesRead(entries, now);
      return undefined;
    };
  }

  function lookingAmong(entries: readonly LogEntry[]): Step {
    const asked = queueSetting;
    const names = entries.map((entry) => plan.queueOf(entry));
    const stored = new Set(names.filter((name) => store.queues.has(name)));
    return () => {
      if (asked !== queueSetting) return lookingAmong(entries);
      plan.entriesRead(entries, now, stored);
      return undefined;
    };
  }

  function loading(queue: Queue): Step {
    return () => {
      if (random() < 0.05) {
        plan.loadFailed(queue, now);
        return undefined;
      }
      const all = store.entries(queue.name, log);
      const limit = 1 + Math.floor(random() * 4);
      const entries = all.slice(0, limit);
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

  /** The invariants of each transaction. */
  function write(changes: Changes): void {
    for (const { position } of changes.deadLetters) {
      const failedAt = firstFailedAt.get(position) ?? Number.POSITIVE_INFINITY;
      // After a crash and a switch, an update may come before the one whose failures are stored.
      const isOther = changes.replayed.includes(position) || (queues.length > 0 && life > 0);
      check(isOther || now.ms - failedAt >= settings.giveUpAfterMs, 'given up too soon');
    }
    check(changes.cursor.position >= store.position, 'the cursor goes back');
    store.write(changes);
    checkCursor();
  }

  /** The cursor is only past what the backend took, or what is in the store. */
  function checkCursor(): void {
    const { finished } = readReaderState(store.state);
    for (const { position } of log) {
      if (!isWanted(position)) continue;
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

  /** Whatever was switched, no update of a topic overtakes one that waits in no retry queue. */
  function checkTopic({ entry: { position }, queue: { retry } }: Attempt): void {
    const logged = log[position - 1] as LogEntry;
    const topic = topicOf ? topicOf(logged) : logged.queue;
    const last = lastOfTopic.get(topic) ?? 0;
    check(retry !== undefined || position > last, `${position} was overtaken`);
    lastOfTopic.set(topic, Math.max(position, last));
  }

  /** The backend answers one attempt. */
  function answer(index: number): void {
    const [attempt] = inFlight.splice(index, 1);
    if (!attempt) return;
    const { entry, queue, replay } = attempt;
    const { position } = entry;
    const isFine = takes(entry, attempt);
    const isCurrent = attempt.backend === backend;
    if (isFine) {
      if (isCurrent) failuresInARow.length = 0;
      taken.push({ position, queue: queue.name, replay });
      isTaken.add(position);
      if (!replay && life === 0) checkTopic(attempt);
    } else {
      if (isCurrent) failuresInARow.push(queue.name);
      if (!firstFailedAt.has(position)) firstFailedAt.set(position, now.ms);
      if (now.ms - (firstFailedAt.get(position) ?? 0) >= settings.giveUpAfterMs) {
        givenUpOnce.add(position);
      }
    }
    answered++;
    const most = settings.mostUncommitted + settings.maxConnections;
    check(answered <= most, 'too many answered and not committed');
    const result = isFine ? { status: 200, error: '' } : { status: 500, error: 'answered 500' };
    const isUnreached = !isFine && random() < 0.1;
    const retryAfterMs = !isFine && random() < 0.1 ? 3_000 : undefined;
    const rest = { answer: '', durationMs: 1, call: undefined };
    plan.attemptEnded(attempt, { ...result, ...rest, isUnreached, retryAfterMs }, now);
  }

  function step(index: number): void {
    const [one] = steps.splice(index, 1);
    const more = one?.();
    if (more) steps.push(more);
  }

  function readRequests(): void {
    const asked = plan.askedForRequests();
    begun(() => {
      const found = store.requested();
      return ended(() => plan.requested(found, asked, now));
    });
    execute();
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
        const topic = queues.length > 0 ? Math.floor(random() * 3) : 0;
        const inTopic = topic > 0 ? { message_thread_id: topic, is_topic_message: true } : {};
        const text = random() < 0.1 ? '/stop' : 'x';
        const raw = JSON.stringify({
          update_id: position,
          message: { chat: { id: chat }, text, ...inTopic },
        });
        log.push({
          position,
          updateId: position,
          kind: 'message',
          queue,
          receivedAt: 0,
          raw,
          claimedBy: 0,
        });
      }
      // What just came may be in memory, and may not.
      const fresh = wants && random() < 0.7 ? log.slice(plan.scanned) : undefined;
      if (plan.logGrew(log.length, now, fresh)) execute();
    },
    advance(ms: number): void {
      now.ms += ms;
      now.wallMs += ms;
      execute();
    },
    get inFlight() {
      return inFlight.length;
    },
    /** The backend answers the first attempt. */
    answer(): void {
      answer(0);
    },
    /** Does one of the other things that were begun. */
    step(): void {
      step(0);
      execute();
    },
    /** Does one of the things that were begun; false when there is none. */
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
      backend = 0;
      plan = start();
      execute();
    },
    /** Someone wants all retry queues sent now. */
    retryNow(): void {
      store.retryNow(now.wallMs);
      readRequests();
    },
    /** Replays what the reader is past. */
    replay(position: number): void {
      const entry = log[position - 1];
      if (!entry || position > store.position || store.positions.has(position)) return;
      if (!isWanted(position)) return;
      store.replay({ ...entry, queue: plan.queueOf(entry) }, now.wallMs);
      readRequests();
    },
    /** Some of what is in flight never gets to the backend. */
    cancel(): void {
      const cancelled = inFlight.filter(() => random() < 0.5);
      inFlight = inFlight.filter((attempt) => !cancelled.includes(attempt));
      for (const attempt of cancelled) plan.attemptCancelled(attempt, now);
      execute();
    },
    switchQueues(): void {
      queueSetting++;
      useOptions(plan);
      execute();
    },
    changeBackend(): void {
      failuresInARow.length = 0;
      backend++;
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
        if (!isWanted(position)) continue;
        check(isTaken.has(position) || store.dead.has(position), `${position} was lost`);
      }
      // A crash may find an update of a queue that was switched meanwhile.
      if (queues.length > 0 && life > 0) return;
      const last = new Map<string, number>();
      const seen = new Set<number>();
      for (const { position, queue, replay } of taken) {
        // A dead letter that a crash undid comes after newer ones.
        if (replay || seen.has(position) || givenUpOnce.has(position)) continue;
        seen.add(position);
        check(position > (last.get(queue) ?? 0), `${position} came too late`);
        last.set(queue, position);
      }
    },
  };
}
