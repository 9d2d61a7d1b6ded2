import type { OpenAlert } from '../../api/alerts.ts';
import { alertKey } from '../../shared/alerts/alert-words.ts';

/** The count of each alert when it was dismissed. */
export type Dismissed = Record<string, number>;

/** Forgets dismissals of resolved alerts; a smaller count replaces the stored one. */
export function stillDismissed(
  dismissed: Dismissed,
  alerts: readonly Pick<OpenAlert, 'kind' | 'bot_id' | 'params' | 'count'>[],
): Dismissed {
  const present = new Map(alerts.map((alert) => [alertKey(alert), alert.count]));
  return Object.fromEntries(
    Object.entries(dismissed).flatMap(([key, count]) => {
      const now = present.get(key);
      return now === undefined ? [] : [[key, Math.min(count, now)]];
    }),
  );
}
