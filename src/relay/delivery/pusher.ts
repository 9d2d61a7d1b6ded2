/*
 * One bot's reader that delivers its log to its backend: the feed takes updates from the log into
 * queues, the courier sends their heads, the parking keeps the queues that failed, and this holds
 * them together, wakes them at the right time and writes down what they finished.
 */
import { writeReaderState } from '../../store/delivery/push-progress.ts';
import type { StoredWebhook } from '../../store/delivery/webhooks.ts';
import { withTimeout } from '../async/with-timeout.ts';
import type { AckSource, Refusal } from './ack-writer.ts';
import { createBackend } from './backend.ts';
import { type Changes, mergeChanges, noChanges } from './changes.ts';
import { Courier } from './courier.ts';
import { Feed } from './feed.ts';
import { openReader } from './open-reader.ts';
import {
  list,
  newPushState,
  type PushState,
  type PushTarget,
  type PushTools,
  useOptions,
} from './push-state.ts';
import type { Queue } from './queue.ts';

export type BackendStatus = 'ok' | 'failing' | 'paused';

export interface PusherHooks {
  /** It has deliveries under way, or none any more. */
  busy(pusher: Pusher, isBusy: boolean): void;
  status(botId: number, status: BackendStatus): void;
  /** The bot is another node's, or gone, or its reader was moved: this pusher has ended itself. */
  refused(pusher: Pusher, verdict: Refusal): void;
}

// After the database failed, and while queues beyond those in memory wait in the store.
const lookAgainMs = 1_000;

export class Pusher implements AckSource {
  readonly botId: number;
  /** The lease under which it writes. */
  epoch: number | undefined;
  /** Among those that are busy. */
  index = -1;
  readonly #tools: PushTools;
  readonly #hooks: PusherHooks;
  readonly #state: PushState;
  readonly #feed: Feed;
  readonly #courier: Courier;
  #unsubscribe: (() => void) | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;
  #abandoned = false;
  #toldStatus: BackendStatus = 'ok';

  constructor(
    bot: PushTarget & { epoch?: number | undefined },
    tools: PushTools,
    hooks: PusherHooks,
  ) {
    this.botId = bot.id;
    this.epoch = bot.epoch;
    this.#tools = tools;
    this.#hooks = hooks;
    this.#state = newPushState(bot, tools);
    this.#feed = new Feed(this.#state, tools, {
      pump: () => this.#courier.pump(),
      touch: () => this.#touch(),
      failed: (error) => this.#fault(error),
      lookAgainAt: (atMs) => this.#armAt(atMs),
    });
    this.#courier = new Courier(this.#state, tools, {
      settled: (queue) => this.#settled(queue),
      recovered: () => this.#recovered(),
      next: (queue) => this.#next(queue),
      probeAt: (atMs) => this.#armAt(atMs),
      needOne: () => this.#feed.fill(),
      busy: (isBusy) => hooks.busy(this, isBusy),
    });
  }

  get status(): BackendStatus {
    const { breaker, parking } = this.#state;
    if (breaker.isOpen) return 'paused';
    return breaker.isRamping || parking?.isFailing ? 'failing' : 'ok';
  }

  async start(): Promise<void> {
    // Subscribed before the reader is opened, so that nothing appended meanwhile goes unnoticed.
    this.#unsubscribe ??= this.#tools.log.onAppend(this.botId, (position) => this.#grown(position));
    const parked = await openReader(this.#state, this.#tools);
    for (const queue of parked) this.#next(queue);
    this.#tick();
  }

  /** Of the reader in the store, as this one knows it. */
  get era(): number {
    return this.#state.era;
  }

  /** The bot's settings, or what its backend asked for, may have changed. */
  retarget({ backend_url: url, secret_token: secret }: PushTarget, webhook?: StoredWebhook): void {
    const { backend, breaker, parking } = this.#state;
    const { most } = breaker;
    const { certificate } = this.#state;
    useOptions(this.#state, this.#tools, webhook);
    const trustsOther = certificate !== this.#state.certificate;
    const isElsewhere = url !== backend.url || trustsOther;
    if (isElsewhere || most !== breaker.most) this.#courier.closeConnections();
    if (isElsewhere || secret !== backend.secretToken) {
      this.#state.backend = createBackend(url, secret);
      this.#state.reachedAt = -Infinity;
      this.#state.changes.backend = undefined;
      // What failed at the old address, or for the old secret, may well work now.
      breaker.reset();
      parking?.hasten(() => this.#tools.clock.monotonic());
    }
    this.#tick();
  }

  /** Someone replayed into this bot's queues, wants them tried now, or checked the backend. */
  async poke(): Promise<void> {
    const { breaker, loads } = this.#state;
    if (!loads || this.#state.halted) return;
    // A check may have failed since: the next delivery tells anew.
    this.#state.reachedAt = -Infinity;
    const poked = await loads.loadPoked();
    if (poked.length === 0 || this.#state.halted) return;
    for (const queue of poked) this.#next(queue);
    if (breaker.isOpen) breaker.probeAt = Math.min(breaker.probeAt, this.#tools.clock.monotonic());
    this.#touch();
    this.#tick();
  }

  /** Waits for what is under way, ends the rest, and writes down what was finished. */
  async stop(drainMs: number): Promise<void> {
    const { clock, writer } = this.#tools;
    this.#halt();
    if (drainMs > 0) await withTimeout(clock, drainMs, this.#courier.drained());
    this.#courier.cancelAll();
    this.#courier.closeConnections();
    await withTimeout(clock, Math.max(drainMs, lookAgainMs), writer.flush());
  }

  sweep(nowMs: number): void {
    this.#courier.sweep(nowMs);
  }

  takeChanges(): Changes {
    const { breaker, changes, window } = this.#state;
    this.#state.changes = noChanges(this.botId);
    const finished = window.finishedAbove();
    return {
      ...changes,
      epoch: this.epoch,
      era: this.#state.era,
      cursor: {
        position: window.cursor,
        state: writeReaderState({ finished, paused: breaker.isOpen }),
      },
    };
  }

  giveBack(changes: Changes): void {
    this.#state.changes = mergeChanges(changes, this.#state.changes);
  }

  committed(changes: Changes): void {
    this.#state.unsettled -= changes.attempts.length;
    this.#state.parking?.trim();
    if (changes.backend) this.#hooks.status(this.botId, this.status);
    this.#courier.pump();
    this.#feed.refill();
  }

  refused(verdict: Refusal): void {
    this.#abandoned = true;
    this.#halt();
    this.#courier.cancelAll();
    this.#courier.closeConnections();
    this.#hooks.refused(this, verdict);
  }

  #halt(): void {
    this.#tools.memory.characters -= this.#state.characters;
    this.#state.characters = 0;
    this.#state.halted = true;
    this.#unsubscribe?.();
    this.#cancelTimer?.();
  }

  #touch(): void {
    if (!this.#abandoned) this.#tools.writer.touch(this);
  }

  #fault(error: unknown): void {
    if (this.#state.halted) return;
    this.#tools.logger.warn({ err: error, bot_id: this.botId }, 'push cannot read its updates');
    this.#armAt(this.#tools.clock.monotonic() + lookAgainMs);
  }

  #grown(lastPosition: number): void {
    const { breaker } = this.#state;
    this.#feed.grown(lastPosition);
    if (!breaker.isOpen) return;
    breaker.freshArrived(this.#tools.clock.monotonic());
    this.#courier.pump();
  }

  #settled(queue: Queue): void {
    this.#touch();
    this.#next(queue);
    this.#courier.pump();
    this.#feed.refill();
    this.#tellStatus();
  }

  /** The backend is back: what is parked comes soon, spread out, while the breaker ramps up. */
  #recovered(): void {
    const { clock, random } = this.#tools;
    const nowMs = clock.monotonic();
    this.#state.parking?.hasten(() => nowMs + random() * 5_000);
    this.#armAt(nowMs);
  }

  /** Decides what becomes of a queue after something about it changed. */
  #next(queue: Queue): void {
    const { halted, parking, queues, ready, retries } = this.#state;
    const { parked } = queue;
    if (queue.busy || queue.listed || halted || parked?.loading) return;
    // Left to the store since someone took hold of it: there it is found when it is due.
    if (queues.get(queue.name) !== queue) return;
    if (!parked) {
      if (queue.waiting.length > 0) list(queue, ready);
      else queues.remove(queue);
    } else if (parked.entries.length === 0 && !parked.moreStored) {
      parking?.unpark(queue);
      this.#touch();
    } else if (parked.dueAt > this.#tools.clock.monotonic()) {
      this.#armAt(parked.dueAt);
    } else if (parked.entries.length === 0) {
      this.#load(queue);
    } else list(queue, parked.attempts > 0 ? retries : ready);
  }

  #load(queue: Queue): void {
    this.#state.loads?.load(queue).then(
      () => {
        if (this.#state.halted) return;
        this.#next(queue);
        this.#touch();
        this.#courier.pump();
      },
      (error: unknown) => {
        if (queue.parked) queue.parked.dueAt = this.#tools.clock.monotonic() + lookAgainMs;
        this.#fault(error);
      },
    );
  }

  #armAt(atMs: number): void {
    if (this.#state.halted || atMs >= this.#timerAt) return;
    this.#cancelTimer?.();
    this.#timerAt = atMs;
    this.#cancelTimer = this.#tools.clock.after(atMs - this.#tools.clock.monotonic(), () =>
      this.#tick(),
    );
  }

  /** Looks at everything that waits for its time. */
  #tick(): void {
    const { halted, loads, parking } = this.#state;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    if (halted || !parking) return;
    const nowMs = this.#tools.clock.monotonic();
    for (const queue of parking.due(nowMs)) this.#next(queue);
    if (parking.overflows) {
      loads?.loadDue().then(
        (queues) => {
          for (const queue of queues) this.#next(queue);
          this.#courier.pump();
        },
        (error: unknown) => this.#fault(error),
      );
      this.#armAt(nowMs + lookAgainMs);
    }
    this.#courier.pump();
    this.#feed.fill();
    const next = parking.nextAt();
    if (next !== undefined) this.#armAt(Math.max(next, nowMs + 1));
    this.#tellStatus();
  }

  #tellStatus(): void {
    const { status } = this;
    if (status === this.#toldStatus) return;
    this.#toldStatus = status;
    this.#touch();
    this.#hooks.status(this.botId, status);
  }
}
