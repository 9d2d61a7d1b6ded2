import { type Dispatcher, request } from 'undici';
import type { Upload } from './world/messages/files.ts';

const MAX_BYTES = 20 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
/** Also for what keeps coming drop by drop. */
const WHOLE_TIMEOUT_MS = 60_000;

/** Media that a bot names by address. Which addresses may be reached is the dispatcher's matter. */
export const createUrlFetcher =
  (dispatcher: Dispatcher, wholeTimeoutMs = WHOLE_TIMEOUT_MS) =>
  async (url: string): Promise<Upload> => {
    const response = await request(url, {
      dispatcher,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      signal: AbortSignal.timeout(wholeTimeoutMs),
    });
    if (response.statusCode !== 200) {
      await response.body.dump();
      throw new Error(`Status ${response.statusCode}`);
    }
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BYTES) throw new Error('Too large');
      chunks.push(chunk);
    }
    const mimeType = String(response.headers['content-type'] ?? '')
      .split(';')[0]
      ?.trim();
    const name = new URL(url).pathname.split('/').at(-1);
    return { bytes: Buffer.concat(chunks), ...(mimeType && { mimeType }), ...(name && { name }) };
  };
