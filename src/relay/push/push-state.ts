import type { Dispatcher } from 'undici';
import type { Clock } from '../../clock.ts';
import type { VitalsRecorder } from '../../core/vitals.ts';
import type { Logger } from '../../logger.ts';
import type { LogEntry, LogRepository } from '../../store/log.ts';
import type { ParkedQueueRepository } from '../../store/parked-queues.ts';
import type { UpdateLog } from '../update-log.ts';
import type { AckWriter } from './ack-writer.ts';
import type { Backend } from './backend.ts';
import type { Breaker } from './breaker.ts';
import type { Changes } from './changes.ts';
import type { ParkedLoads } from './parked-loads.ts';
import type { Parking } from './parking.ts';
import type { Queue } from './queue.ts';
import type { Window } from './window.ts';

export interface PushSettings {
  maxConnections: number;
  giveUpAfterMs: number;
  timeoutMs: number;
  /** Deliveries of one bot that are answered but not yet on disk: what a crash may repeat. */
  mostUnsettled: number;
  /** Unfinished updates of one bot in memory. */
  mostUnfinished: number;
  /** Parked queues of one bot in memory. */
  mostParkedQueues: number;
}

/** What every pusher is given. */
export interface PushTools {
  clock: Clock;
  logger: Logger;
  /** Gives 0 to 1. */
  random: () => number;
  log: Pick<UpdateLog, 'read' | 'onAppend'>;
  readers: Pick<LogRepository, 'openReader'>;
  parkedQueues: ParkedQueueRepository;
  writer: AckWriter;
  settings: PushSettings;
  /** Connections of one bot's own, so that one bot's slow backend costs no other bot any. */
  openConnections: (most: number) => Dispatcher;
  /** Left out, nobody looks at the pulse. */
  vitals: Pick<VitalsRecorder, 'delivered' | 'deliveryFailed'> | undefined;
  /** Characters of updates in memory, over all bots. */
  memory: { characters: number; most: number };
}

/** What the parts of one bot's pusher share. */
export interface PushState {
  readonly botId: number;
  backend: Backend;
  readonly breaker: Breaker;
  /** These three stand once the reader is open. */
  window: Window;
  parking: Parking | undefined;
  loads: ParkedLoads | undefined;
  /** Every queue that has something to do. */
  readonly queues: Map<string, Queue>;
  /** Queues whose turn has come: healthy ones, and those that failed before. */
  readonly ready: Queue[];
  readonly retries: Queue[];
  /** What has to be written down. */
  changes: Changes;
  /** Answered, and not yet on disk. */
  unsettled: number;
  /** Of updates that wait in memory. */
  characters: number;
  /** It stops: nothing new is begun. */
  halted: boolean;
}

export function list(queue: Queue, where: Queue[]): void {
  queue.listed = true;
  where.push(queue);
}

export function hold(state: PushState, tools: PushTools, entry: LogEntry): void {
  state.characters += entry.raw.length;
  tools.memory.characters += entry.raw.length;
}

export function release(state: PushState, tools: PushTools, entry: LogEntry): void {
  // Stopping has given all of it back at once.
  if (state.halted) return;
  state.characters -= entry.raw.length;
  tools.memory.characters -= entry.raw.length;
}
