import type { ServerResponse } from 'node:http';
import { ApiFailure } from '../api-error.ts';
import type { ActiveFault } from '../faults/faults.ts';
import { Described, RawJson } from '../methods/call.ts';

export interface Answer {
  status: number;
  body: string | Buffer;
  contentType?: string;
  retryAfterSeconds?: number | undefined;
}

function failureJson(failure: ApiFailure): string {
  return JSON.stringify({
    ok: false,
    error_code: failure.code,
    description: failure.message,
    ...(failure.parameters && { parameters: failure.parameters }),
  });
}

export function successJson(result: unknown): string {
  if (result instanceof RawJson) return `{"ok":true,"result":${result.json}}`;
  if (result instanceof Described) {
    return JSON.stringify({ ok: true, result: result.result, description: result.description });
  }
  return JSON.stringify({ ok: true, result });
}

/** Turns any thrown error into a response. */
export function answerFailure(error: unknown): Answer {
  const failure =
    error instanceof ApiFailure ? error : new ApiFailure(500, 'Internal Server Error');
  return {
    status: failure.code,
    body: failureJson(failure),
    retryAfterSeconds: failure.parameters?.retry_after,
  };
}

export function writeAnswer(res: ServerResponse, answer: Answer): void {
  if (res.destroyed || res.headersSent) return;
  const body = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body;
  res.writeHead(answer.status, {
    'content-type': answer.contentType ?? 'application/json',
    'content-length': body.length,
    ...(answer.retryAfterSeconds !== undefined && {
      'retry-after': String(answer.retryAfterSeconds),
    }),
  });
  res.end(body);
}

/** Damages a response in transit, after the call was carried out. */
export function spoilAnswer(res: ServerResponse, answer: Answer, faults: ActiveFault[]): boolean {
  const find = (kind: ActiveFault['kind']): ActiveFault | undefined =>
    faults.find((fault) => fault.kind === kind);
  if (find('reset_after')) {
    res.socket?.resetAndDestroy();
    return true;
  }
  if (find('truncated')) {
    const body = Buffer.from(answer.body);
    res.writeHead(answer.status, {
      'content-type': answer.contentType ?? 'application/json',
      'content-length': body.length,
    });
    res.write(body.subarray(0, Math.max(1, body.length >> 1)), () => res.socket?.destroy());
    return true;
  }
  const page = find('not_json');
  if (!page) return false;
  const status = page.status ?? 502;
  const html = `<html><head><title>${status}</title></head><body>nginx</body></html>`;
  writeAnswer(res, { status, body: html, contentType: 'text/html' });
  return true;
}
