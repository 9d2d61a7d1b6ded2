import type { FastifyInstance } from 'fastify';
import { docsHeaders, docsPage } from './docs-page.ts';
import { openapiDocument } from './openapi.ts';

/** The document is made when first asked for, once everything is registered. */
export function installDocs(app: FastifyInstance, version: string): void {
  let document: string | undefined;
  let page: string | undefined;
  const { endpoints, gate } = app.relay;
  const describe = () => openapiDocument(endpoints, version);

  app.get('/openapi.json', async (request, reply) => {
    gate.limitAddress(request, reply);
    document ??= JSON.stringify(describe());
    return reply
      .type('application/json; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(document);
  });
  app.get('/docs', async (request, reply) => {
    gate.limitAddress(request, reply);
    page ??= docsPage(describe());
    return reply
      .headers(docsHeaders)
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(page);
  });
}
