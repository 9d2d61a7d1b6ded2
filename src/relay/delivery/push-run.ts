import { pushReader } from '../../core/log/reader-kinds.ts';
import { createKeyedMutex } from '../async/mutex.ts';
import type { DeliveryDeps, DeliveryExecutor } from './delivery-executor.ts';
import { forwards, type PushBot } from './push-target.ts';
import { startDelivery } from './start-delivery.ts';

export interface PushRunDeps {
  delivery: DeliveryDeps;
  /** Returns the bot as the named reader delivers it. */
  bots: { get(id: number, reader: string): Promise<PushBot | undefined> };
  /** Reads the generation of the stored reader. */
  generationOf(botId: number, reader: string): Promise<number>;
}

const startAgainMs = 1_000;
export const defaultDrainMs = 600;

/** A reader that should deliver on this node. If its delivery ends by itself, another one starts. */
export class PushRun {
  bot: PushBot;
  readonly reader: string;
  readonly epoch: number | undefined;
  /** Undefined until the reader is open. */
  delivery: DeliveryExecutor | undefined;
  readonly #runs: PushRuns;

  constructor(bot: PushBot, reader: string, epoch: number | undefined, runs: PushRuns) {
    this.bot = bot;
    this.reader = reader;
    this.epoch = epoch;
    this.#runs = runs;
  }

  /** Starts at the stored position, and retries until the database answers. */
  async start(): Promise<void> {
    const { bot, epoch, reader } = this;
    const { delivery: deps } = this.#runs.deps;
    if (this.#runs.isDrained(this)) return;
    try {
      const delivery = await startDelivery({ ...bot, reader, epoch }, deps);
      if (!delivery) {
        this.#runs.remove(this);
        return;
      }
      this.delivery = delivery;
      delivery.ended.then(
        (end) => this.#ended(delivery, end),
        (error: unknown) => {
          deps.logger.error({ err: error, bot_id: bot.id }, 'delivery stopped with an error');
          this.#startLater();
        },
      );
    } catch (error) {
      this.#cannotStart(error);
    }
  }

  /** Starts again with the present settings of the bot, unless it is no longer pushed. */
  async restart(): Promise<void> {
    if (!this.#runs.isCurrent(this)) return;
    this.delivery = undefined;
    try {
      const bot = await this.#runs.deps.bots.get(this.bot.id, this.reader);
      if (!bot || !forwards(bot)) {
        this.#runs.remove(this);
        return;
      }
      this.bot = bot;
    } catch (error) {
      this.#cannotStart(error);
      return;
    }
    await this.start();
  }

  async stop(drainMs: number): Promise<void> {
    this.#runs.remove(this);
    await this.delivery?.stop(drainMs);
  }

  /** True if it has to start again from the stored position. */
  async isOutdated(bot: PushBot, epoch: number | undefined): Promise<boolean> {
    // The lease was lost and taken again, so another node may have delivered meanwhile.
    if (newest(epoch, this.epoch) !== this.epoch) return true;
    if (this.bot.app?.id !== bot.app?.id) return true;
    // The reader may have been moved together with the change that is being applied.
    return (await this.storedGeneration()) !== this.delivery?.generation;
  }

  storedGeneration(): Promise<number> {
    return this.#runs.deps.generationOf(this.bot.id, this.reader);
  }

  #cannotStart(error: unknown): void {
    if (!this.#runs.isCurrent(this)) return;
    const { logger } = this.#runs.deps.delivery;
    logger.warn({ err: error, bot_id: this.bot.id }, 'delivery cannot start yet');
    this.#startLater();
  }

  #startLater(): void {
    const { delivery } = this;
    const { clock } = this.#runs.deps.delivery;
    clock.after(startAgainMs, () => void this.#restartAfter(delivery));
  }

  /** Restarts it, unless someone else did so meanwhile. */
  #restartAfter(delivery: DeliveryExecutor | undefined): Promise<void> {
    return this.#runs.oneAtATime(this.bot.id, async () => {
      if (this.delivery === delivery) await this.restart();
    });
  }

  #ended(delivery: DeliveryExecutor, end: string): void {
    if (end === 'stopped' || !this.#runs.isCurrent(this) || this.delivery !== delivery) return;
    if (end === 'outdated') {
      void this.#restartAfter(delivery);
      return;
    }
    // Another node that delivers is worth a warning; a deleted bot or app is not.
    this.#runs.deps.delivery.logger[end === 'gone' ? 'debug' : 'warn'](
      { bot_id: this.bot.id, reader: this.reader, end },
      'this node no longer delivers for this bot',
    );
    this.#runs.remove(this);
  }
}

/** What must not start until a drain ends. */
interface Drain {
  botId: number;
  readers: readonly string[];
  cancelEnd(): void;
}

/** The runs of all bots on this node, and the drains that hold some of them back. */
export class PushRuns {
  readonly deps: PushRunDeps;
  /** Runs operations on one bot in turn. */
  readonly oneAtATime = createKeyedMutex();
  /** The key is the ID of the drain. */
  readonly drains = new Map<string, Drain>();
  /** The key is the bot, then the name of the reader. */
  readonly #byBot = new Map<number, Map<string, PushRun>>();

  constructor(deps: PushRunDeps) {
    this.deps = deps;
  }

  get size(): number {
    return this.#byBot.size;
  }

  botIds(): number[] {
    return [...this.#byBot.keys()];
  }

  get(botId: number, reader: string = pushReader): PushRun | undefined {
    return this.#byBot.get(botId)?.get(reader);
  }

  of(botId: number, readers?: readonly string[]): PushRun[] {
    const all = [...(this.#byBot.get(botId)?.values() ?? [])];
    return readers ? all.filter(({ reader }) => readers.includes(reader)) : all;
  }

  isCurrent(run: PushRun): boolean {
    return this.#byBot.get(run.bot.id)?.get(run.reader) === run;
  }

  isDrained({ bot, reader }: PushRun): boolean {
    return [...this.drains.values()].some(
      ({ botId, readers }) => botId === bot.id && readers.includes(reader),
    );
  }

  /** Starts a run, in the place of the one that the reader may have had. */
  async begin(bot: PushBot, reader: string, epoch: number | undefined): Promise<void> {
    const run = new PushRun(bot, reader, epoch, this);
    const ofBot = this.#byBot.get(bot.id) ?? new Map<string, PushRun>();
    this.#byBot.set(bot.id, ofBot.set(reader, run));
    await run.start();
  }

  remove(run: PushRun): void {
    if (!this.isCurrent(run)) return;
    const ofBot = this.#byBot.get(run.bot.id);
    ofBot?.delete(run.reader);
    if (ofBot?.size === 0) this.#byBot.delete(run.bot.id);
  }
}

/** Keeps the newer epoch, as an older lease may just arrive late. */
export function newest(epoch: number | undefined, other: number | undefined): number | undefined {
  return epoch === undefined || other === undefined ? (epoch ?? other) : Math.max(epoch, other);
}
