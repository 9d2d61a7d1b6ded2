import type { IncomingMessage } from 'node:http';

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
