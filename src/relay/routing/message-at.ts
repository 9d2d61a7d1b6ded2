import { object, type Wire } from '../../core/wire.ts';
import type { LogRepository } from '../../store/log.ts';
import type { LogEntry } from '../../store/log-entry.ts';

/** The message of a log position; undefined when it is no longer there. */
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
