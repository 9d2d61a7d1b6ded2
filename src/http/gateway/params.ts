import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { unzip } from 'node:zlib';
import { object } from '../../core/log/wire.ts';
import { badRequest, failure, EarlyReply } from './envelope.ts';

const unzipAsync = promisify(unzip);

export type Params = Record<string, unknown>;

/** No method has nearly as many; the time to parse fields grows with the square of their number. */
const mostFields = 1_000;

/** Reads the whole body; rejects one that is longer than `maxBytes`. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes) return Promise.reject(tooLarge());
  // Uses listeners, because an iterator would cost as much as finding the bot.
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else reject(tooLarge());
    });
    request.once('end', () =>
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
    );
    request.once('close', () => {
      if (!request.complete) reject(new EarlyReply(badRequest('the request broke off')));
    });
    request.once('error', reject);
  });
}

/**
 * Reads a body of up to `maxBytes`. Of a longer one it reads the beginning, and puts it back: the
 * rest stays unread.
 */
export function readStart(
  request: IncomingMessage,
  maxBytes: number,
): Promise<{ start: Buffer; isWhole: boolean }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (isWhole: boolean): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', reject);
      const start = Buffer.concat(chunks);
      if (!isWhole) {
        request.pause();
        request.unshift(start);
      }
      resolve({ start, isWhole });
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxBytes) done(false);
    };
    const onEnd = (): void => done(true);
    const onClose = (): void => {
      if (!request.complete) reject(new EarlyReply(badRequest('the request broke off')));
    };
    request.on('data', onData).once('end', onEnd).once('close', onClose).once('error', reject);
  });
}

/** Decodes the body: gzip and deflate, as Telegram does. */
export async function decompress(
  encoding: string | undefined,
  body: Buffer,
  maxBytes: number,
): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (body.length === 0 || name === '' || name === 'identity') return body;
  if (name !== 'gzip' && name !== 'deflate') {
    throw new EarlyReply(failure(415, 'Unsupported Media Type: unsupported content-encoding'));
  }
  try {
    return await unzipAsync(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new EarlyReply(badRequest("can't decompress the request body"));
  }
}

function tooLarge(): EarlyReply {
  return new EarlyReply(failure(413, 'Request Entity Too Large'));
}

/** Reads parameters from the query and the body; an uploaded file is a `File`. */
export async function readParams(
  query: string,
  contentType: string | undefined,
  body: Buffer,
): Promise<Params> {
  const params: Params = Object.fromEntries(new URLSearchParams(query));
  if (body.length === 0) return params;
  const [type = ''] = (contentType ?? '').toLowerCase().split(';', 1);
  switch (type.trim()) {
    case 'application/json':
      return { ...params, ...parseJson(body) };
    case 'application/x-www-form-urlencoded':
      requireFewFields(body, '&');
      return { ...params, ...Object.fromEntries(new URLSearchParams(body.toString('utf8'))) };
    case 'multipart/form-data':
      return { ...params, ...(await parseForm(contentType ?? '', body)) };
    default:
      return params;
  }
}

/** Telegram ignores a JSON body that is invalid or not an object. */
function parseJson(body: Buffer): Params {
  try {
    return object(JSON.parse(body.toString('utf8'))) ?? {};
  } catch {
    return {};
  }
}

function requireFewFields(body: Buffer, separator: string): void {
  let fields = 0;
  for (let at = 0; (at = body.indexOf(separator, at)) >= 0; at += separator.length) {
    if (++fields > mostFields) throw new EarlyReply(badRequest('too many parameters'));
  }
}

async function parseForm(contentType: string, body: Buffer): Promise<Params> {
  const boundary = /;\s*boundary="?([^";\s]+)/i.exec(contentType)?.[1];
  if (boundary !== undefined) requireFewFields(body, `--${boundary}`);
  try {
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': contentType },
    }).formData();
    return Object.fromEntries(form);
  } catch {
    throw new EarlyReply(badRequest("can't parse the multipart body"));
  }
}

export function textParam(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** As lenient as Telegram: an invalid number is 0, a missing one is the default. */
export function integerParam(value: unknown, byDefault: number): number {
  const given = textParam(value).trim();
  if (given === '') return byDefault;
  const number = Number.parseInt(given, 10);
  return Number.isSafeInteger(number) ? number : 0;
}

export function flag(value: unknown): boolean {
  return ['true', 'yes', '1', 't', 'y'].includes(textParam(value).trim().toLowerCase());
}

export function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}
