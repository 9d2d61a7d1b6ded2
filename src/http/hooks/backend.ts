import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sameSecret } from '../../core/access/keys.ts';
import { maxId } from '../../core/limits.ts';
import { backendAuthor } from '../../core/messages/author.ts';
import type { Sender } from '../../core/ports.ts';
import type { Logger } from '../../logger.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { Store } from '../../store/store.ts';
import { networkOf } from '../auth.ts';
import {
  badRequest,
  type Envelope,
  envelopeOf,
  failure,
  EarlyReply,
  success,
} from '../gateway/envelope.ts';
import { type Params, readBody, readParams, textParam } from '../gateway/params.ts';
import { createWrongSecrets } from './wrong-secrets.ts';

export interface BackendHookDeps {
  store: Pick<Store, 'bots'>;
  sender: Sender;
  logger: Logger;
}

const bodyBytes = 1024 * 1024;
// The gateway answers these methods itself; they cannot be queued.
const notSent = /^(getupdates|setwebhook|deletewebhook|getwebhookinfo|close|logout)$/i;
const maxWaitMs = 5_000;

/** `POST /hooks/backend/<bot_id>`: a backend calls a method with the bot's secret, not its token. */
export function installBackendHook(app: FastifyInstance, deps: BackendHookDeps): void {
  const { gate, deps: appDeps } = app.relay;
  const wrongSecrets = createWrongSecrets({
    clock: appDeps.clock,
    logger: deps.logger,
    perSecond: appDeps.config.rateLimits.perAddressPerSecond,
  });

  async function admitted(request: FastifyRequest, reply: FastifyReply): Promise<BotRecord> {
    const id = Number((request.params as { botId: string }).botId);
    const bot =
      Number.isSafeInteger(id) && id > 0 && id <= maxId ? await deps.store.bots.get(id) : undefined;
    const tried = {
      botId: bot?.id ?? 0,
      network: networkOf(request.ip),
      secret: bot?.secret_token ?? '',
    };
    // Check the limit before comparing: past it, even the right secret is refused.
    wrongSecrets.requireTry(tried);
    const shown = request.headers['x-telegram-bot-api-secret-token'];
    if (bot && bot.secret_token !== '' && typeof shown === 'string') {
      if (sameSecret(shown, bot.secret_token)) {
        wrongSecrets.wasRight(tried);
        return bot;
      }
    }
    wrongSecrets.wasWrong(tried, reply);
    gate.limitAddress(request, reply);
    if (bot?.secret_token === '') {
      throw new EarlyReply(
        failure(403, 'Forbidden: this bot has no secret_token; set one to let its backend call in'),
      );
    }
    throw new EarlyReply(
      failure(
        401,
        'Unauthorized: the header X-Telegram-Bot-Api-Secret-Token must hold the secret_token of this bot',
      ),
    );
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<Envelope> {
    const bot = await admitted(request, reply);
    const { raw } = request;
    const body = await readBody(raw, bodyBytes);
    const query = request.url.split('?')[1] ?? '';
    const params = await readParams(query, raw.headers['content-type'] ?? 'application/json', body);
    const method = textParam(params.method);
    if (!/^[A-Za-z]{1,64}$/.test(method)) {
      return badRequest('the body must name a method, such as {"method": "sendMessage", …}');
    }
    if (notSent.test(method)) {
      return badRequest(`${method} is not sent to the platform; call it at /bot<token>/${method}`);
    }
    const result = await deps.sender.send({
      botId: bot.id,
      method,
      params: withoutMethod(params),
      chatId: chatIdOf(params),
      priority: 'interactive',
      origin: 'hook',
      author: backendAuthor(),
      maxWaitMs,
    });
    return success(result);
  }

  function refuse(request: FastifyRequest, error: unknown): Envelope {
    const known = envelopeOf(error);
    if (known) return known;
    deps.logger.error({ err: error, request_id: request.id }, "a backend's call failed");
    return failure(500, 'Internal Server Error');
  }

  function send(reply: FastifyReply, envelope: Envelope): FastifyReply {
    const { status, body, retryAfterSeconds } = envelope;
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
    return reply.code(status).header('content-type', 'application/json').send(body);
  }

  app.register(async (instance) => {
    instance.route({
      method: 'POST',
      url: '/hooks/backend/:botId',
      logLevel: 'silent',
      // Answer before the body is read, so that a rejected caller costs only the look-up.
      onRequest: async (request, reply) =>
        send(reply, await answer(request, reply).catch((error: unknown) => refuse(request, error))),
      handler: (_request, reply) => send(reply, failure(404, 'Not Found')),
    });
    instance.setErrorHandler((error, request, reply) => send(reply, refuse(request, error)));
  });
}

/** Drops `method` and files, because a queued call cannot contain files. */
function withoutMethod(params: Params): Params {
  const { method: _method, ...rest } = params;
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => !(value instanceof File)));
}

/** 0 for a method without a chat, or with a username instead of an id. */
function chatIdOf(params: Params): number {
  const given = textParam(params.chat_id).trim();
  return /^-?\d{1,16}$/.test(given) ? Number(given) : 0;
}
