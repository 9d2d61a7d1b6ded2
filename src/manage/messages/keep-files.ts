/* Stores the files of a call that is made later, so that it needs neither the caller nor this process. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Clock } from '../../clock.ts';
import { limits } from '../../core/limits.ts';
import type { KeptFile } from '../../core/messages/kept-file.ts';
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { KeptFileRepository } from '../../store/outbox/kept-files.ts';
import { type FileParam, isFileParam } from '../../telegram/multipart.ts';

/** No statement writes more than this, so that other writers need not wait for a file. */
const partBytes = 256 * 1024;

/** Returns parameters that can be stored as JSON: kept files instead of uploads. */
export async function keepFiles(
  { keptFiles, clock }: { keptFiles: KeptFileRepository; clock: Clock },
  botId: number,
  params: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const kept: Record<string, unknown> = {};
  const fileIds: string[] = [];
  for (const [name, value] of Object.entries(params)) {
    kept[name] = isFileParam(value) ? await keep(value) : value;
  }
  return kept;

  async function keep({ file, name, type }: FileParam): Promise<KeptFile> {
    const id = randomUUID();
    fileIds.push(id);
    try {
      let part = 0;
      let size = 0;
      const bytes = file instanceof Readable ? file : Readable.from([file]);
      for await (const chunk of inParts(bytes)) {
        size += chunk.length;
        if (size > limits.keptFileBytes) throw tooLarge();
        await keptFiles.addPart({ id, botId, part: part++, bytes: chunk }, clock.now());
      }
    } catch (error) {
      await keptFiles.remove(fileIds);
      throw error;
    }
    return { kept: id, name, ...(type === undefined ? {} : { type }) };
  }
}

async function* inParts(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    while (held.length >= partBytes) {
      yield held.subarray(0, partBytes);
      held = held.subarray(partBytes);
    }
  }
  if (held.length > 0) yield held;
}

function tooLarge(): RelayError {
  const most_bytes = limits.keptFileBytes;
  return new RelayError('payload_too_large', reason('file_too_large', { most_bytes }));
}
