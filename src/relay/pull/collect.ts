import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ConsumerState } from '../../store/log/consumer-state.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { UpdateLog } from '../log/update-log.ts';
import type { LogView } from '../apps/app-readers.ts';
import { wants } from '../../store/log/consumer-state.ts';

export interface Collected {
  entries: LogEntry[];
  /** Up to here there is nothing for this consumer. */
  clearTo: number;
}

const bytesPerAnswer = 4 * 1024 * 1024;
const batchSize = 100;

/**
 * The next answer: in order, within one run of rising ids, and of a bearable size. `end` is the last
 * position of the log where that is known.
 */
export async function collect(
  updateLog: UpdateLog,
  botId: number,
  from: { after: number; end?: number; state: ConsumerState; view: LogView },
  limit: number,
): Promise<Collected> {
  const entries: LogEntry[] = [];
  let clearTo = from.after;
  let after = from.after;
  let bytes = 0;
  for (;;) {
    const batch = await updateLog.read(botId, after, batchSize);
    for (const entry of batch) {
      after = entry.position;
      const isWanted = wants(from.state, from.view.kinds, entry);
      const waiting = isWanted ? from.view.sees.ready?.(entry) : undefined;
      if (waiting) await waiting;
      if (!isWanted || !from.view.sees(entry)) {
        if (entries.length === 0) clearTo = entry.position;
        continue;
      }
      bytes += Buffer.byteLength(entry.raw) + 1;
      const last = entries.at(-1);
      if (last && (entry.updateId <= last.updateId || bytes > bytesPerAnswer)) {
        return { entries, clearTo };
      }
      entries.push(entry);
      if (entries.length >= limit) return { entries, clearTo };
    }
    // What there is, is answered now; only an empty hand is worth another look.
    const isEnd = batch.length === 0 || after >= (from.end ?? Number.POSITIVE_INFINITY);
    if (isEnd || (entries.length > 0 && batch.length < batchSize)) {
      return { entries, clearTo };
    }
    // The embedded database answers at once: over a long stretch nobody else would have a turn.
    await nextTurn();
  }
}
