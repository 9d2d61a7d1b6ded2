/*
 * Sends what is queued in the outbox: routed messages, and method calls that backends answered
 * with. Order within a chat is kept, chats go in parallel, and a send that has to wait holds back
 * only its own chat.
 */
import type { RelayEvents } from '../events/relay-events.ts';
import { BotWorker } from './bot-worker.ts';
import { createSweep, type OtherNodes } from './lost-sends.ts';
import type { OutboxDeps } from './outbox.ts';
import { QueuedSender, type QueuedSenderOptions } from './queued-sender.ts';

export interface OutboxWorkers {
  /** Begins to send for a bot; does nothing if it already sends. */
  start(botId: number): void;
  /** Stops taking new sends and waits for those in flight. */
  stop(botId: number): Promise<void>;
  /** Stops all bots for good. */
  stopAll(): Promise<void>;
  /** Something was queued for the bot, which this node may run. */
  wake(botId: number): void;
  /** A wake-up may have been missed. */
  wakeAll(): void;
  /** Something was queued for the bot, whichever node runs it. */
  wakeAnywhere(botId: number): void;
}

export interface WorkerOptions extends QueuedSenderOptions {
  nodes: OtherNodes;
  /** Tells the node that runs the bot that something was queued. */
  notifyOwner?: (botId: number) => void;
}

export interface WorkerDeps extends OutboxDeps {
  events: Pick<RelayEvents, 'publish' | 'on'>;
}

// A bot may come from a node that died during a send, so the first look for lost sends comes soon.
const firstSweepMs = 1_000;

export function createOutboxWorkers(deps: WorkerDeps, options: WorkerOptions): OutboxWorkers {
  const { nodes, leaseEpochOf, notifyOwner, random, onError } = options;
  const workers = new Map<number, BotWorker>();
  const sender = new QueuedSender(deps, options);
  const sweep = createSweep({ ...deps, nodes }, { wake, onError: (error) => onError(error, 0) });
  const workerDeps = {
    ...deps,
    random,
    onError,
    send: sender.send.bind(sender),
    wakeOwner: wakeAnywhere,
  };
  deps.events.on('recordedLate', wakeAnywhere);

  function wake(botId: number): void {
    workers.get(botId)?.look();
  }

  function wakeAnywhere(botId: number): void {
    if (leaseEpochOf && leaseEpochOf(botId) === undefined) notifyOwner?.(botId);
    else wake(botId);
  }

  async function stop(botId: number): Promise<void> {
    const worker = workers.get(botId);
    if (!worker) return;
    workers.delete(botId);
    if (workers.size === 0) sweep.pause();
    await worker.stop();
  }

  return {
    start(botId) {
      if (workers.has(botId)) return;
      const worker = new BotWorker(botId, workerDeps);
      workers.set(botId, worker);
      sweep.lookWithin(firstSweepMs);
      worker.look();
    },
    stop,
    stopAll: async () => {
      await Promise.all([...workers.keys()].map(stop));
      await sweep.end();
    },
    wake,
    wakeAll() {
      for (const worker of workers.values()) worker.look();
    },
    wakeAnywhere,
  };
}
