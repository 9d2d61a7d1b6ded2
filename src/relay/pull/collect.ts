import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ConsumerState } from '../../store/log/consumer-state.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { UpdateLog } from '../log/update-log.ts';
import { sees } from './consumer-state.ts';

export interface Collected {
  entries: LogEntry[];
  /** Up to here there is nothing for this consumer. */
  clearTo: number;
}

const bytesPerAnswer = 4 * 1024 * 1024;
const batchSize = 100;

/** The next answer: in order, within one run of rising ids, and of a bearable size. */
export async function collect(
  updateLog: UpdateLog,
  botId: number,
  from: { after: number; state: ConsumerState },
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
      if (!sees(from.state, entry)) {
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
    if (batch.length === 0 || (entries.length > 0 && batch.length < batchSize)) {
      return { entries, clearTo };
    }
    // The embedded database answers at once: over a long stretch nobody else would have a turn.
    await nextTurn();
  }
}
