import { reason } from '../core/reasons/reason.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RelayError } from '../errors.ts';
import { redactText } from '../logger.ts';
import { prefixOfToken } from './gateway/address.ts';
import { type Envelope, failure } from './gateway/envelope.ts';
import { sendEnvelope } from './gateway/send-envelope.ts';
import { sendPage, type StaticPage } from './web-ui/static-page.ts';

/**
 * Answers when no route matches: a known path with another method, a page of the web UI, or nothing
 * at all.
 */
export function installNotFound(app: FastifyInstance, page: StaticPage, publicUrl: string): void {
  const { gate } = app.relay;
  const routes: { url: string; pattern?: RegExp; methods: string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    // Wildcard routes answer for themselves.
    if (!url.includes('*')) routes.push({ url, methods: [method].flat() });
  });

  function methodsOf(path: string): string[] {
    // The first path without a route needs the patterns, and most services never see one.
    const fitting = routes.filter((route) => (route.pattern ??= patternOf(route.url)).test(path));
    return [...new Set(fitting.flatMap(({ methods }) => methods))];
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const path = request.url.split('?', 1)[0] ?? '/';
    const identity = await gate.identify(request);
    if (!identity) gate.limitAddress(request, reply);
    const address = publicUrl || `${request.protocol}://${request.host}`;
    const prefix = prefixOfToken(path);
    if (prefix !== undefined) {
      const problem = isBase.test(prefix)
        ? 'the path needs /bot before the token'
        : `the Bot API is not at ${shown(prefix)}`;
      sendEnvelope(reply, noBotApi(problem, address));
      return;
    }
    const base = /^(?:\/tgapi)?(\/p\/[^/]+)/.exec(path)?.[1];
    if (base !== undefined) {
      sendEnvelope(
        reply,
        failure(404, `Not Found: the path needs /bot<token> after ${shown(base)}`),
      );
      return;
    }
    const methods = methodsOf(path);
    if (methods.length > 0) {
      throw new RelayError(
        'method_not_allowed',
        reason('method_not_taken', {
          path,
          methods: methods.filter((one) => one !== 'HEAD'),
          method: request.method,
        }),
        { allow: methods.join(', ') },
      );
    }
    if (isMethodWithoutToken.test(path)) {
      sendEnvelope(reply, noBotApi('the path needs /bot<token> before the method', address));
      return;
    }
    // A person who opens the address of the sandbox's Bot API probably wants the phones.
    if (/^\/sandbox\/?$/.test(path) && wantsPage(request)) {
      reply.redirect('/phones', 302);
      return;
    }
    const isPage = (request.method === 'GET' || request.method === 'HEAD') && !isApiPath(path);
    if (isPage && (await sendPage(page, path, request, reply))) return;
    // A mistyped gateway path may still contain the token.
    throw new RelayError('not_found', reason('nothing_at', { path: shown(path) }));
  }

  app.decorate('answerNotFound', answer);
  // Answer here, before the body is read or parsed.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) answer(request, reply).catch(done);
    else done();
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Answers as if no route matched: with a page of the web UI or an error. */
    answerNotFound(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  }
}

/** Answers a Bot API client with a wrong API root, which understands only errors of the Bot API. */
function noBotApi(problem: string, address: string): Envelope {
  return failure(
    404,
    `Not Found: ${problem}; set the API root to ${address}, ${address}/tgapi or ${address}/p/<app>`,
  );
}

const shown = (path: string) => redactText(path).slice(0, 200);

const isBase = /^(?:\/p\/[^/]+)?$/;

/** Matches names such as getMe; no page of the web UI is named like that. */
const isMethodWithoutToken = /^\/(?!(?:api|hooks)\/)(?:.*\/)?[a-z]+[A-Z][A-Za-z]*$/;

function patternOf(url: string): RegExp {
  const parts = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll('.', '\\.')));
  return new RegExp(`^${parts.join('/')}$`);
}

/** Matches API paths, and those where MCP clients look for a sign-in: they get an error in JSON, never a page. */
function isApiPath(path: string): boolean {
  return /^\/(api|tgapi|p|hooks|file|sandbox|metrics|\.well-known)(\/|$)|^\/bot\d/.test(path);
}

/** Browsers ask for HTML; other clients ask for JSON or for anything. */
function wantsPage({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '');
}
