/*
 * Carries out the delivery plan of one reader: one loop that sends, reads, loads and commits what
 * the plan asks for, and reports how that ended. Every event wakes the loop; a wake-up is only a
 * hint.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { type Sees, seesUnclaimed } from '../../core/apps/claims.ts';
import { type QueueOf, type QueueSettings, readerQueues } from '../../core/log/reader-queues.ts';
import { unpackReason } from '../../core/reasons/stored.ts';
import type { LiveMetricsRecorder } from '../../core/stats/live-metrics.ts';
import type { RelayMetrics } from '../../core/stats/relay-metrics.ts';
import type { Logger } from '../../logger.ts';
import type { CommitResult } from '../../store/delivery/deliveries.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { LogRepository } from '../../store/log/log.ts';
import type { RetryQueue, RetryQueueRepository } from '../../store/delivery/retry-queues.ts';
import type { StoredWebhook, WebhookRepository } from '../../store/delivery/webhooks.ts';
import { type Wants, wantsOf } from './allowed-updates-history.ts';
import type { UpdateLog } from '../log/update-log.ts';
import { withTimeout } from '../async/with-timeout.ts';
import { attemptResult, Cancelled, outcomeLabel } from './attempt-result.ts';
import type { CommitWriter } from './commit-writer.ts';
import type { ConnectionPool } from './connection-pool.ts';
import type { DeliveryPlan } from './plan/delivery-plan.ts';
import type {
  Attempt,
  BackendStatus,
  Changes,
  Commands,
  Moment,
  PlanSettings,
  Queue,
} from './plan/plan-types.ts';
import { type Address, BackendSender, type Sent } from './backend-sender.ts';
import { WakeUp } from './wake-up.ts';

export interface DeliverySettings extends PlanSettings {
  timeoutMs: number;
}

export interface DeliveryDeps {
  clock: Clock;
  logger: Logger;
  /** Gives 0 to 1. */
  random: () => number;
  log: Pick<UpdateLog, 'read' | 'peek' | 'onAppend'>;
  readers: Pick<LogRepository, 'openReader' | 'findReader'>;
  webhooks: Pick<WebhookRepository, 'get'>;
  retryQueues: RetryQueueRepository;
  writer: CommitWriter;
  settings: DeliverySettings;
  connections: ConnectionPool;
  /** Live metrics are not recorded if left out. */
  liveMetrics: Pick<LiveMetricsRecorder, 'delivered' | 'deliveryFailed'> | undefined;
  metrics?: Pick<RelayMetrics, 'attempted'> | undefined;
  /** Called when the backend of an app took an update; 0 is the bot's own backend. */
  onTaken?: ((botId: number, appId: number) => void) | undefined;
  /** The number of characters of updates in memory, over all bots. */
  memory: { characters: number; readonly most: number };
  onStatus(botId: number, reader: string, status: BackendStatus): void;
}

/** The reader of a bot, and the backend it delivers to. */
export interface DeliveryTarget extends QueueSettings {
  id: number;
  reader: string;
  backend_url: string;
  secret_token: string;
  /** The app that the reader delivers for; if left out, the reader is the bot's own. */
  app?: { id: number; sees: Sees; kinds: readonly string[] };
  /** The epoch of the lease under which the reader commits. */
  epoch: number | undefined;
}

/**
 * Why delivery ended: it was stopped here, another node owns the bot, or the bot or its reader was
 * moved or removed.
 */
export type DeliveryEnd = 'stopped' | Exclude<CommitResult, 'stored'>;

const commitAgainMs = 500;
const entriesPerLoad = 50;
const lastCommitMs = 1_000;
// A request from a node whose clock is behind may look older than one seen before.
const clockSkewMs = 60_000;

export class DeliveryExecutor {
  /** The generation of the stored reader when it was opened. */
  readonly generation: number;
  /** Resolves when everything has ended. */
  readonly ended: Promise<DeliveryEnd>;
  readonly #deps: DeliveryDeps;
  readonly #target: DeliveryTarget;
  readonly #plan: DeliveryPlan;
  readonly #wakeUp: WakeUp;
  readonly #sender: BackendSender;
  readonly #moment: Moment = { ms: 0, wallMs: 0 };
  #end: DeliveryEnd | undefined;
  #isHalted = false;
  #onDrained: (() => void) | undefined;
  #isCommitting = false;
  #commitAt = 0;
  #flushes: { upTo: number; resolve: () => void }[] = [];
  #requestedAt: number;
  #toldStatus: BackendStatus = 'ok';
  /** The status is published once these changes are committed. */
  #publishAfter = Number.POSITIVE_INFINITY;
  /** The last failure, in its stored form. */
  #lastError = '';
  /** The wall-clock time of that failure, or of the start. */
  #failedAt: number;
  #countedCharacters = 0;
  /** The filter of the app, and the kinds that its backend asked for. */
  #sees: Sees = seesUnclaimed;
  #queueOf: QueueOf | undefined;
  /** The settings of `#queueOf`, as JSON. */
  #queues = '';
  #allows: ReturnType<typeof wantsOf> = () => true;

  constructor(
    target: DeliveryTarget,
    deps: DeliveryDeps,
    opened: {
      plan: DeliveryPlan;
      webhook: StoredWebhook | undefined;
      generation: number;
      requestedAt: number;
    },
  ) {
    this.generation = opened.generation;
    this.#target = { ...target };
    this.#deps = deps;
    this.#plan = opened.plan;
    this.#requestedAt = opened.requestedAt;
    this.#failedAt = deps.clock.now();
    this.#wakeUp = new WakeUp(deps.clock);
    const { clock, connections, settings } = deps;
    this.#sender = new BackendSender(
      {
        botId: target.id,
        clock,
        timeoutMs: settings.timeoutMs,
        connections,
        onEnded: (sent) => this.#attemptEnded(sent),
      },
      this.#useOptions(target, opened.webhook),
    );
    this.ended = this.#run();
  }

  get status(): BackendStatus {
    return this.#plan.status;
  }

  /** Applies the bot's settings and the choices of its backend, which may have changed. */
  change(
    target: Omit<DeliveryTarget, 'reader' | 'epoch'>,
    webhook: StoredWebhook | undefined,
  ): void {
    const isOther = this.#sender.use(this.#useOptions(target, webhook));
    if (isOther) this.#plan.backendChanged(this.#now());
    this.#wakeUp.set();
  }

  /**
   * Reads requests from the store: someone replayed into the retry queues, wants them sent at once,
   * or checked the backend.
   */
  async readRequests(): Promise<void> {
    const { clock, retryQueues } = this.#deps;
    const { id, reader } = this.#target;
    const since = Math.min(this.#requestedAt, clock.now()) - clockSkewMs;
    let rows: RetryQueue[] = [];
    const asked = this.#plan.askedForRequests();
    try {
      rows = await retryQueues.requestedSince(id, reader, Math.max(0, since));
    } finally {
      this.#requestedAt = Math.max(this.#requestedAt, ...rows.map((row) => row.requestedAt));
      this.#plan.requested(rows, asked, this.#now());
      this.#wakeUp.set();
    }
    if (this.status === 'ok') return;
    const acceptedAt = await retryQueues.acceptedAt(id, reader);
    if (acceptedAt >= this.#failedAt) {
      this.#plan.backendAccepts(this.#now());
      this.#wakeUp.set();
    }
  }

  /** Resolves when everything finished so far is on disk. */
  flush(): Promise<void> {
    const upTo = this.#plan.lastChanges;
    if (this.#end !== undefined || this.#plan.committed >= upTo) return Promise.resolve();
    return new Promise((resolve) => {
      this.#flushes.push({ upTo, resolve });
      this.#wakeUp.set();
    });
  }

  /** Waits for what is in flight, cuts off the rest, and stores what was finished. */
  async stop(drainMs: number): Promise<void> {
    const { clock } = this.#deps;
    this.#isHalted = true;
    this.#plan.halt();
    this.#wakeUp.set();
    this.#sender.cancelWaiting();
    if (drainMs > 0 && this.#sender.inFlight > 0) {
      const drained = new Promise<void>((resolve) => {
        this.#onDrained = resolve;
      });
      await withTimeout(clock, drainMs, drained);
    }
    this.#sender.cancelAll();
    await withTimeout(clock, Math.max(drainMs, lastCommitMs), this.ended);
    // Updates whose result could not be stored are delivered again.
    this.#end ??= 'stopped';
    this.#wakeUp.set();
  }

  async #run(): Promise<DeliveryEnd> {
    const { log, memory } = this.#deps;
    const { id } = this.#target;
    const unsubscribe = log.onAppend(id, (lastPosition) => {
      const peeked = log.peek(id, this.#plan.scanned);
      // An update that the filter cannot judge at once is read from the log, where the read waits
      // for the filter.
      const isReady = !this.#sees.isReady || peeked?.every((entry) => this.#isReady(entry));
      const fresh = isReady ? peeked : undefined;
      if (this.#plan.logGrew(lastPosition, this.#now(), fresh)) this.#wakeUp.set();
    });
    try {
      while (this.#end === undefined) {
        const commands = this.#plan.next(this.#now(), memory.characters > memory.most);
        this.#carryOut(commands);
        memory.characters += this.#plan.characters - this.#countedCharacters;
        this.#countedCharacters = this.#plan.characters;
        this.#tellStatus();
        if (this.#isHalted && this.#isSettled(commands)) return 'stopped';
        if (commands.wakeAt <= this.#moment.ms) await nextTurn();
        else await this.#wakeUp.wait(commands.wakeAt);
      }
      return this.#end;
    } finally {
      // Nothing more is stored, and nobody waits for it.
      this.#end ??= 'stopped';
      unsubscribe();
      this.#wakeUp.close();
      memory.characters -= this.#countedCharacters;
      for (const { resolve } of this.#flushes) resolve();
      this.#sender.close();
    }
  }

  #carryOut(commands: Commands): void {
    for (const attempt of commands.attempts) this.#sender.send(attempt);
    if (commands.read > 0) void this.#read(commands.readAfter, commands.read);
    for (const queue of commands.loads) void this.#load(queue);
    if (commands.lookUp) void this.#lookUp();
    if (commands.commit === 'none') return;
    if (this.#moment.ms < this.#commitAt)
      commands.wakeAt = Math.min(commands.wakeAt, this.#commitAt);
    else if (!this.#isCommitting) void this.#commit();
    if (commands.commit === 'now' || this.#flushes.length > 0) this.#deps.writer.hurry();
  }

  #isSettled({ commit }: Commands): boolean {
    if (this.#sender.inFlight > 0) return false;
    this.#onDrained?.();
    return commit === 'none' && !this.#isCommitting;
  }

  #attemptEnded({ attempt, outcome, startedAt, host }: Sent): void {
    const now = this.#now();
    if (outcome.failure instanceof Cancelled) this.#plan.attemptCancelled(attempt, now);
    else {
      const { timeoutMs } = this.#deps.settings;
      const durationMs = now.ms - startedAt;
      const result = attemptResult(outcome, { durationMs, timeoutMs, host }, now);
      if (result.error !== '') {
        this.#lastError = result.error;
        this.#failedAt = now.wallMs;
      }
      this.#plan.attemptEnded(attempt, result, now);
      this.#count(attempt, outcome, durationMs, now);
      if (this.status === 'paused') this.#sender.pause();
    }
    this.#wakeUp.set();
  }

  #count({ entry, replay }: Attempt, sent: Sent['outcome'], durationMs: number, now: Moment): void {
    const { liveMetrics, metrics, onTaken } = this.#deps;
    const { id, app } = this.#target;
    const outcome = outcomeLabel(sent);
    const isDelivered = outcome === 'delivered';
    // The latency of a repeated send would only measure when someone asked for it.
    const isAgain = replay || entry.position <= this.#plan.readBefore;
    const latencyMs =
      isDelivered && !isAgain ? Math.max(0, now.wallMs - entry.receivedAt) : undefined;
    metrics?.attempted(id, outcome, durationMs, latencyMs);
    if (isDelivered) onTaken?.(id, app?.id ?? 0);
    else liveMetrics?.deliveryFailed(id);
    if (latencyMs !== undefined) liveMetrics?.delivered(id, latencyMs);
  }

  async #read(after: number, limit: number): Promise<void> {
    try {
      const entries = await this.#deps.log.read(this.#target.id, after, limit);
      if (this.#sees.ready) await this.#decide(entries);
      const stored = this.#plan.overflows ? await this.#storedAmong(entries) : undefined;
      const queued = this.#plan.entriesRead(entries, this.#now(), stored);
      // Yields to other bots while it passes a long stretch that the backend did not ask for.
      if (queued === 0) await nextTurn();
    } catch (error) {
      this.#plan.readFailed(this.#now());
      this.#warn(error);
    }
    this.#wakeUp.set();
  }

  /** Names the queues of these updates that wait in the store. */
  async #storedAmong(entries: readonly LogEntry[]): Promise<ReadonlySet<string>> {
    const { id, reader } = this.#target;
    const queueOf = this.#queueOf;
    const names = new Set(entries.map((entry) => this.#plan.queueOf(entry)));
    const stored = await this.#deps.retryQueues.among(id, reader, [...names]);
    // The names are others after a switch.
    return queueOf === this.#queueOf ? stored : this.#storedAmong(entries);
  }

  #isReady(entry: LogEntry): boolean {
    return !this.#allows(entry) || this.#sees.isReady?.(entry) !== false;
  }

  /** Patterns of a filter take time, so other work runs in between. */
  async #decide(entries: readonly LogEntry[]): Promise<void> {
    for (const entry of entries) {
      const waiting = this.#allows(entry) ? this.#sees.ready?.(entry) : undefined;
      if (waiting) await waiting;
    }
  }

  async #load(queue: Queue): Promise<void> {
    const { retryQueues } = this.#deps;
    const { id, reader } = this.#target;
    try {
      const stored = await retryQueues.entries(id, reader, queue.name, entriesPerLoad);
      this.#plan.queueLoaded(queue, stored, this.#now());
    } catch (error) {
      this.#plan.loadFailed(queue, this.#now());
      this.#warn(error);
    }
    this.#wakeUp.set();
  }

  async #lookUp(): Promise<void> {
    const { retryQueues, settings } = this.#deps;
    const { id, reader } = this.#target;
    try {
      const rows = await retryQueues.first(id, reader, settings.mostRetryQueues + 1);
      this.#plan.queuesLookedUp(rows, this.#now());
    } catch (error) {
      this.#plan.queuesLookedUp(undefined, this.#now());
      this.#warn(error);
    }
    this.#wakeUp.set();
  }

  async #commit(): Promise<void> {
    const { id, reader } = this.#target;
    this.#isCommitting = true;
    let taken: Changes | undefined;
    const result = await this.#deps.writer.commit(() => {
      if (this.#end !== undefined) return undefined;
      taken = this.#plan.takeChanges();
      const { app, epoch } = this.#target;
      return { ...taken, appId: app?.id, epoch, generation: this.generation };
    });
    this.#isCommitting = false;
    if (result === 'failed') {
      if (taken) this.#plan.commitFailed(taken);
      this.#commitAt = this.#deps.clock.monotonic() + commitAgainMs;
    } else if (result !== 'stored') this.#end ??= result;
    else if (taken) {
      this.#plan.commitEnded(taken);
      if (taken.backend) this.#deps.onStatus(id, reader, this.status);
      const { committed } = this.#plan;
      for (const { upTo, resolve } of this.#flushes) if (upTo <= committed) resolve();
      this.#flushes = this.#flushes.filter(({ upTo }) => upTo > committed);
    }
    this.#wakeUp.set();
  }

  /**
   * Applies what setWebhook asked for: the plan gets its part, the returned address holds the rest.
   */
  #useOptions(
    target: Omit<DeliveryTarget, 'reader' | 'epoch'>,
    webhook: StoredWebhook | undefined,
  ): Address {
    const { backend_url, secret_token, app, per_topic, urgent, username } = target;
    const maxConnections = webhook?.maxConnections || this.#deps.settings.maxConnections;
    const sees = app?.sees ?? seesUnclaimed;
    const allows = webhook && wantsOf(webhook.allowedUpdatesHistory, app?.kinds ?? []);
    this.#sees = sees;
    const queues = JSON.stringify({ per_topic, urgent, username });
    // Another function would mean a switch.
    if (queues !== this.#queues) this.#queueOf = readerQueues({ per_topic, urgent, username });
    this.#queues = queues;
    this.#allows = allows ?? (() => true);
    const wants: Wants = allows ? (entry) => allows(entry) && sees(entry) : sees;
    this.#plan.useOptions({ maxConnections, wants, queueOf: this.#queueOf });
    const certificate = webhook?.certificate ?? '';
    return { url: backend_url, secretToken: secret_token, certificate };
  }

  #tellStatus(): void {
    const { committed, lastChanges, status } = this.#plan;
    if (status !== this.#toldStatus) {
      this.#logStatus(status);
      this.#publishAfter = lastChanges;
    }
    // Publishes the status only after its commit, because subscribers read it from the store.
    if (committed < this.#publishAfter) return;
    this.#publishAfter = Number.POSITIVE_INFINITY;
    this.#deps.onStatus(this.#target.id, this.#target.reader, status);
  }

  #logStatus(status: BackendStatus): void {
    const isWorse = status === 'paused' || this.#toldStatus === 'ok';
    this.#toldStatus = status;
    const { id, reader } = this.#target;
    const line = { bot_id: id, reader, status };
    // After a restart the reason is unknown until the first attempt.
    const reason = this.#lastError === '' ? {} : { reason: unpackReason(this.#lastError).text };
    if (isWorse) this.#deps.logger.warn({ ...line, ...reason }, 'backend status changed');
    else this.#deps.logger.info(line, 'backend status changed');
  }

  #warn(error: unknown): void {
    if (this.#isHalted || this.#end !== undefined) return;
    this.#deps.logger.warn(
      { err: error, bot_id: this.#target.id, reader: this.#target.reader },
      'delivery cannot read updates',
    );
  }

  /** Reuses one object, because the plan keeps no reference to it. */
  #now(): Moment {
    this.#moment.ms = this.#deps.clock.monotonic();
    this.#moment.wallMs = this.#deps.clock.now();
    return this.#moment;
  }
}
