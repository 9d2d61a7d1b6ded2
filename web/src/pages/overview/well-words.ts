import type { Bot } from '../../api/client/types.ts';
import type { Backend } from '../../api/deliveries.ts';
import type { Messages } from '../../i18n/messages.ts';
import { answersNow } from '../../shared/backend-words.ts';

/** Describes what works while there are no alerts; backends are left out if there are none. */
export function wellWords(
  bots: readonly Pick<Bot, 'running'>[],
  backends: readonly Pick<Backend, 'backend_status' | 'backend_seen_at'>[],
  overview: Messages['overview'],
  now: number,
): string {
  const unchecked = backends.filter(({ backend_status }) => backend_status === 'unknown').length;
  const words: string[] = [];
  if (bots.every(({ running }) => running)) words.push(overview.allRun);
  if (unchecked > 0) words.push(overview.unchecked(unchecked));
  else if (backends.length > 0 && backends.every((one) => answersNow(one, now))) {
    words.push(overview.allAnswer);
  }
  return words.join(' ') || overview.nothingToDo;
}
