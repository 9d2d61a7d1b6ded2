import { buildConnector, Client, type Dispatcher } from 'undici';
import { codeOf, PlatformUnreachable } from '../telegram/errors.ts';

export interface PollAnswer {
  status: number;
  text: string;
}

/**
 * One bot's connection for its long polls. Each poll occupies a connection nearly all the time, so
 * a pool would have nothing to share and would search thousands of clients for a free one; this
 * measures about 15 kB a bot. Requests go straight to dispatch: no streams, no signal per poll.
 */
export interface PollConnection {
  /** `waitMs` is how long the platform may take to begin its answer. */
  get(path: string, waitMs: number): Promise<PollAnswer>;
  /** Ends the request under way, which then throws. */
  abort(): void;
  close(): void;
}

const maxAnswerBytes = 64 * 1024 * 1024;
const connectTimeoutMs = 10_000;
const bodyTimeoutMs = 30_000;

// Shared, so that thousands of clients keep one cache of TLS sessions and not one each.
const connect = buildConnector({ timeout: connectTimeoutMs, allowH2: false });

export function openPollConnection(origin: string): PollConnection {
  const client = new Client(origin, {
    pipelining: 1,
    connect,
    keepAliveTimeout: 15_000,
    allowH2: false,
  });
  let abortCurrent: (() => void) | undefined;

  function get(path: string, waitMs: number): Promise<PollAnswer> {
    return new Promise((resolve, reject) => {
      let controller: Dispatcher.DispatchController | undefined;
      let settled = false;
      let status = 0;
      let size = 0;
      let chunks: Buffer[] = [];

      const settle = (): boolean => {
        if (settled) return false;
        settled = true;
        abortCurrent = undefined;
        return true;
      };
      const fail = (error: PlatformUnreachable) => {
        if (!settle()) return;
        reject(error);
        controller?.abort(error);
      };
      abortCurrent = () =>
        fail(new PlatformUnreachable('aborted', true, 'The poll was called off.'));

      client.dispatch(
        { path, method: 'GET', headersTimeout: waitMs, bodyTimeout: bodyTimeoutMs },
        {
          onRequestStart(started) {
            if (settled) started.abort(new Error('called off'));
            else controller = started;
          },
          onResponseStart(_controller, code) {
            status = code;
          },
          onResponseData(_controller, chunk) {
            size += chunk.length;
            if (size > maxAnswerBytes) {
              fail(new PlatformUnreachable('answer', true, "The platform's answer is too long."));
            } else chunks.push(chunk);
          },
          onResponseEnd() {
            if (!settle()) return;
            const text = (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))?.toString(
              'utf8',
            );
            chunks = [];
            resolve({ status, text: text ?? '' });
          },
          onResponseError(_controller, error) {
            fail(
              new PlatformUnreachable(
                'network',
                true,
                `The platform could not be reached (${codeOf(error)}).`,
              ),
            );
          },
        },
      );
    });
  }

  return {
    get,
    abort: () => abortCurrent?.(),
    close() {
      abortCurrent?.();
      client.destroy().catch(() => {});
    },
  };
}
