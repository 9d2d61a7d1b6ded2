import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';

const prefix = '/sandbox';

/** The sandbox inside the service: on the same port, kept in the data dir. */
export interface EmbeddedSandbox {
  sandbox: Sandbox;
  /** Serves its Bot API below /sandbox; the world itself is steered through /api/sandbox. */
  mount(app: FastifyInstance): void;
  close(): Promise<void>;
}

export async function embedSandbox(config: Pick<Config, 'dataDir'>): Promise<EmbeddedSandbox> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const sandbox = createSandbox();
  const persistence = await sandbox.persistTo(path.join(config.dataDir, 'sandbox.json'));
  return {
    sandbox,
    mount(app) {
      void app.register((scope, _options, done) => {
        // The sandbox reads bodies itself, as the real Bot API would.
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
        for (const address of [`${prefix}/bot*`, `${prefix}/file/bot*`]) {
          scope.all(address, (request, reply) => {
            reply.hijack();
            request.raw.url = request.raw.url?.slice(prefix.length) ?? '/';
            sandbox.handle(request.raw, reply.raw);
          });
        }
        done();
      });
    },
    async close() {
      await persistence.stop();
      await sandbox.close();
    },
  };
}

export function sandboxUrl(serviceAddress: string): string {
  return `${serviceAddress}${prefix}`;
}
