import { useEffect, useState } from 'react';
import type { OpenAlert } from '../../api/alerts.ts';
import { alertKey } from '../../shared/alerts/alert-words.ts';
import { type Dismissed, stillDismissed } from './still-seen.ts';

const storageKey = 'relay-seen-findings';

/**
 * Hides alerts that this user dismissed; they return if their count grows, or after they were
 * resolved and came back.
 */
export function useDismissedAlerts(alerts: OpenAlert[]) {
  const [dismissed, setDismissed] = useState<Dismissed>(read);
  useEffect(() => {
    const next = stillDismissed(dismissed, alerts);
    if (JSON.stringify(next) !== JSON.stringify(dismissed)) keep(next);
  }, [alerts]);
  function keep(next: Dismissed): void {
    setDismissed(next);
    try {
      localStorage.setItem(storageKey, JSON.stringify(next));
    } catch {
      // Storage may be disabled; the choice then lasts until the page is closed.
    }
  }
  return {
    isDismissed: (alert: OpenAlert) => (dismissed[alertKey(alert)] ?? -1) >= alert.count,
    note: (alert: OpenAlert) => keep({ ...dismissed, [alertKey(alert)]: alert.count }),
    forget: () => keep({}),
  };
}

function read(): Dismissed {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Dismissed;
  } catch {
    return {};
  }
}
