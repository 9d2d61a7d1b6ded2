/*
 * Passes calls through to Telegram and archives what they sent.
 *
 * Invariant: archiving delays no response, with one exception: before an app with own_replies learns
 * the ID of its message, the relay stores that the app sent it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { buildConnector } from 'undici';
import type { Clock } from '../../clock.ts';
import { makesMessages } from '../../core/messages/answer-facts.ts';
import type { Logger } from '../../logger.ts';
import type { AppSends } from '../../relay/apps/app-sends.ts';
import { withTimeout } from '../../relay/async/with-timeout.ts';
import type { Store } from '../../store/store.ts';
import { openSpan } from '../../tracing.ts';
import { drain, hasUnreadBody } from '../drain.ts';
import { BodiesInMemory } from './bodies-in-memory.ts';
import type { GatewayCaller } from './callers.ts';
import { formatted, type FormattingDeps, isFormatted, passInParts } from './formatting.ts';
import { capture, type CaptureDeps, chatIdOf, isReportable, type PassedCall } from './capture.ts';
import { createCaptureQueue } from './capture-queue.ts';
import {
  noAnswer,
  type PacedPassingDeps,
  pacingOf,
  paramsOf,
  passPaced,
  type Transmission,
} from './paced-passing.ts';
import { readBody } from './params.ts';
import { corsHeaders, headersOf, sendRaw } from './send-envelope.ts';
import { type Answered, createUpstream, type PassOutcome } from './upstream.ts';

export interface PassingDeps
  extends Omit<CaptureDeps, 'now' | 'queue'>,
    Omit<PacedPassingDeps, 'activity'>,
    Omit<FormattingDeps, 'activity'> {
  clock: Clock;
  logger: Logger;
  store: Pick<Store, 'apps' | 'bots' | 'captures' | 'messages'>;
  appSends: Pick<AppSends, 'begin' | 'ended' | 'cancel'>;
  /** The base URL of this token's platform, without a trailing slash. */
  baseUrlFor(token: string): string;
  maxConnections?: number;
  /** The way to open connections to Telegram; direct connections if omitted. */
  connect?: buildConnector.connector;
}

// A body this small is sent in one piece, and its parameters are read.
const smallBodyBytes = 64 * 1024;
const copyBytes = 1024 * 1024;
// How long the response to a send waits until its sender is stored.
const longestHoldMs = 3_000;

export interface Passing {
  passOn(
    request: FastifyRequest,
    reply: FastifyReply,
    call: { caller: GatewayCaller; path: string; method: string },
  ): Promise<FastifyReply>;
  /** Ends the calls that Telegram has not answered. */
  disconnect(): void;
  /** Resolves when everything that was sent is stored. */
  close(): Promise<void>;
}

export function createPassing(deps: PassingDeps): Passing {
  const upstream = createUpstream(deps);
  const queue = createCaptureQueue({
    clock: deps.clock,
    captures: deps.store.captures,
    onStored({ botId, answer: { archive }, author, sendId }) {
      if (sendId !== undefined) deps.appSends.ended(sendId);
      deps.events.publish('sent', botId, { messages: archive.messages, author });
    },
    onError: (error, botId) =>
      deps.logger.error({ err: error, bot_id: botId }, 'sent message not stored'),
  });
  const captureDeps: CaptureDeps = { ...deps, queue, now: () => deps.clock.now() };
  const bodies = new BodiesInMemory();
  const captures = new Set<Promise<void>>();

  async function passOn(
    request: FastifyRequest,
    reply: FastifyReply,
    { caller, path, method }: { caller: GatewayCaller; path: string; method: string },
  ): Promise<FastifyReply> {
    const client = request.raw;
    const pacing = pacingOf(caller, method);
    const formats = isFormatted(caller, method);
    if (pacing || formats) {
      const { start, isWhole, release } = await bodies.read(caller.bot.id, client);
      try {
        const read = { request, reply, caller, path, method, body: isWhole ? start : undefined };
        const passed = formats && isWhole ? await formatted(read) : read;
        reply.hijack();
        if (pacing) await passPaced({ ...deps, transmit }, passed, { ...pacing, start });
        else await transmit({ ...passed, isPaced: false });
        return reply;
      } finally {
        release();
      }
    }
    const length = Number(client.headers['content-length'] ?? Number.NaN);
    const body = length <= smallBodyBytes ? await readBody(client, smallBodyBytes) : undefined;
    reply.hijack();
    await transmit({ request, reply, caller, path, method, body, isPaced: false });
    return reply;
  }

  /** Passes a call on once. The client has its response then, unless a 429 was withheld. */
  function transmit(call: Transmission): Promise<PassOutcome> {
    const { inParts } = call;
    return inParts ? passInParts(deps, { ...call, inParts }) : passThrough(call);
  }

  async function passThrough(call: Transmission): Promise<PassOutcome> {
    const { request, reply, caller, path, method, body, isPaced, rewritten } = call;
    const { bot, app, mask } = caller;
    const client = request.raw;
    const reportable = isReportable(method);
    const span = openSpan('telegram', 'client', { bot_id: bot.id }, 'under way');
    if (/^[A-Za-z]{1,64}$/.test(method)) span?.rename(`telegram ${method}`);
    const isUpload = body === undefined && hasUnreadBody(client);
    const params = () => paramsOf(call);
    const wantsReplies = app?.own_replies === true && makesMessages(method);
    const chatId =
      wantsReplies && !isUpload ? await params().then(chatIdOf, () => undefined) : undefined;
    let sendId: string | undefined;
    let isKept = false;
    let isOver = false;
    const keepAnswer = ({ status, retryAfter, copy }: Answered) => {
      isKept = true;
      const seconds = Number.parseInt(retryAfter ?? '', 10);
      const retryAfterSeconds = Number.isNaN(seconds) ? undefined : seconds;
      const answered = { status, retryAfterSeconds, answer: copy };
      return keep({ bot, app, method, ...answered, isPaced, params, sendId }, wantsReplies);
    };
    const outcome = await upstream.pass({
      client,
      answer: reply.raw,
      ownHeaders: {
        ...headersOf(reply),
        ...corsHeaders,
        'content-security-policy': 'sandbox',
      },
      baseUrl: deps.baseUrlFor(bot.token),
      path,
      body,
      writtenType: rewritten?.contentType,
      copyBytes: reportable ? copyBytes : 0,
      // A call whose body was not read cannot be repeated, so its client gets the 429.
      withholds429: isPaced && !isUpload,
      isFile: method === '',
      mask,
      // Uploads and downloads run at the speed of the client.
      isTransfer: method === '' || isUpload,
      ...(wantsReplies && {
        async beforeWhole() {
          sendId = await deps.appSends.begin({ botId: bot.id, appId: app.id, chatId });
          if (isOver) deps.appSends.cancel(sendId);
        },
        // The wait is bounded for the case that the database is unavailable: the message is sent
        // already.
        beforeAnswer: (answered: Answered) =>
          withTimeout(deps.clock, longestHoldMs, keepAnswer(answered)),
      }),
    });
    isOver = true;
    span?.end(outcome.kind === 'answered' ? undefined : outcome.kind);
    if (sendId !== undefined && outcome.kind !== 'answered') deps.appSends.cancel(sendId);
    if (outcome.kind === 'unreachable' || outcome.kind === 'unknown') {
      if (hasUnreadBody(client)) await drain(client);
      sendRaw(reply, noAnswer(outcome));
    }
    const isToldToWait = outcome.kind === 'answered' && outcome.status === 429 && method !== '';
    if (outcome.kind === 'answered' && (reportable || isToldToWait) && !isKept) {
      void keepAnswer(outcome);
    }
    return outcome;
  }

  /** Resolves when the call is parsed or, with `untilStored`, when it is on disk as well. */
  function keep(call: PassedCall, untilStored: boolean): Promise<void> {
    const { bot, method, sendId } = call;
    const captured = capture(captureDeps, call)
      .then((isQueued) => {
        if (!isQueued && sendId !== undefined) deps.appSends.cancel(sendId);
        return untilStored ? queue.flush() : undefined;
      })
      .catch((error: unknown) => {
        if (sendId !== undefined) deps.appSends.cancel(sendId);
        deps.logger.error({ err: error, bot_id: bot.id, method }, 'Telegram answer not understood');
      })
      .finally(() => captures.delete(captured));
    captures.add(captured);
    return captured;
  }

  return {
    passOn,
    disconnect: () => void upstream.close(),
    async close() {
      await Promise.all(captures);
      await queue.close();
      await upstream.close();
    },
  };
}
