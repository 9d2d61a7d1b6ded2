/*
 * Writes the log to files of JSON lines, one for each bot and day (UTC), for tools that read files.
 *
 * Invariant: a line is on disk before the reader's position moves past its update. So after a crash
 * a line may be there twice, with the same position, but none is missing.
 */
import path from 'node:path';
import { readerKinds } from '../../core/log/reader-kinds.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import { CannotHandle, type Handler } from '../log/follow-log.ts';
import { createFollowingReader, type FollowingDeps } from '../log/following-reader.ts';
import type { LogReader } from '../log/log-readers.ts';
import { createKeyedMutex } from '../async/mutex.ts';
import { appendDurably } from './append-durably.ts';

const batch = 200;
/**
 * The number of writes at once, so that a disk that hangs blocks no more of the threads that all
 * file work shares.
 */
const lanes = 2;

/** `folder` is '' if nothing is exported. */
export function createExportReader(deps: FollowingDeps, folder: string): LogReader {
  const mutex = createKeyedMutex();

  function begin(botId: number): Handler {
    /** Files known to end with a whole line. */
    const whole = new Set<string>();
    return {
      room: () => batch,
      async handle(_bot, entries) {
        const last = entries.at(-1);
        if (!last) return undefined;
        for (const [day, ofDay] of Map.groupBy(entries, ({ receivedAt }) => dayOf(receivedAt))) {
          const file = path.resolve(folder, String(botId), `${day}.jsonl`);
          const lines = ofDay.map((entry) => lineOf(botId, entry)).join('');
          await mutex(botId % lanes, async () => {
            await appendDurably(file, lines, { isWhole: whole.has(file) });
            // Only the file of the present day grows.
            whole.clear();
            whole.add(file);
          }).catch((error: NodeJS.ErrnoException) => {
            throw new CannotHandle(error.code ?? error.name, { cause: error });
          });
        }
        return { front: last.position, position: last.position, waitMs: 0 };
      },
    };
  }

  return createFollowingReader(deps, {
    kind: 'export',
    isOn: folder !== '',
    readersOf: () => [readerKinds.export.unnamed],
    begin,
  });
}

const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

function lineOf(botId: number, { position, receivedAt, raw }: LogEntry): string {
  const at = new Date(receivedAt).toISOString();
  // In JSON, line breaks occur only between tokens.
  const update = raw.replaceAll(/[\r\n]/g, ' ');
  return `{"bot_id":${botId},"position":${position},"received_at":"${at}","update":${update}}\n`;
}
