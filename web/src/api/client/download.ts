import { answerOf, reached, request } from './client.ts';

export interface Received {
  bytes: number;
  lines: number;
}

const lineEnd = 10;

/** Reads a whole response, reports the progress, and saves it as a file. */
export async function download(
  path: string,
  options: { name: string; signal: AbortSignal; onProgress: (received: Received) => void },
): Promise<Received> {
  const response = await request(path, { signal: options.signal });
  if (!response.ok || !response.body) answerOf(response.status, await response.text());
  const received: Received = { bytes: 0, lines: 0 };
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  for (;;) {
    const { done, value } = await reached(reader.read());
    if (done) break;
    parts.push(value);
    received.bytes += value.length;
    for (let at = value.indexOf(lineEnd); at >= 0; at = value.indexOf(lineEnd, at + 1)) {
      received.lines += 1;
    }
    options.onProgress({ ...received });
  }
  save(new Blob(parts, { type: response.headers.get('content-type') ?? '' }), options.name);
  return received;
}

function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has started to read it by then; a longer delay would keep the memory occupied.
  window.setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
