import { object, type Wire } from '../../core/log/wire.ts';
import type { LogRepository } from '../../store/log/log.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';

/** Reads the message at a log position; undefined if it is no longer there. */
export async function messageAt(
  log: Pick<LogRepository, 'read'>,
  botId: number,
  position: number,
): Promise<{ entry: LogEntry; wire: Wire } | undefined> {
  const [entry] = await log.read(botId, position - 1, 1);
  if (entry?.position !== position) return undefined;
  const wire = object((JSON.parse(entry.raw) as Wire)[entry.kind]);
  return wire && { entry, wire };
}
