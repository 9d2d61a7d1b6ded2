import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { openapiDocument } from '../openapi/openapi.ts';
import { withNamedComponents } from '../openapi/openapi-components.ts';
import { schemaNames } from '../openapi/schema-names.ts';
import { type PageFile, pageFile, sendFile } from '../web-ui/static-page.ts';
import type { SiteDeps } from './site.ts';

/** /docs and /openapi.json. Everything is made on first request, when all endpoints are registered. */
export function installDocs(
  app: FastifyInstance,
  { folder, version, commandName }: Omit<SiteDeps, 'document'>,
): void {
  const { endpoints, gate } = app.relay;
  const describe = () => openapiDocument(endpoints, version);
  let document: PageFile | undefined;
  let loading: ReturnType<typeof load> | undefined;

  async function load() {
    const { createSite, docsHeaders } = await import('./site.ts');
    return {
      site: createSite({ folder, version, commandName, document: describe() }),
      docsHeaders,
    };
  }
  const loaded = () =>
    (loading ??= load().catch((error: unknown) => {
      // Reset, so that the next request tries again.
      loading = undefined;
      throw error;
    }));

  async function sendPage(name: string, request: FastifyRequest, reply: FastifyReply) {
    const { site, docsHeaders } = await loaded();
    reply.headers(docsHeaders);
    const found = site.page(name);
    if (found) await sendFile(found, request, reply);
    else
      reply
        .code(404)
        .type('text/html; charset=utf-8')
        .header('cache-control', 'no-cache')
        .send((await site.missing(name)).bytes);
    return reply;
  }

  app.get('/openapi.json', async (request, reply) => {
    gate.limitAddress(request, reply);
    document ??= pageFile(
      JSON.stringify(withNamedComponents(describe(), schemaNames(endpoints))),
      '/openapi.json',
    );
    await sendFile(document, request, reply);
    return reply;
  });

  app.get('/docs', (request, reply) => {
    gate.limitAddress(request, reply);
    return sendPage('', request, reply);
  });

  app.get<{ Querystring: { q?: string | string[] } }>(
    '/docs/search.json',
    async (request, reply) => {
      gate.limitAddress(request, reply);
      const { site } = await loaded();
      const query = String(request.query.q ?? '');
      return reply.header('cache-control', 'no-store').send(await site.search(query));
    },
  );

  for (const below of ['screenshots', 'charts']) {
    app.get<{ Params: { name: string } }>(`/docs/${below}/:name`, async (request, reply) => {
      gate.limitAddress(request, reply);
      const { site } = await loaded();
      const name = `${below}/${request.params.name}`;
      const picture = await site.picture(name);
      if (!picture) return sendPage(name, request, reply);
      await sendFile(picture, request, reply);
      return reply;
    });
  }

  app.get<{ Params: { '*': string } }>('/docs/*', (request, reply) => {
    gate.limitAddress(request, reply);
    const name = request.params['*'];
    // Redirect file names of the repository, and paths with a trailing slash.
    const plain = name.replace(/\/$|\.md$/, '').replace(/(^|\/)README$/, '');
    if (plain === name && name !== '') return sendPage(name, request, reply);
    return reply.redirect(plain === '' ? '/docs' : `/docs/${encodeURI(plain)}`, 301);
  });
}
