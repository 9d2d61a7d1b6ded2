/*
 * Serves the Bot API at the address of the service: any bot library works by changing its API root.
 *
 * Invariants: Telegram is never called for a token that is not registered here; requests and
 * responses are passed through unchanged and unbuffered; archiving delays no response, with one
 * exception: before an app with own_replies learns the ID of its message, the relay stores that the
 * app sent it; no token reaches a log line.
 */
import type { OutgoingHttpHeaders } from 'node:http';
import type { buildConnector } from 'undici';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../clock.ts';
import { makesMessages } from '../../core/messages/answer-facts.ts';
import type { MessageFact } from '../../core/messages/archive-facts.ts';
import type { Logger } from '../../logger.ts';
import type { AppActivity } from '../../relay/apps/app-activity.ts';
import type { AppSends } from '../../relay/apps/app-sends.ts';
import { withTimeout } from '../../relay/async/with-timeout.ts';
import type { Store } from '../../store/store.ts';
import type { LocalFiles } from '../../core/ports.ts';
import { openSpan } from '../../tracing.ts';
import { drain, hasUnreadBody } from '../drain.ts';
import { placeOf, type Place, readFileAddress, readMethodAddress } from './address.ts';
import { createCallers, type GatewayCaller, requireMethod } from './callers.ts';
import { capture, type CaptureDeps, chatIdOf, isReportable, type PassedCall } from './capture.ts';
import { createCaptureQueue } from './capture-queue.ts';
import {
  type Envelope,
  envelopeOf,
  failure,
  malformedToken,
  methodNotAllowed,
  notFound,
  unauthorized,
} from './envelope.ts';
import { createLocalMethods, type LocalMethod, type LocalMethodDeps } from './local-methods.ts';
import { decompress, readBody, readParams } from './params.ts';
import { corsHeaders, sendEnvelope, sendPreflight } from './send-envelope.ts';
import { sendLocalFile } from './send-local-file.ts';
import { type Answered, createUpstream, type PassOutcome } from './upstream.ts';

export interface GatewayDeps extends LocalMethodDeps, Omit<CaptureDeps, 'now' | 'queue'> {
  clock: Clock;
  logger: Logger;
  /** Called once passed-through messages are stored. */
  onCaptured?: (botId: number, messages: readonly MessageFact[]) => void;
  store: Pick<Store, 'apps' | 'bots' | 'captures' | 'messages' | 'webhooks'>;
  activity: AppActivity;
  appSends: Pick<AppSends, 'begin' | 'ended' | 'cancel'>;
  /** The base URL of this token's platform, without a trailing slash. */
  baseUrlFor(token: string): string;
  maxConnections?: number;
  /** The files of a Bot API server in local mode. */
  localFiles?: LocalFiles;
  /** The way to open connections to Telegram; direct connections if omitted. */
  connect?: buildConnector.connector;
}

const localBodyBytes = 1024 * 1024;
// A body this small is sent in one piece, and its parameters are read.
const smallBodyBytes = 64 * 1024;
const copyBytes = 1024 * 1024;
// How long a shutdown waits for calls that the platform has not answered.
const stopTimeoutMs = 2_000;
// How long the response to a send waits until its sender is stored.
const longestHoldMs = 3_000;

/** Adds the gateway to the app; call it before `listen`. */
export function installGateway(app: FastifyInstance, deps: GatewayDeps): void {
  const { gate } = app.relay;
  const upstream = createUpstream(deps);
  const localMethods = createLocalMethods(deps);
  const callerOf = createCallers(deps.store);
  const queue = createCaptureQueue({
    clock: deps.clock,
    captures: deps.store.captures,
    onStored({ botId, answer: { archive }, sendId }) {
      if (sendId !== undefined) deps.appSends.ended(sendId);
      deps.onCaptured?.(botId, archive.messages);
    },
    onError: (error, botId) =>
      deps.logger.error({ err: error, bot_id: botId }, 'sent message not stored'),
  });
  const captureDeps: CaptureDeps = { ...deps, queue, now: () => deps.clock.now() };
  const captures = new Set<Promise<void>>();

  async function answer(request: FastifyRequest, reply: FastifyReply, place: Place) {
    const address =
      place.kind === 'file' ? readFileAddress(place.rest) : readMethodAddress(place.rest);
    if (address.kind === 'nothing') {
      gate.limitAddress(request, reply);
      return sendEnvelope(reply, notFound());
    }
    if (address.kind === 'bad token') {
      gate.limitAddress(request, reply);
      return sendEnvelope(reply, malformedToken());
    }
    const caller = await callerOf(address.token, place.app);
    if (typeof caller === 'string') {
      gate.limitAddress(request, reply);
      return sendEnvelope(reply, unauthorized(caller));
    }
    const { bot, app, mask } = caller;
    const query = queryOf(request.url);
    if (address.kind === 'file') {
      noteCall(caller);
      requireMethod(app, 'getFile', 'platform');
      const path = mask ? mask.reveal(address.path) : address.path;
      const local = await deps.localFiles?.open(bot.token, decodeURIComponent(path));
      if (local === 'not found') return sendEnvelope(reply, notFound());
      if (local) return sendLocalFile(request, reply, local);
      const whole = `/file/bot${bot.token}/${path}${query && `?${query}`}`;
      return passOn(request, reply, { caller, path: whole, method: '' });
    }
    const { method, test } = address;
    const name = method.toLowerCase();
    // A poll is recorded where it is answered, because its consumer may name another app.
    if (name !== 'getupdates') noteCall(caller);
    const local = localMethods.get(name);
    if (local) {
      requireMethod(app, method, 'relay');
      return sendEnvelope(reply, await callLocal(local, caller, request, query));
    }
    requireMethod(app, method, 'platform');
    const path = `/bot${bot.token}/${test ? 'test/' : ''}${method}${query && `?${query}`}`;
    return passOn(request, reply, { caller, path, method });
  }

  /**
   * Records a call as activity of its app. If clients poll the bot itself, only polls count,
   * because sending does not show that updates are received.
   */
  function noteCall({ app, bot }: GatewayCaller): void {
    const isForwarded = bot.proxy_enabled && bot.backend_url !== '';
    if (!app && bot.long_poll_enabled && !isForwarded) return;
    deps.activity.seen(bot.id, app?.id ?? 0);
  }

  async function callLocal(
    local: LocalMethod,
    { bot, app }: GatewayCaller,
    { raw }: FastifyRequest,
    query: string,
  ): Promise<Envelope> {
    const sent = await readBody(raw, localBodyBytes);
    const body = await decompress(raw.headers['content-encoding'], sent, localBodyBytes);
    const params = await readParams(query, raw.headers['content-type'], body);
    const gone = new AbortController();
    raw.socket.once('close', onClose);
    try {
      return await local({ bot, app, params, signal: gone.signal });
    } finally {
      raw.socket.off('close', onClose);
    }
    function onClose(): void {
      gone.abort(new Error('the client went away'));
    }
  }

  async function passOn(
    request: FastifyRequest,
    reply: FastifyReply,
    { caller, path, method }: { caller: GatewayCaller; path: string; method: string },
  ): Promise<FastifyReply> {
    const { bot, app, mask } = caller;
    const client = request.raw;
    const reportable = isReportable(method);
    const length = Number(client.headers['content-length'] ?? Number.NaN);
    const body = length <= smallBodyBytes ? await readBody(client, smallBodyBytes) : undefined;
    reply.hijack();
    const span = openSpan('telegram', 'client', { bot_id: bot.id }, 'under way');
    if (/^[A-Za-z]{1,64}$/.test(method)) span?.rename(`telegram ${method}`);
    const isUpload = body === undefined && hasUnreadBody(client);
    const params = async () => {
      const { 'content-encoding': encoding, 'content-type': type } = client.headers;
      const plain = await decompress(encoding, body ?? Buffer.alloc(0), copyBytes);
      return readParams(queryOf(request.url), type, plain);
    };
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
      const call = { bot, app, method, status, retryAfterSeconds, answer: copy, params, sendId };
      return keep(call, wantsReplies);
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
      copyBytes: reportable ? copyBytes : 0,
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
    return reply;
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

  function sendError(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
    const known = envelopeOf(error);
    if (!known) {
      deps.logger.error({ err: error, request_id: request.id }, 'gateway request failed');
    }
    const envelope = known ?? failure(500, 'Internal Server Error');
    if (!reply.sent) return sendEnvelope(reply, envelope);
    if (reply.raw.headersSent) reply.raw.destroy();
    else sendRaw(reply, envelope);
    return reply;
  }

  app.register(async (instance) => {
    // Serve calls in onRequest, before a body is parsed: bodies of any type are passed through.
    const serve = (prefix: string) => ({
      method: instance.supportedMethods,
      url: `${prefix}*`,
      logLevel: 'silent' as const,
      onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
        const path = pathOf(request.url);
        const place = placeOf(path);
        // Some paths of the web UI begin in the same way.
        if (!place || /^\/bot(?:s(?:\/|$)|$)/.test(path)) {
          await instance.answerNotFound(request, reply);
          return reply;
        }
        const methods = place.kind === 'file' ? ['GET', 'HEAD'] : ['GET', 'POST'];
        try {
          const allowed = [...methods, 'OPTIONS'].join(', ');
          if (request.method === 'OPTIONS') return sendPreflight(reply, allowed);
          if (methods.includes(request.method)) return await answer(request, reply, place);
          gate.limitAddress(request, reply);
          return sendEnvelope(reply.header('allow', allowed), methodNotAllowed(allowed));
        } catch (error) {
          return sendError(request, reply, error);
        }
      },
      handler: (_request: FastifyRequest, reply: FastifyReply) => sendEnvelope(reply, notFound()),
    });
    for (const root of ['', '/tgapi']) {
      for (const place of ['/bot', '/file/bot', '/p/']) instance.route(serve(root + place));
    }
    instance.setErrorHandler((error, request, reply) => sendError(request, reply, error));
    let cancelTimeout = () => {};
    instance.addHook('preClose', async () => {
      deps.pullers.close();
      cancelTimeout = deps.clock.after(stopTimeoutMs, () => void upstream.close());
    });
    instance.addHook('onClose', async () => {
      cancelTimeout();
      await Promise.all(captures);
      await queue.close();
      await upstream.close();
    });
  });
}

function noAnswer({ kind, code }: PassOutcome & { kind: 'unreachable' | 'unknown' }): Envelope {
  return kind === 'unreachable'
    ? failure(502, `Bad Gateway: Telegram cannot be reached (${code}); nothing was sent`)
    : failure(
        504,
        `Gateway Timeout: the connection to Telegram was lost before it answered (${code}); the request may have taken effect`,
      );
}

/** Sends through a reply that was hijacked from the framework. */
function sendRaw(reply: FastifyReply, { status, body, retryAfterSeconds }: Envelope): void {
  reply.raw.writeHead(status, {
    ...headersOf(reply),
    ...corsHeaders,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  });
  reply.raw.end(body);
}

function headersOf(reply: FastifyReply): OutgoingHttpHeaders {
  return reply.getHeaders() as OutgoingHttpHeaders;
}

function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}
