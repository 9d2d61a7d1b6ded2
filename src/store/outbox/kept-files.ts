/*
 * Keeps the files of sends that are not due yet, in parts, so that no statement is large. A file
 * that belongs to no send is left over from a request that failed.
 */
import { type Engine, raw, type Step } from '../engine.ts';

export interface KeptFileRepository {
  addPart(
    file: { id: string; botId: number; part: number; bytes: Uint8Array },
    nowMs: number,
  ): Promise<void>;
  remove(fileIds: readonly string[]): Promise<void>;
}

/** Makes files live as long as the send. */
export function* keepFor(sendId: number, fileIds: readonly string[]): Step<void> {
  for (const id of fileIds) {
    yield* raw('update kept_files set send_id = $1 where id = $2', [sendId, id]);
  }
}

export async function filePart(
  engine: Engine,
  id: string,
  part: number,
): Promise<Uint8Array | undefined> {
  const rows = await engine.readRaw<{ bytes: Uint8Array }>(
    'select bytes from kept_files where id = $1 and part = $2',
    [id, part],
  );
  return rows[0]?.bytes;
}

export function createKeptFileRepository(engine: Engine): KeptFileRepository {
  return {
    async addPart({ id, botId, part, bytes }, nowMs) {
      await engine.write(() =>
        raw(
          `insert into kept_files (id, part, bot_id, bytes, created_at) values ($1, $2, $3, $4, $5)`,
          [id, part, botId, bytes, nowMs],
        ),
      );
    },
    async remove(fileIds) {
      for (const id of fileIds) {
        await engine.write(() => raw('delete from kept_files where id = $1', [id]));
      }
    },
  };
}
