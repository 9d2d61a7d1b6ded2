import type { FastifyInstance } from 'fastify';
import { docsHeaders, docsPage } from './docs-page.ts';
import { openapiDocument } from './openapi.ts';
import { withNamedComponents } from './openapi-components.ts';
import { schemaNames } from './schema-names.ts';
import { type PageFile, pageFile, sendFile } from '../web-ui/static-page.ts';

/** The document is made when first asked for, once everything is registered. */
export function installDocs(app: FastifyInstance, version: string): void {
  let document: PageFile | undefined;
  let page: PageFile | undefined;
  const { endpoints, gate } = app.relay;
  const describe = () => openapiDocument(endpoints, version);

  app.get('/openapi.json', async (request, reply) => {
    gate.limitAddress(request, reply);
    document ??= pageFile(
      JSON.stringify(withNamedComponents(describe(), schemaNames)),
      '/openapi.json',
    );
    await sendFile(document, request, reply);
    return reply;
  });
  app.get('/docs', async (request, reply) => {
    gate.limitAddress(request, reply);
    page ??= pageFile(docsPage(describe()), '/docs.html');
    await sendFile(page, request, reply.headers(docsHeaders));
    return reply;
  });
}
