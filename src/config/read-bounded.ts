import { closeSync, openSync, readSync } from 'node:fs';

/** Reads the text of a file; undefined if it is longer: a device such as /dev/zero has no end. */
export function readBounded(file: string, mostBytes: number): string | undefined {
  const descriptor = openSync(file, 'r');
  try {
    const chunks: Buffer[] = [];
    for (let bytes = 0; ; ) {
      const chunk = Buffer.alloc(65_536);
      const length = readSync(descriptor, chunk);
      if (length === 0) return Buffer.concat(chunks).toString();
      bytes += length;
      if (bytes > mostBytes) return undefined;
      chunks.push(chunk.subarray(0, length));
    }
  } finally {
    closeSync(descriptor);
  }
}
