import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiFailure, badRequest } from '../api-error.ts';
import type { SandboxClock } from '../clock.ts';
import { type ActiveFault, type Faults, refusalOf } from '../faults/faults.ts';
import { Described, RawJson } from '../methods/call.ts';
import { fileByPath } from '../world/files.ts';
import type { BotRecord, WorldState } from '../world/records.ts';
import { readBody } from './body.ts';
import { type Fields, readFields } from './fields.ts';

export interface BotApi {
  state: WorldState;
  clock: SandboxClock;
  faults: Faults;
  maxBodyBytes: number;
  botByToken(token: string): BotRecord | undefined;
  run(bot: BotRecord, method: string, fields: Fields, signal?: AbortSignal): unknown;
}

export function failureJson(failure: ApiFailure): string {
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

export const asFailure = (error: unknown): ApiFailure =>
  error instanceof ApiFailure ? error : new ApiFailure(500, 'Internal Server Error');

interface Answer {
  status: number;
  body: string;
  retryAfterSeconds?: number | undefined;
}

const answerFailure = (failure: ApiFailure): Answer => ({
  status: failure.code,
  body: failureJson(failure),
  retryAfterSeconds: failure.parameters?.retry_after,
});

function write(res: ServerResponse, answer: Answer): void {
  if (res.destroyed || res.headersSent) return;
  const body = Buffer.from(answer.body);
  res.writeHead(answer.status, {
    'content-type': 'application/json',
    'content-length': body.length,
    ...(answer.retryAfterSeconds !== undefined && {
      'retry-after': String(answer.retryAfterSeconds),
    }),
  });
  res.end(body);
}

const sleep = (clock: SandboxClock, delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    clock.setTimeout(resolve, delayMs);
  });

/** The way an answer goes wrong on the wire, after the method has run. */
function spoil(res: ServerResponse, answer: Answer, faults: ActiveFault[]): boolean {
  if (faults.some((fault) => fault.kind === 'reset_after')) {
    res.socket?.resetAndDestroy();
    return true;
  }
  if (faults.some((fault) => fault.kind === 'truncated')) {
    const body = Buffer.from(answer.body);
    res.writeHead(answer.status, {
      'content-type': 'application/json',
      'content-length': body.length,
    });
    res.write(body.subarray(0, Math.max(1, body.length >> 1)), () => res.socket?.destroy());
    return true;
  }
  if (faults.some((fault) => fault.kind === 'not_json')) {
    const status = faults.find((fault) => fault.kind === 'not_json')?.status ?? 502;
    res.writeHead(status, { 'content-type': 'text/html' });
    res.end(`<html><head><title>${status}</title></head><body>nginx</body></html>`);
    return true;
  }
  return false;
}

async function callMethod(
  api: BotApi,
  bot: BotRecord,
  method: string,
  fields: Fields,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const pending = api.run(bot, method, fields, signal);
    const result = pending instanceof Promise ? await pending : pending;
    return { status: 200, body: successJson(result) };
  } catch (error) {
    return answerFailure(asFailure(error));
  }
}

/** Clients encode the colon of the token; what cannot be decoded is taken as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `/bot<token>/<method>`; the rest of the path is given without the leading `/bot`. */
export async function handleMethod(
  api: BotApi,
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
  query: string,
): Promise<void> {
  const slash = path.indexOf('/');
  const token = decoded(slash < 0 ? path : path.slice(0, slash));
  const method = (slash < 0 ? '' : path.slice(slash + 1)).replace(/^test\//u, '');
  const closed = new AbortController();
  res.once('close', () => closed.abort());
  try {
    if (!/^\d+:[\w-]+$/u.test(token))
      throw new ApiFailure(401, 'Unauthorized: invalid token specified');
    const body = await readBody(req, api.maxBodyBytes);
    if (body === undefined) throw new ApiFailure(413, 'Request Entity Too Large');
    const bot = api.botByToken(token);
    if (!bot) throw new ApiFailure(401, 'Unauthorized');
    const faults = api.faults.strike(bot.id, method);
    if (faults.length === 0) {
      const fields = readFields(query, req.headers['content-type'] ?? '', body);
      write(res, await callMethod(api, bot, method, fields, closed.signal));
      return;
    }
    if (faults.some((fault) => fault.kind === 'reset_before')) {
      res.socket?.resetAndDestroy();
      return;
    }
    const slow = faults.find((fault) => fault.kind === 'slow');
    if (slow) await sleep(api.clock, slow.delayMs ?? 1000);
    const refusal = faults.map(refusalOf).find((one) => one !== undefined);
    if (refusal) throw refusal;
    const fields = readFields(query, req.headers['content-type'] ?? '', body);
    // A repeated batch: the confirmation in this call is lost, so the same updates come again.
    if (faults.some((fault) => fault.kind === 'duplicate_batch')) delete fields.values['offset'];
    const answer = await callMethod(api, bot, method, fields, closed.signal);
    if (!spoil(res, answer, faults)) write(res, answer);
  } catch (error) {
    write(res, answerFailure(asFailure(error)));
  }
}

/** `/file/bot<token>/<path>` */
export function handleFile(api: BotApi, res: ServerResponse, path: string): void {
  const slash = path.indexOf('/');
  const bot = slash < 0 ? undefined : api.botByToken(decoded(path.slice(0, slash)));
  if (!bot) return write(res, answerFailure(new ApiFailure(401, 'Unauthorized')));
  const faults = api.faults.strike(bot.id, 'file');
  const refusal = faults.map(refusalOf).find((one) => one !== undefined);
  if (refusal) return write(res, answerFailure(refusal));
  const file = fileByPath(api.state, decoded(path.slice(slash + 1)));
  if (!file) return write(res, answerFailure(new ApiFailure(404, 'Not Found')));
  if (file.bytes.length > 20 * 1024 * 1024)
    return write(res, answerFailure(badRequest('file is too big')));
  res.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': file.bytes.length,
  });
  res.end(file.bytes);
}
