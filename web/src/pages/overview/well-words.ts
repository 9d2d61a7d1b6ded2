import type { Bot } from '../../api/types.ts';
import type { Messages } from '../../i18n/en.ts';

/** What is known to be well while nothing needs anyone; nothing is said of backends that do not exist. */
export function wellWords(
  bots: readonly Pick<Bot, 'running' | 'backend_status'>[],
  overview: Messages['overview'],
): string {
  const backends = bots.flatMap(({ backend_status }) => backend_status || []);
  const unchecked = backends.filter((status) => status === 'unknown').length;
  const words: string[] = [];
  if (bots.every(({ running }) => running)) words.push(overview.allRun);
  if (unchecked > 0) words.push(overview.unchecked(unchecked));
  else if (backends.length > 0 && backends.every((status) => status === 'ok')) {
    words.push(overview.allAnswer);
  }
  return words.join(' ') || overview.nothingToDo;
}
