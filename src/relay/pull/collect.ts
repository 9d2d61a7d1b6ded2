import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ConsumerState } from '../../core/log/consumer-state.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { UpdateLog } from '../log/update-log.ts';
import type { LogView } from '../apps/app-readers.ts';
import { wants } from '../../core/log/consumer-state.ts';

export interface Collected {
  entries: LogEntry[];
  /** Up to this position there is nothing for the consumer. */
  clearTo: number;
}

const bytesPerAnswer = 4 * 1024 * 1024;
const batchSize = 100;

/**
 * Collects the next answer: in order, within one run of rising IDs, and of limited size. `end` is
 * the last position of the log, if known.
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
    // Updates that were found are returned at once; only an empty answer is worth another look.
    const isEnd = batch.length === 0 || after >= (from.end ?? Number.POSITIVE_INFINITY);
    if (isEnd || (entries.length > 0 && batch.length < batchSize)) {
      return { entries, clearTo };
    }
    // The embedded database answers at once, so without this a long stretch would block everyone
    // else.
    await nextTurn();
  }
}
