/* Plain data of the delivery plan: its input, its commands, its state. */
import type { PushChanges } from '../../../store/delivery/deliveries.ts';
import type { StoredUpdate } from '../../../store/log/log-entry.ts';
import type { RetryEntry, RetryQueue } from '../../../store/delivery/retry-queues.ts';
import type { Range } from '../../../core/log/ranges.ts';
import type { AnswerCall } from '../answer-call.ts';

/** One moment on both clocks: durations use the monotonic one, stored times the wall clock. */
export interface Moment {
  ms: number;
  wallMs: number;
}

/** A reader that delivers to a backend. */
export interface PushReader {
  botId: number;
  /** The name under which the reader is stored. */
  reader: string;
}

export interface PlanSettings {
  /** The number of attempts in flight while all is well. */
  maxConnections: number;
  giveUpAfterMs: number;
  /** The number of attempts that are answered but not yet on disk: a crash may repeat as many. */
  mostUncommitted: number;
  mostUnfinished: number;
  /** The number of retry queues in memory; the others stay in the store until they are due. */
  mostRetryQueues: number;
}

/** The stored position of the reader, and its stored retry queues. */
export interface StoredProgress {
  position: number;
  finished: readonly Range[];
  paused: boolean;
  readBefore?: number;
  /** Due first; one more than `mostRetryQueues` if there are that many. */
  retryQueues: readonly RetryQueue[];
}

/**
 * A queue is delivered one update after the other: the updates of a chat, or the callback queries
 * of a user.
 */
export interface Queue {
  readonly name: string;
  /** Its updates overtake what is still being answered. */
  readonly isUrgent: boolean;
  /** Updates straight from the log, in order; the first may be in flight. */
  waiting: StoredUpdate[];
  inFlight: boolean;
  /** The queue is in a list of queues to send from. */
  listed: boolean;
  /** Set once the head failed: the updates of the queue then wait in the store. */
  retry: RetryState | undefined;
}

/** The state of a retry queue, with monotonic times. */
export interface RetryState {
  /** The number of failures of the head in a row. */
  attempts: number;
  /** The time of the head's first failure; undefined if it has not failed. */
  failingSince: number | undefined;
  /** The time from which the head may be sent. */
  dueAt: number;
  /**
   * `isUnreached`: the last attempt reached nobody, and the head was not hastened because of that
   * before.
   */
  isUnreached: boolean;
  wasHastened: boolean;
  /** The number that the store gave to the last known replay or "try now" request. */
  requestedAt: number;
  /** The position whose failures are counted; 0 if only the store knows it. */
  headPosition: number;
  /** The first updates that wait in the store, in order. */
  entries: RetryEntry[];
  /** The store may hold more than `entries`. */
  moreStored: boolean;
  /** Counts additions, so that a load knows whether it saw all of them. */
  added: number;
  /** The values of `added` and `requestedAt` when the load began. */
  addedAtLoad: number;
  requestedAtLoad: number;
  /** The queue is being loaded, or will be. */
  loading: boolean;
  /** The number of the last changes that concern the queue. */
  changedIn: number;
}

/** The first updates of a retry queue, in order. */
export interface StoredEntries {
  entries: RetryEntry[];
  /** The positions of updates that retention deleted. */
  lost: readonly number[];
  /** The store holds no more updates of the queue. */
  complete: boolean;
}

/** One attempt to deliver the head of a queue. */
export interface Attempt {
  readonly queue: Queue;
  readonly entry: StoredUpdate;
  /** The update came straight from the log, and its queue had not failed before. */
  readonly fresh: boolean;
  /** The attempt takes one of the few connections for what failed before. */
  readonly retry: boolean;
  readonly replay: boolean;
  /** The attempt checks whether the backend is back. */
  readonly probe: boolean;
  /**
   * The number of the backend within this plan: the answer of a former backend says nothing about
   * the present one.
   */
  readonly backend: number;
}

export interface AttemptResult {
  /** 0 when there was no answer. */
  status: number;
  /** The reason why the attempt failed; '' if the backend took the update. */
  error: string;
  /** No connection was made, so the failure says nothing about the update. */
  isUnreached: boolean;
  /** The beginning of the answer. */
  answer: string;
  durationMs: number;
  /** The wait that Retry-After asked for. */
  retryAfterMs: number | undefined;
  /** The Bot API call in the answer. */
  call: AnswerCall | undefined;
}

/** The commands to the executor; the object is valid until the plan is asked again. */
export interface Commands {
  /** Begin these attempts, in this order. */
  readonly attempts: Attempt[];
  /** Read this many updates after `readAfter`; 0 for none. */
  read: number;
  readAfter: number;
  /** Load the next updates of these retry queues. */
  readonly loads: Queue[];
  /** Look up which retry queues in the store are due. */
  lookUp: boolean;
  commit: 'none' | 'soon' | 'now';
  /** Ask again at this time, by the monotonic clock. */
  wakeAt: number;
}

/** The results since the last commit. */
export interface Changes extends Omit<PushChanges<AnswerCall>, 'epoch' | 'generation'> {
  /** Grows with each commit. */
  number: number;
}

export type BackendStatus = 'ok' | 'failing' | 'paused';
