import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { alertKey, alertName, alertWords } from '../../shared/alerts/alert-words.ts';
import { useOpenAlerts } from '../../shared/alerts/use-open-alerts.ts';
import type { Entry } from './palette-entries.ts';

/** Lists the open alerts. */
export function usePaletteAlerts(): Entry[] {
  const t = useT();
  const format = useFormat();
  const open = useOpenAlerts().data ?? [];
  const now = Date.now();
  return open.map((alert) => ({
    id: `alert-${alertKey(alert)}`,
    section: t.nav.alerts,
    label: alertWords(alert, t, format, now),
    note: alertName(alert, t),
    icon: 'bell',
    act: { to: '/alerts', search: { alert: alertKey(alert) }, resetScroll: false },
  }));
}
