import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { unzip } from 'node:zlib';
import { ApiFailure, badRequest } from '../api-error.ts';

const unzipAsync = promisify(unzip);

/** The whole body, or undefined when it is larger than allowed. */
export function readBody(req: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limitBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    req.on('end', () => resolve(size > limitBytes ? undefined : Buffer.concat(chunks)));
    req.on('error', reject);
  });
}

/** The decoded body; undefined when it is larger than allowed. */
export async function decompress(
  encoding: string | undefined,
  body: Buffer,
  limitBytes: number,
): Promise<Buffer | undefined> {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (body.length === 0 || name === '' || name === 'identity') return body;
  if (name !== 'gzip' && name !== 'deflate') {
    throw new ApiFailure(415, 'Unsupported Media Type: unsupported content-encoding');
  }
  try {
    return await unzipAsync(body, { maxOutputLength: limitBytes });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw badRequest("can't decompress the request body");
  }
}
