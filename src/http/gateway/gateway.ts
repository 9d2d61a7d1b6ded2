/*
 * Serves the Bot API at the address of the service: any bot library works by changing its API root.
 *
 * Invariants: Telegram is never called for a token that is not registered here; requests and
 * responses are passed through unchanged and unbuffered; no token reaches a log line.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { LocalFiles } from '../../core/ports.ts';
import type { AppActivity } from '../../relay/apps/app-activity.ts';
import type { Store } from '../../store/store.ts';
import { gatewayPathOf, type GatewayPath, readFileAddress, readMethodAddress } from './address.ts';
import { createCallers, type GatewayCaller, requireMethod } from './callers.ts';
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
import { decompress, queryOf, readBody, readParams } from './params.ts';
import { createPassing, type PassingDeps } from './passing.ts';
import { sendEnvelope, sendPreflight, sendRaw } from './send-envelope.ts';
import { sendLocalFile } from './send-local-file.ts';

export interface GatewayDeps extends LocalMethodDeps, PassingDeps {
  store: Pick<Store, 'apps' | 'bots' | 'captures' | 'messages' | 'webhooks'>;
  activity: AppActivity;
  /** The files of a Bot API server in local mode. */
  localFiles?: LocalFiles;
}

const localBodyBytes = 1024 * 1024;
// How long a shutdown waits for calls that the platform has not answered.
const stopTimeoutMs = 2_000;

/** Adds the gateway to the app; call it before `listen`. */
export function installGateway(app: FastifyInstance, deps: GatewayDeps): void {
  const { gate } = app.relay;
  const localMethods = createLocalMethods(deps);
  const callerOf = createCallers(deps.store);
  const passing = createPassing(deps);

  async function answer(request: FastifyRequest, reply: FastifyReply, place: GatewayPath) {
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
      return passing.passOn(request, reply, { caller, path: whole, method: '' });
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
    return passing.passOn(request, reply, { caller, path, method });
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
        const place = gatewayPathOf(path);
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
      deps.pacer.close();
      cancelTimeout = deps.clock.after(stopTimeoutMs, passing.disconnect);
    });
    instance.addHook('onClose', async () => {
      cancelTimeout();
      await passing.close();
    });
  });
}

function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}
