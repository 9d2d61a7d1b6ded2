import { Readable } from 'node:stream';
import type { KeptFile } from '../../core/messages/kept-file.ts';
import type { FileParam } from '../../telegram/multipart.ts';

type ReadPart = (fileId: string, part: number) => Promise<Uint8Array | undefined>;

/** Reads a kept file while it is sent, so that only a part of it is in memory. */
export function uploadOf({ kept, name, type }: KeptFile, readPart: ReadPart): FileParam {
  async function* parts() {
    for (let part = 0; ; part++) {
      const bytes = await readPart(kept, part);
      if (!bytes) return;
      yield Buffer.from(bytes);
    }
  }
  const file = Readable.from(parts(), { objectMode: false });
  return { file, name, ...(type === undefined ? {} : { type }) };
}
