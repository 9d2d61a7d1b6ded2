import type { Dispatcher } from 'undici';
import type { Upload } from './world/messages/files.ts';

const maxBytes = 20 * 1024 * 1024;
const timeoutMs = 20_000;
/** The timeout also applies to a response that keeps arriving slowly. */
const defaultWholeTimeoutMs = 60_000;

/** Downloads media that a bot names by URL. The dispatcher decides which addresses may be reached. */
export const createUrlFetcher =
  (dispatcher: Dispatcher, wholeTimeoutMs = defaultWholeTimeoutMs) =>
  async (url: string): Promise<Upload> => {
    const { origin, pathname, search } = new URL(url);
    const response = await dispatcher.request({
      origin,
      path: pathname + search,
      method: 'GET',
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
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
      if (size > maxBytes) throw new Error('Too large');
      chunks.push(chunk);
    }
    const mimeType = String(response.headers['content-type'] ?? '')
      .split(';')[0]
      ?.trim();
    const name = pathname.split('/').at(-1);
    return { bytes: Buffer.concat(chunks), ...(mimeType && { mimeType }), ...(name && { name }) };
  };
