import { backoffMs } from '../../core/backoff.ts';
import type { AppFormat } from '../../core/apps/app.ts';
import { formatCall } from '../../core/markdown/markdown-calls.ts';
import { makesMessages } from '../../core/messages/answer-facts.ts';
import { isPaidSend } from '../../core/messages/broadcast.ts';
import { isKeptFile } from '../../core/messages/kept-file.ts';
import { sendPriorities } from '../../core/messages/send-class.ts';
import { reason } from '../../core/reasons/reason.ts';
import { isOutage, RelayError } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import { LeaseLost } from '../../store/cluster/leases.ts';
import type { Step } from '../../store/engine.ts';
import { enqueueFollowing } from '../../store/outbox/outbox.ts';
import type { OutboxRecord } from '../../store/outbox/outbox-record.ts';

import { PlatformRefused, PlatformUnreachable } from '../../telegram/errors.ts';
import {
  attempt,
  type Outcome,
  type OutboxDeps,
  outcomeText,
  goneTopicOf,
  recordFailure,
  recordSuccess,
} from './outbox.ts';
import { uploadOf } from './kept-file.ts';
import type { Preparation, PreparedCall } from './preparation.ts';

export interface QueuedSenderOptions {
  random: () => number;
  /** A send is retried for this long after it was queued. */
  giveUpAfterMs: number;
  onError: (error: unknown, botId: number) => void;
  /**
   * Returns the lease epoch, without which no send is taken once another node holds the bot; left
   * out if there is no other node.
   */
  leaseEpochOf?: (botId: number) => number | undefined;
  preparation?: Preparation;
  /** How the texts of an app are read; left out if they are sent as they are. */
  formatOf?: (appId: number) => Promise<AppFormat>;
  /** Called if a refusal says that a group became a supergroup, before the refusal is recorded. */
  onChatMoved?: (fromChatId: number, toChatId: number) => Promise<void>;
}

/** The run of a bot's worker: its signal ends waits for a turn, and it learns how tries ended. */
export interface SendRun {
  signal: AbortSignal;
  noteOutcome(kind: Outcome['kind']): void;
}

/** A send that waited longer for its first attempt fails, because nobody expects it that late. */
const mostWaitMs = 24 * 3_600_000;
// If the platform asked for a longer pause, the rate limiter keeps it, or the platform asks again.
export const maxPostponeMs = 3_600_000;

/** Sends what was taken from the queue: waits for its turn, takes it, tries it, and records the outcome. */
export class QueuedSender {
  readonly #deps: OutboxDeps;
  readonly #options: QueuedSenderOptions;

  constructor(deps: OutboxDeps, options: QueuedSenderOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Returns false if nothing could be done with the send. */
  async send(record: OutboxRecord, run: SendRun): Promise<boolean> {
    const { clock, bots, chatQueues, events, inFlight, outbox } = this.#deps;
    const { botId, chatId, method, notBefore } = record;
    const bot = await bots.get(botId);
    if (!bot || bot.disabled) return false;
    // The age counts from the last time it was queued: a send that a person repeats may be older.
    if (clock.now() - record.updatedAt >= mostWaitMs) return this.#failOld(record);
    const priority = sendPriorities[record.priority] ?? 'bulk';
    const isPaid = isPaidSend(record);
    const asked = { botId, chatId, method, priority, isPaid, signal: run.signal } as const;
    const turnAt = await chatQueues.next(asked);
    const node = this.#deps.node();
    const took = await this.#take(record, node);
    if (took !== 'here') return took === 'elsewhere';
    events.publish('sendWaited', botId, clock.now() - Math.max(dueAt(record), notBefore));
    try {
      await chatQueues.keep(turnAt, asked);
    } catch {
      const taken = { id: record.id, node };
      await inFlight.record(record, () => outbox.requeue(taken, null, 0, clock.now()));
      return false;
    }
    try {
      return await this.#sendTaken(record, run, { bot, node });
    } finally {
      if (record.appId !== 0 && makesMessages(method)) events.publish('tried', botId, record);
    }
  }

  /** Fails a send that waited too long for its bot to be enabled, or for its turn. */
  async #failOld(record: OutboxRecord): Promise<boolean> {
    const { clock, inFlight } = this.#deps;
    const node = this.#deps.node();
    const took = await this.#take(record, node);
    if (took !== 'here') return took === 'elsewhere';
    const call = { method: record.method, params: {} };
    const outcome: Outcome = { kind: 'failed', error: notSent('send_too_old') };
    const failing = this.#recording({ record, node, call }, outcome, clock.now());
    return (await inFlight.record(record, failing)) === undefined;
  }

  /** Returns false if the outcome could not be recorded. */
  async #sendTaken(
    record: OutboxRecord,
    run: SendRun,
    { bot, node }: { bot: BotRecord; node: string },
  ): Promise<boolean> {
    const { clock, inFlight } = this.#deps;
    const { chatId, method } = record;
    const preparation = this.#preparationOf(record);
    // A stop does not cut this short: it is better to wait for a written request than to leave its
    // outcome unknown.
    let call: PreparedCall = { method, params: {} };
    const send = (ready: PreparedCall) => {
      call = ready;
      return attempt(this.#deps, bot, { ...ready, chatId });
    };
    const notPrepared = (error: unknown) => this.#outcomeOfPreparing(error, record.botId);
    const prepared = preparation ? preparation.prepare(record) : this.#formatted(record);
    let outcome = await prepared.then(send, notPrepared);
    if (outcome.kind === 'refused' && preparation) {
      const refused = outcome;
      outcome = await preparation
        .instead(record, call, refused.error)
        .then((other) => (other ? send(other) : refused), notPrepared);
    }
    if (outcome.kind === 'refused') await this.#noteMove(record, outcome.error);
    const now = clock.now();
    run.noteOutcome(outcome.kind);
    const recording = this.#recording({ record, node, call }, outcome, now);
    return (await inFlight.record(record, recording)) === undefined;
  }

  #preparationOf(record: OutboxRecord): Preparation | undefined {
    return record.context === '' ? undefined : this.#options.preparation;
  }

  /**
   * Only this refusal tells a bot that does not see the messages of a group that it became a
   * supergroup.
   */
  async #noteMove({ botId, chatId }: OutboxRecord, error: PlatformRefused): Promise<void> {
    const movedTo = error.parameters.migrate_to_chat_id;
    if (movedTo === undefined) return;
    try {
      await this.#options.onChatMoved?.(chatId, movedTo);
    } catch (failure) {
      this.#options.onError(failure, botId);
    }
  }

  /** `stale` means that this node may not send it at present. */
  async #take(record: OutboxRecord, node: string): Promise<'here' | 'elsewhere' | 'stale'> {
    const { clock, inFlight, outbox } = this.#deps;
    const { leaseEpochOf } = this.#options;
    const { id, botId } = record;
    const leaseEpoch = leaseEpochOf?.(botId);
    if (leaseEpochOf && leaseEpoch === undefined) return 'stale';
    try {
      return (await outbox.take(record, node, clock.now(), leaseEpoch)) ? 'here' : 'elsewhere';
    } catch (error) {
      if (error instanceof LeaseLost) return 'stale';
      if (!isOutage(error)) throw error;
      // The send may have been taken despite the error, and certainly was not sent.
      const taken = { id, node };
      await inFlight.record(record, () => outbox.requeue(taken, null, 0, clock.now()));
      return 'stale';
    }
  }

  /** Returns the function that records an outcome; it may be called until it succeeds. */
  #recording(
    { record, node, call }: { record: OutboxRecord; node: string; call: PreparedCall },
    outcome: Outcome,
    now: number,
  ): () => Promise<void> {
    const { clock, events, outbox } = this.#deps;
    const { random, giveUpAfterMs } = this.#options;
    const { id, botId } = record;
    if (outcome.kind === 'sent') {
      return async () => {
        await this.#recordSuccess(record, call, outcome.result);
        if (record.context !== '') events.publish('routed', botId, record);
      };
    }
    const words = outcomeText(outcome);
    const goneTopic = goneTopicOf({ botId, params: call.params }, outcome);
    const failing = (state: 'failed' | 'unknown') => () =>
      recordFailure(this.#deps, { id, botId, node, goneTopic }, state, words, now);
    if (outcome.kind === 'unknown') return failing('unknown');
    const isOver = clock.now() - dueAt(record) >= giveUpAfterMs;
    if (outcome.kind === 'refused' || outcome.kind === 'failed' || isOver) return failing('failed');
    const delayMs =
      outcome.kind === 'wait'
        ? Math.min(outcome.seconds * 1000, maxPostponeMs)
        : backoffMs(record.attempts, { random });
    return () => outbox.requeue({ id, node }, words, now + delayMs, now);
  }

  #recordSuccess(record: OutboxRecord, call: PreparedCall, result: unknown): Promise<void> {
    const preparation = this.#preparationOf(record);
    const now = this.#deps.clock.now();
    return recordSuccess(this.#deps, { ...record, ...call }, result, function* (): Step<void> {
      if (preparation) yield* preparation.recordAlso(record, call, result);
      if (call.following) yield* enqueueFollowing(record.id, call.following, now);
    });
  }

  /** A call that an app returned in the response to an update may have Markdown. */
  async #formatted(record: OutboxRecord): Promise<PreparedCall> {
    const call = await this.#asStored(record);
    const { appId, origin } = record;
    const formatOf = origin === 'answer' && appId !== 0 ? this.#options.formatOf : undefined;
    if ((await formatOf?.(appId)) !== 'markdown') return call;
    const [first, ...others] = (await formatCall(call)) ?? [call];
    const following = others.map(({ params }) => params);
    return { ...(first ?? call), ...(following.length > 0 ? { following } : {}) };
  }

  async #asStored({ method, params }: OutboxRecord): Promise<PreparedCall> {
    const stored = Object.entries(JSON.parse(params) as Record<string, unknown>);
    const { filePart } = this.#deps.outbox;
    const entries = stored.map(([name, value]) => [
      name,
      isKeptFile(value) ? uploadOf(value, filePart) : value,
    ]);
    return { method, params: Object.fromEntries(entries) as Record<string, unknown> };
  }

  /** Nothing was sent if preparing failed, so it may be retried unless it can never succeed. */
  #outcomeOfPreparing(error: unknown, botId: number): Outcome {
    if (error instanceof PlatformUnreachable) return { kind: 'retry', error };
    if (error instanceof PlatformRefused) {
      if (error.kind === 'wait') {
        return { kind: 'wait', error, seconds: error.parameters.retry_after ?? 1 };
      }
      return { kind: error.kind === 'retry' ? 'retry' : 'refused', error };
    }
    if (error instanceof RelayError && !isOutage(error)) return { kind: 'failed', error };
    this.#options.onError(error, botId);
    return isOutage(error)
      ? { kind: 'retry', error: notSent('send_waits_for_database') }
      : { kind: 'failed', error: notSent('send_internal_error') };
  }
}

/** A scheduled send was not expected to go out earlier. */
const dueAt = ({ createdAt, sendAt }: OutboxRecord): number => Math.max(createdAt, sendAt);

function notSent(
  code: 'send_waits_for_database' | 'send_internal_error' | 'send_too_old',
): RelayError {
  return new RelayError('internal', reason(code));
}
