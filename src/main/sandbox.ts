import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { reason, verbatim } from '../core/reasons/reason.ts';
import { RelayError } from '../errors.ts';
import { errorCodeOf } from '../http/api/sandbox/sandbox.ts';
import type { SandboxFile } from '../http/api/sandbox/file.ts';
import { openDirectory } from '../manage/service/data-directory.ts';
import {
  ApiFailure,
  ControlError,
  createSandbox,
  runAction,
  WorldInUse,
} from '../../sandbox/src/index.ts';
import { createGuardedAgent } from '../telegram/guarded-agent.ts';

const prefix = '/sandbox';

/** The sandbox inside the service: on the same port, with its world stored in the data directory. */
export interface EmbeddedSandbox {
  /** Runs one action in its world, by the name of the action. */
  act(action: string, input: Record<string, unknown>): unknown;
  /** Returns a file by the ID that messages on a phone show. */
  fileOf(id: string): SandboxFile | undefined;
  /** Returns the address of a practice bot's Bot API; undefined for all other tokens. */
  baseUrlFor(token: string): string | undefined;
  /** Serves its Bot API below /sandbox; the world itself is controlled through /api/sandbox. */
  mount(app: FastifyInstance): void;
  /** Sets the address at which the service listens, once it does. */
  listensAt(serviceAddress: string): void;
  close(): Promise<void>;
}

export async function embedSandbox(
  config: Pick<Config, 'dataDir' | 'backends'>,
  options: { ownPort: boolean; seed?: number | undefined },
): Promise<EmbeddedSandbox> {
  openDirectory(config.dataDir);
  const dispatcher = createGuardedAgent({ policy: config.backends });
  const sandbox = createSandbox({
    dispatcher,
    // Clients of the service can reach its practice bots too, so their tokens must not be
    // guessable.
    ...(options.seed === undefined ? {} : { seed: options.seed, unguessable: true }),
  });
  const file = path.join(config.dataDir, 'sandbox.json');
  await sandbox.persistTo(file).catch((cause: Error) => {
    if (cause instanceof WorldInUse) {
      throw new RelayError('data_dir_locked', reason('sandbox_file_in_use', { file }), { cause });
    }
    const why = reason('sandbox_file_unreadable', { file, cause: cause.message });
    throw new RelayError('internal', why, { cause });
  });
  let address = options.ownPort ? (await sandbox.listen()).url : '';
  return {
    act(action, input) {
      try {
        return runAction(sandbox, action, input);
      } catch (error) {
        throw asRelayError(error);
      }
    },
    fileOf: (id) => sandbox.fileOf(id),
    baseUrlFor: (token) => (sandbox.ownsToken(token) ? address : undefined),
    mount(app) {
      const { gate } = app.relay;
      void app.register((scope, _options, done) => {
        // The sandbox reads bodies itself, as the real Bot API would.
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
        scope.addHook('onRequest', async (request, reply) => {
          const token = tokenIn(request.url);
          if (token === undefined || !sandbox.ownsToken(token)) gate.limitAddress(request, reply);
          // The router also accepts absolute addresses and escaped letters for this path, so the
          // token may be missing.
          if (token === undefined) throw new RelayError('not_found', reason('nothing_here'));
        });
        for (const route of [`${prefix}/bot*`, `${prefix}/file/bot*`]) {
          scope.all(route, (request, reply) => {
            reply.hijack();
            request.raw.url = request.url.slice(prefix.length);
            sandbox.handleBotApi(request.raw, reply.raw);
          });
        }
        done();
      });
    },
    listensAt(serviceAddress) {
      address = `${serviceAddress}${prefix}`;
    },
    async close() {
      await sandbox.close();
      await dispatcher.destroy();
    },
  };
}

/** Undefined for a path that is not literally one of the Bot API. */
function tokenIn(url: string): string | undefined {
  const written = /^\/sandbox\/(?:file\/)?bot([^/?]*)/.exec(url)?.[1];
  try {
    return written === undefined ? undefined : decodeURIComponent(written);
  } catch {
    return '';
  }
}

/** Turns errors of the sandbox into errors of the API. */
function asRelayError(error: unknown): unknown {
  if (error instanceof ApiFailure)
    return new RelayError('invalid_request', verbatim(error.message));
  if (!(error instanceof ControlError)) return error;
  const { code: refusal, params: values, message } = error;
  const text = message.replace('GET /sandbox', 'GET /api/sandbox');
  return new RelayError(
    errorCodeOf(refusal, error.status),
    reason('sandbox_refused', { refusal, values, text }),
  );
}
