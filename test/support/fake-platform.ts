import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http';
import { serve } from './local-server.ts';

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  /** The beginning of the body; all of it when it is small. */
  body: string;
  bytes: number;
  sha256: string;
}

export interface FakePlatform {
  url: string;
  server: Server;
  requests: ReceivedRequest[];
  /** Its answer from now on; `{"ok":true,"result":true}` by default. */
  answer(respond: (res: ServerResponse, request: ReceivedRequest) => void): void;
  /** Answers with JSON. */
  answerJson(status: number, body: unknown, headers?: Record<string, string>): void;
  close(): Promise<void>;
}

const keptBytes = 64 * 1024;

/** An HTTP server that records its requests, without holding large bodies. */
export async function startFakePlatform(): Promise<FakePlatform> {
  const requests: ReceivedRequest[] = [];
  let respond: (res: ServerResponse, request: ReceivedRequest) => void;
  const { url, server, close } = await serve((req, res) => {
    const hash = createHash('sha256');
    const kept: Buffer[] = [];
    let bytes = 0;
    req.on('data', (chunk: Buffer) => {
      if (bytes < keptBytes) kept.push(chunk);
      bytes += chunk.length;
      hash.update(chunk);
    });
    req.on('error', () => {});
    req.on('end', () => {
      const request: ReceivedRequest = {
        method: req.method ?? '',
        url: req.url ?? '',
        headers: req.headers,
        body: Buffer.concat(kept).toString('latin1'),
        bytes,
        sha256: hash.digest('hex'),
      };
      requests.push(request);
      respond(res, request);
    });
  });

  const platform: FakePlatform = {
    url,
    server,
    close,
    requests,
    answer(next) {
      respond = next;
    },
    answerJson(status, body, headers = {}) {
      respond = (res) => {
        res.writeHead(status, { 'content-type': 'application/json', ...headers });
        res.end(JSON.stringify(body));
      };
    },
  };
  platform.answerJson(200, { ok: true, result: true });
  return platform;
}
