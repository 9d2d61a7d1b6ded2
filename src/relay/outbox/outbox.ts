/*
 * Sends everything that the relay itself sends.
 *
 * Invariants: `sending` is on disk before the socket is written, so that a crash leaves a trace; a
 * send whose outcome is unknown is recorded as such and never repeated automatically; a send that
 * certainly did not go out may be retried; the platform's answer is archived in the commit that
 * records the success.
 */
import { packReason } from '../../core/reasons/stored.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import { makesMessages, readAnswer, refusedTopic } from '../../core/messages/answer-facts.ts';
import type { PartsSender, SendRequest } from '../../core/ports.ts';
import { isRepeatable } from '../../core/bots/repeatable-methods.ts';
import { RelayError, sentUnrecorded } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { Step } from '../../store/engine.ts';
import type { TopicOfBot } from '../../store/messages/save-topics.ts';
import type { FailedSend, OutboxIntent, OutboxRepository } from '../../store/outbox/outbox.ts';
import type { OutboxRecord } from '../../store/outbox/outbox-record.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import {
  outcomeUnknown,
  PlatformRefused,
  PlatformUnreachable,
  toRelayError,
} from '../../telegram/errors.ts';
import { isFileParam } from '../../telegram/multipart.ts';
import type { Publish, RelayEvents } from '../events/relay-events.ts';
import { createPartsSender } from './following-sends.ts';
import type { InFlight } from './in-flight.ts';
import type { ChatQueues } from './chat-queues.ts';
import type { PreparedCall } from './preparation.ts';

export interface OutboxDeps {
  clock: Clock;
  /** This node's name, which changes if a second process runs under the same one. */
  node(): string;
  outbox: OutboxRepository;
  bots: { get(id: number): Promise<BotRecord | undefined> };
  telegram: TelegramClient;
  chatQueues: ChatQueues;
  inFlight: InFlight;
  events: Publish;
}

const sendTimeoutMs = 60_000;
const uploadTimeoutMs = 300_000;

/** Sends while the caller waits. */
export function createSender(
  deps: OutboxDeps & { events: Pick<RelayEvents, 'on'> },
  wake: (botId: number) => void = () => {},
): PartsSender {
  const { clock, outbox, chatQueues, inFlight } = deps;

  async function enabledBot(botId: number): Promise<BotRecord> {
    const bot = await deps.bots.get(botId);
    if (!bot) throw new RelayError('bot_not_found', reason('unknown_bot', { bot_id: botId }));
    if (!bot.disabled) return bot;
    throw new RelayError('bot_disabled', reason('bot_disabled', { bot_id: botId }));
  }

  async function settle(
    { id, node }: { id: number; node: string },
    request: SendRequest,
    outcome: Outcome,
  ): Promise<unknown> {
    const { botId } = request;
    const unrecorded = await inFlight.record({ id, botId }, () => {
      if (outcome.kind === 'sent') {
        return recordSuccess(deps, { id, ...request }, outcome.result);
      }
      const state = outcome.kind === 'unknown' ? 'unknown' : 'failed';
      const failed = { id, botId, node, goneTopic: goneTopicOf(request, outcome) };
      return recordFailure(deps, failed, state, outcomeText(outcome), clock.now());
    });
    // The caller gets Telegram's answer even if the record could not be stored.
    if (outcome.kind === 'sent') {
      if (unrecorded) throw sentUnrecorded(unrecorded);
      return outcome.result;
    }
    throw outcome.kind === 'unknown' ? outcomeUnknown(outcome.error) : toRelayError(outcome.error);
  }

  async function sendNow(request: SendRequest): Promise<{ id: number; result: unknown }> {
    await enabledBot(request.botId);
    const askedAt = clock.monotonic();
    const turnAt = await chatQueues.next(request);
    deps.events.publish('sendWaited', request.botId, clock.monotonic() - askedAt);
    // The bot may have been disabled while the send waited for its turn.
    const bot = await enabledBot(request.botId);
    const intent: OutboxIntent = {
      ...request,
      params: describe(request.params),
      intentKey: null,
    };
    const node = deps.node();
    const id = await outbox.begin(intent, node, clock.now());
    if (id === undefined) throw new Error('an intent without a key was taken before');
    inFlight.add(id);
    try {
      const missed = await chatQueues.keep(turnAt, request).catch((error: unknown) => error);
      // If the caller gave up meanwhile, the attempt notices and sends nothing.
      const outcome: Outcome =
        missed instanceof RelayError
          ? { kind: 'retry', error: missed }
          : await attempt(deps, bot, request);
      return { id, result: await settle({ id, node }, request, outcome) };
    } finally {
      inFlight.remove(id);
      if (request.appId) deps.events.publish('tried', request.botId, { id, appId: request.appId });
    }
  }

  return {
    send: async (request) => (await sendNow(request)).result,
    sendParts: createPartsSender({ ...deps, wake }, sendNow),
  };
}

type Failure = PlatformRefused | PlatformUnreachable | RelayError;

export type Outcome =
  | { kind: 'sent'; result: unknown }
  /** The platform asked to wait. */
  | { kind: 'wait'; error: PlatformRefused; seconds: number }
  /** The send certainly did not go out, and may go out later. */
  | { kind: 'retry'; error: Failure }
  /** The platform will never take it. */
  | { kind: 'refused'; error: PlatformRefused }
  /** The relay itself could not send it, and never will. */
  | { kind: 'failed'; error: Failure }
  | { kind: 'unknown'; error: PlatformRefused | PlatformUnreachable };

/** Makes one try, and passes what it shows about limits to the rate limiter. */
export async function attempt(
  { telegram, chatQueues, events }: OutboxDeps,
  bot: BotRecord,
  request: Pick<SendRequest, 'method' | 'params' | 'chatId' | 'signal'>,
): Promise<Outcome> {
  const hasUpload = Object.values(request.params).some(isFileParam);
  try {
    const result = await telegram.call(bot.token, request.method, request.params, {
      timeoutMs: hasUpload ? uploadTimeoutMs : sendTimeoutMs,
      signal: request.signal,
    });
    events.publish('accepted', bot.id, { chatId: request.chatId, method: request.method });
    return { kind: 'sent', result };
  } catch (error) {
    events.publish('sendFailed', bot.id, request.method);
    if (error instanceof PlatformUnreachable) {
      return { kind: error.requestWritten ? 'unknown' : 'retry', error };
    }
    if (error instanceof RelayError) return { kind: 'failed', error };
    if (!(error instanceof PlatformRefused)) throw error;
    if (error.kind === 'wait') {
      const seconds = error.parameters.retry_after ?? 1;
      const { chatId, method } = request;
      const limited = { app: '', chat: String(chatId || ''), method, retryAfterSeconds: seconds };
      events.publish('rateLimited', bot.id, limited);
      const refusal = { retryAfterSeconds: seconds, isOwn: true };
      await chatQueues.refused({ botId: bot.id, chatId, method }, refusal);
      return { kind: 'wait', error, seconds };
    }
    if (error.kind !== 'retry') return { kind: 'refused', error };
    // Even the platform does not know how far a request got that failed inside it: see ADR 19.
    return { kind: isRepeatable(request.method) ? 'retry' : 'unknown', error };
  }
}

/** Explains to people why it was not sent, or may not have been. */
export function outcomeText({ kind, error }: Exclude<Outcome, { kind: 'sent' }>): string {
  return packReason(whyOf(kind, error));
}

function whyOf(kind: Outcome['kind'], error: Failure): Reason {
  if (error instanceof RelayError) return error.reason;
  return kind === 'unknown' && error instanceof PlatformRefused
    ? reason('send_outcome_unknown', { description: error.description })
    : error.why;
}

export async function recordSuccess(
  { outbox, clock, events }: OutboxDeps,
  sent: Pick<SendRequest, 'botId' | 'method' | 'params' | 'origin' | 'chatId'> & {
    id: number;
    author: OutboxRecord['author'];
    intentKey?: string | null;
    appId?: number;
    note?: string;
    archived?: PreparedCall['archived'];
  },
  result: unknown,
  also?: () => Step<void>,
): Promise<void> {
  const answer = readAnswer(sent.method, sent.params, result);
  answer.archive.messages.push(...(sent.archived?.(result) ?? []));
  await outbox.succeed(sent, answer, clock.now(), also);
  const { messages } = answer.archive;
  events.publish('sendEnded', sent.botId, 'sent');
  const isNew = makesMessages(sent.method);
  const author = isNew ? sent.author : undefined;
  if (messages.length > 0) events.publish('sent', sent.botId, { messages, author });
  const isOfApp = ['answer', 'hook', 'gateway'].includes(sent.origin);
  if (isOfApp && isNew) {
    events.publish('appSent', sent.botId, { appId: sent.appId ?? 0, messages: messages.length });
  }
}

export async function recordFailure(
  { outbox, events }: OutboxDeps,
  { botId, ...failed }: FailedSend & { botId: number },
  state: 'failed' | 'unknown',
  words: string,
  now: number,
): Promise<void> {
  await outbox.fail(failed, state, words, now);
  events.publish('sendEnded', botId, state);
}

/** Returns the topic of a send that was refused because the bot cannot write into it. */
export function goneTopicOf(
  { botId, params }: Pick<SendRequest, 'botId' | 'params'>,
  outcome: Outcome,
): TopicOfBot | undefined {
  const refusal = outcome.kind === 'refused' ? outcome.error.refusal : '';
  const topic = refusedTopic(params, refusal);
  return topic && { botId, ...topic };
}

/** Returns the parameters to store: uploads by name only. */
function describe(params: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(params).map(([name, value]) =>
    isFileParam(value) ? [name, { upload: value.name }] : [name, value],
  );
  return Object.fromEntries(entries);
}
