import type { LogEntry } from '../../store/log/log-entry.ts';
import type { ParkedEntry } from '../../store/delivery/retry-queues.ts';

/** What has to be delivered one after the other: the updates of a chat, the presses of a user. */
export interface Queue {
  readonly name: string;
  /** Straight from the log, in order; the first may be under way. */
  waiting: LogEntry[];
  /** One of its updates is under way. */
  busy: boolean;
  /** It stands in a list of queues whose turn has come. */
  listed: boolean;
  /** Set when its head failed: its updates then wait in the store. */
  parked: Parked | undefined;
  /** Kept by the table in which it stands. */
  nextOfPlace: Queue | undefined;
}

export interface Parked {
  /** Failures of the head in a row. */
  attempts: number;
  /** When the head failed first, by the monotonic clock; undefined when it has not failed. */
  failingSince: number | undefined;
  /** When its head may be tried, by the monotonic clock. */
  dueAt: number;
  pokedAt: number;
  /** Whose failures are counted; 0 when that is known to the store only. */
  headPosition: number;
  /** The first of what waits in the store, in order. */
  entries: ParkedEntry[];
  /** The store may hold more than `entries`. */
  moreStored: boolean;
  /** Counts what was put behind, so that a load knows whether it saw everything. */
  added: number;
  loading: boolean;
}

export function newQueue(name: string): Queue {
  return {
    name,
    waiting: [],
    busy: false,
    listed: false,
    parked: undefined,
    nextOfPlace: undefined,
  };
}
