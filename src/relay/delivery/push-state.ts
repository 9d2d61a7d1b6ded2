import type { Dispatcher } from 'undici';
import type { Clock } from '../../clock.ts';
import type { LiveMetricsRecorder } from '../../core/stats/live-metrics.ts';
import type { Logger } from '../../logger.ts';
import type { LogRepository } from '../../store/log/log.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { ParkedQueueRepository } from '../../store/delivery/retry-queues.ts';
import type { StoredWebhook, WebhookRepository } from '../../store/delivery/webhooks.ts';
import type { UpdateLog } from '../log/update-log.ts';
import type { AckWriter } from './ack-writer.ts';
import { type Backend, createBackend } from './backend.ts';
import { Breaker } from './circuit-breaker.ts';
import { type Changes, noChanges } from './changes.ts';
import type { ParkedLoads } from './parked-loads.ts';
import type { Parking } from './parking.ts';
import type { Queue } from './queue.ts';
import { QueueTable } from './queue-table.ts';
import { type Wants, wantsOf } from './allowed-updates-history.ts';
import { Window } from './window.ts';

export interface PushSettings {
  /** Of a bot whose backend did not ask for a number of its own. */
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

/** To addresses that users name; `certificate` is PEM that is trusted as well, '' for none. */
export type OpenConnections = (most: number, certificate: string) => Dispatcher;

/** What every pusher is given. */
export interface PushTools {
  clock: Clock;
  logger: Logger;
  /** Gives 0 to 1. */
  random: () => number;
  log: Pick<UpdateLog, 'read' | 'onAppend'>;
  readers: Pick<LogRepository, 'openReader'>;
  webhooks: Pick<WebhookRepository, 'get'>;
  parkedQueues: ParkedQueueRepository;
  writer: AckWriter;
  settings: PushSettings;
  /** Connections of one bot's own, so that one bot's slow backend costs no other bot any. */
  openConnections: OpenConnections;
  /** Left out, nobody looks at the pulse. */
  vitals: Pick<LiveMetricsRecorder, 'delivered' | 'deliveryFailed'> | undefined;
  /** Characters of updates in memory, over all bots. */
  memory: { characters: number; most: number };
}

/** What the parts of one bot's pusher share. */
export interface PushState {
  readonly botId: number;
  backend: Backend;
  /** Undefined when the backend gets everything. */
  wants: Wants | undefined;
  /** Uploaded with setWebhook; '' for none. */
  certificate: string;
  readonly breaker: Breaker;
  /** Of the reader in the store, as it was opened. */
  era: number;
  /** These three stand once the reader is open. */
  window: Window;
  parking: Parking | undefined;
  loads: ParkedLoads | undefined;
  /** Every queue that has something to do. */
  readonly queues: QueueTable;
  /** Queues whose turn has come: healthy ones, and those that failed before. */
  readonly ready: Queue[];
  readonly retries: Queue[];
  /** What has to be written down. */
  changes: Changes;
  /** Answered, and not yet on disk. */
  unsettled: number;
  /** Of updates that wait in memory. */
  characters: number;
  /** When it was last noted that the backend takes updates; -Infinity when that must be noted anew. */
  reachedAt: number;
  /** It stops: nothing new is begun. */
  halted: boolean;
}

/** The backend of a bot. */
export interface PushTarget {
  id: number;
  backend_url: string;
  secret_token: string;
}

export function newPushState(bot: PushTarget, tools: PushTools): PushState {
  const mostConnections = tools.settings.maxConnections;
  return {
    botId: bot.id,
    backend: createBackend(bot.backend_url, bot.secret_token),
    wants: undefined,
    certificate: '',
    breaker: new Breaker({ mostConnections, random: tools.random }),
    era: 0,
    window: new Window(0),
    parking: undefined,
    loads: undefined,
    queues: new QueueTable(),
    ready: [],
    retries: [],
    changes: noChanges(bot.id),
    unsettled: 0,
    characters: 0,
    reachedAt: -Infinity,
    halted: false,
  };
}

/** What setWebhook asked for comes into force. */
export function useOptions(
  state: PushState,
  tools: PushTools,
  webhook: StoredWebhook | undefined,
): void {
  state.wants = webhook && wantsOf(webhook.allowedUpdatesHistory);
  state.certificate = webhook?.certificate ?? '';
  state.breaker.most = webhook?.maxConnections || tools.settings.maxConnections;
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
