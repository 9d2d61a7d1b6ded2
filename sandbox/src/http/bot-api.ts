import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiFailure, badRequest } from '../api-error.ts';
import type { SandboxClock } from '../clock.ts';
import { type ActiveFault, type Faults, faultResponse } from '../faults/faults.ts';
import { fileByPath } from '../world/messages/files.ts';
import type { BotRecord } from '../world/bot-records.ts';
import type { WorldState } from '../world/records.ts';
import { type Answer, answerFailure, spoilAnswer, successJson, writeAnswer } from './answer.ts';
import { decompress, readBody } from './body.ts';
import { decoded } from './decoded.ts';
import { type Fields, readFields } from './fields.ts';

export interface BotApi {
  state: WorldState;
  clock: SandboxClock;
  faults: Faults;
  maxBodyBytes: number;
  botByToken(token: string): BotRecord | undefined;
  run(bot: BotRecord, method: string, fields: Fields, signal?: AbortSignal): unknown;
}

const sleep = (clock: SandboxClock, delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    clock.setTimeout(resolve, delayMs);
  });

/** Applies faults that come before the call is carried out; returns false if the connection is closed. */
async function passFaults(
  api: BotApi,
  res: ServerResponse,
  faults: ActiveFault[],
): Promise<boolean> {
  if (faults.length === 0) return true;
  if (faults.some((fault) => fault.kind === 'reset_before')) {
    res.socket?.resetAndDestroy();
    return false;
  }
  const slow = faults.find((fault) => fault.kind === 'slow');
  if (slow) await sleep(api.clock, slow.delayMs ?? 1000);
  const refusal = faults.map(faultResponse).find((one) => one !== undefined);
  if (refusal) throw refusal;
  return true;
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
    return answerFailure(error);
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
  // Clients encode the colon of the token.
  const token = decoded(slash < 0 ? path : path.slice(0, slash));
  const method = (slash < 0 ? '' : path.slice(slash + 1)).replace(/^test\//u, '');
  const closed = new AbortController();
  res.once('close', () => {
    // An abort costs as much as a short method, and nobody waits for it after the answer.
    if (!res.writableFinished) closed.abort();
  });
  try {
    if (!/^\d+:[\w-]+$/u.test(token))
      throw new ApiFailure(401, 'Unauthorized: invalid token specified');
    // Check the token before the body: a body without a valid token is not read.
    const bot = api.botByToken(token);
    if (!bot) throw new ApiFailure(401, 'Unauthorized');
    const sent = await readBody(req, api.maxBodyBytes);
    const body =
      sent && (await decompress(req.headers['content-encoding'], sent, api.maxBodyBytes));
    if (body === undefined) throw new ApiFailure(413, 'Request Entity Too Large');
    const faults = api.faults.strike(bot.id, method);
    if (!(await passFaults(api, res, faults))) return;
    const fields = readFields(query, req.headers['content-type'] ?? '', body);
    // A repeated batch: the confirmation in this call is lost, so the same updates come again.
    if (faults.some((fault) => fault.kind === 'duplicate_batch')) delete fields.values['offset'];
    const answer = await callMethod(api, bot, method, fields, closed.signal);
    if (!spoilAnswer(res, answer, faults)) writeAnswer(res, answer);
  } catch (error) {
    writeAnswer(res, answerFailure(error));
  }
}

const maxDownloadBytes = 20 * 1024 * 1024;

/** Serves `/file/bot<token>/<path>`; its faults use the method name `file`. */
export async function handleFile(api: BotApi, res: ServerResponse, path: string): Promise<void> {
  try {
    const slash = path.indexOf('/');
    const bot = slash < 0 ? undefined : api.botByToken(decoded(path.slice(0, slash)));
    if (!bot) throw new ApiFailure(401, 'Unauthorized');
    const faults = api.faults.strike(bot.id, 'file');
    if (!(await passFaults(api, res, faults))) return;
    const file = fileByPath(api.state, decoded(path.slice(slash + 1)));
    if (!file?.fetchedBy?.includes(bot.id)) throw new ApiFailure(404, 'Not Found');
    if (file.bytes.length > maxDownloadBytes) throw badRequest('file is too big');
    const answer = { status: 200, body: file.bytes, contentType: 'application/octet-stream' };
    if (!spoilAnswer(res, answer, faults)) writeAnswer(res, answer);
  } catch (error) {
    writeAnswer(res, answerFailure(error));
  }
}
