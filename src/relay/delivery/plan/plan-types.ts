/* Plain data of the delivery plan: what it is told, what it asks for, what it remembers. */
import type { PushChanges } from '../../../store/delivery/deliveries.ts';
import type { StoredUpdate } from '../../../store/log/log-entry.ts';
import type { RetryEntry, RetryQueue } from '../../../store/delivery/retry-queues.ts';
import type { Range } from '../../../core/log/ranges.ts';
import type { AnswerCall } from '../answer-call.ts';

/** One moment by both clocks: durations use the monotonic one, stored times the wall clock. */
export interface Moment {
  ms: number;
  wallMs: number;
}

/** A reader that delivers to a backend. */
export interface PushReader {
  botId: number;
  /** Its name, as it is stored. */
  reader: string;
}

export interface PlanSettings {
  /** Attempts in flight while all is well. */
  maxConnections: number;
  giveUpAfterMs: number;
  /** Attempts that are answered but not yet on disk: what a crash may repeat. */
  mostUncommitted: number;
  /** Unfinished updates in memory. */
  mostUnfinished: number;
  /** Retry queues in memory; the others stay in the store until they are due. */
  mostRetryQueues: number;
}

/** Where the reader and its retry queues stand in the store. */
export interface StoredProgress {
  position: number;
  finished: readonly Range[];
  paused: boolean;
  readBefore?: number;
  /** Due first, one more than `mostRetryQueues` if there are that many. */
  retryQueues: readonly RetryQueue[];
}

/** What is delivered one after the other: the updates of a chat, the callback queries of a user. */
export interface Queue {
  readonly name: string;
  /** Straight from the log, in order; the first may be in flight. */
  waiting: StoredUpdate[];
  /** One of its updates is in flight. */
  inFlight: boolean;
  /** It is in a list of queues to send from. */
  listed: boolean;
  /** Set once its head failed: its updates then wait in the store. */
  retry: RetryState | undefined;
}

/** Times are monotonic. */
export interface RetryState {
  /** Failures of the head in a row. */
  attempts: number;
  /** When the head failed first; undefined when it has not failed. */
  failingSince: number | undefined;
  /** When the head may be sent. */
  dueAt: number;
  /** Its last attempt found nobody, and it was not sent sooner for that before. */
  isUnreached: boolean;
  wasHastened: boolean;
  /** The last replay or "try now" request known, as the store numbers them. */
  requestedAt: number;
  /** The position whose failures are counted; 0 when only the store knows it. */
  headPosition: number;
  /** The first of what waits in the store, in order. */
  entries: RetryEntry[];
  /** The store may hold more than `entries`. */
  moreStored: boolean;
  /** Counts additions, so that a load knows whether it saw everything. */
  added: number;
  /** `added` and `requestedAt` when the load began. */
  addedAtLoad: number;
  requestedAtLoad: number;
  /** It is to be loaded, or being loaded. */
  loading: boolean;
  /** Number of the last changes that concern it. */
  changedIn: number;
}

/** The first of what waits in a retry queue, in order. */
export interface StoredEntries {
  entries: RetryEntry[];
  /** Positions of updates that retention took. */
  lost: readonly number[];
  /** There is no more. */
  complete: boolean;
}

/** One attempt to deliver the head of a queue. */
export interface Attempt {
  readonly queue: Queue;
  readonly entry: StoredUpdate;
  /** Straight from the log; its queue had not failed before. */
  readonly fresh: boolean;
  /** Takes one of the few connections for what failed before. */
  readonly retry: boolean;
  readonly replay: boolean;
  /** Sent to see whether the backend is back. */
  readonly probe: boolean;
  /** Counts the backends of this plan: an answer of a former one says nothing about the present one. */
  readonly backend: number;
}

export interface AttemptResult {
  /** 0 when there was no answer. */
  status: number;
  /** Why it failed; '' when the backend took the update. */
  error: string;
  /** No connection was made: it says nothing about the update. */
  isUnreached: boolean;
  /** The beginning of the answer. */
  answer: string;
  durationMs: number;
  /** What Retry-After asked for. */
  retryAfterMs: number | undefined;
  /** The Bot API call in the answer. */
  call: AnswerCall | undefined;
}

/** What the executor is to do; the object is valid until the plan is asked again. */
export interface Commands {
  /** Begin these, in this order. */
  readonly attempts: Attempt[];
  /** Read so many updates after `readAfter`; 0 for none. */
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

/** What was finished since the last commit. */
export interface Changes extends Omit<PushChanges<AnswerCall>, 'epoch' | 'generation'> {
  /** Grows with each commit. */
  number: number;
}

export type BackendStatus = 'ok' | 'failing' | 'paused';
