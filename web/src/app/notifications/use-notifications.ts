/*
 * Shows notifications of the browser about what needs somebody, by the kinds that the user chose.
 * One tab does it for all tabs of this browser, and only that one stays connected while it is hidden.
 */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { chatCountsQuery } from '../../api/chats.ts';
import { keepWhileHidden } from '../../api/client/live.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { useOpenAlerts } from '../../shared/alerts/use-open-alerts.ts';
import { alertKey, alertName, alertWords, isMuted } from '../../shared/alerts/alert-words.ts';
import { type NotifyKind, notifyPermission, useNotifyKinds } from './notify-kinds.ts';

interface Told {
  kind: NotifyKind;
  /** A notification replaces the one before with the same tag. */
  tag: string;
  title: string;
  body: string;
  search?: { inbox: 'waiting' | 'mine' };
}

export function useNotifications(): void {
  const kinds = useNotifyKinds();
  const isMine = useIsTeller(kinds.length > 0 && notifyPermission() === 'granted');
  const navigate = useNavigate();
  function tell({ body, kind, search, tag, title }: Told): void {
    if (!isMine || document.hasFocus() || !kinds.includes(kind)) return;
    // One that replaces another is shown without a sound unless it says so.
    const options: NotificationOptions & { renotify: boolean } = { body, tag, renotify: true };
    const shown = new Notification(title, options);
    shown.addEventListener('click', () => {
      window.focus();
      shown.close();
      void navigate(search ? { to: '/chats', search } : { to: '/alerts' });
    });
  }
  useNewAlerts(tell);
  useNewlyWaiting(tell, kinds);
}

/** True in one tab of the browser, until it is closed. */
function useIsTeller(isWanted: boolean): boolean {
  const [isMine, setMine] = useState(false);
  useEffect(() => {
    if (!isWanted) return undefined;
    const over = new AbortController();
    void navigator.locks
      .request('relay-notifications', { signal: over.signal }, async () => {
        setMine(true);
        keepWhileHidden(true);
        await new Promise((resolve) => over.signal.addEventListener('abort', resolve));
      })
      // Another tab had it until this one gave up.
      .catch(() => undefined);
    return () => {
      over.abort();
      keepWhileHidden(false);
      setMine(false);
    };
  }, [isWanted]);
  return isMine;
}

/** Tells of alerts that opened since the last look; those that were there before are not new. */
function useNewAlerts(tell: (told: Told) => void): void {
  const t = useT();
  const format = useFormat();
  const { data: alerts } = useOpenAlerts();
  const seen = useRef<Set<string>>(undefined);
  useEffect(() => {
    if (!alerts) return;
    const known = seen.current;
    seen.current = new Set(alerts.map(alertKey));
    for (const alert of alerts) {
      if (!known || known.has(alertKey(alert)) || isMuted(alert)) continue;
      tell({
        kind: alert.severity === 'critical' ? 'critical' : 'alerts',
        tag: `relay-${alertKey(alert)}`,
        title: alertName(alert, t),
        body: alertWords(alert, t, format, Date.now()),
      });
    }
  }, [alerts]);
}

/** Tells that more conversations wait than at the last look. */
function useNewlyWaiting(tell: (told: Told) => void, kinds: readonly NotifyKind[]): void {
  const { inbox, nav, notifications } = useT();
  const format = useFormat();
  const { data: counts } = useQuery(chatCountsQuery());
  const last = useRef<typeof counts>(undefined);
  useEffect(() => {
    const before = last.current;
    last.current = counts;
    if (!counts || !before) return;
    const mine = counts.mine_waiting - before.mine_waiting;
    // One who is notified of their own conversations hears of each once.
    const others =
      counts.waiting - before.waiting - (kinds.includes('mine') ? Math.max(0, mine) : 0);
    const news = (kind: 'mine' | 'waiting', title: string, count: number) =>
      tell({
        kind,
        tag: `relay-${kind}`,
        title,
        body: inbox.ofChats(format.number(count)),
        search: { inbox: kind },
      });
    if (mine > 0) news('mine', notifications.yours, counts.mine_waiting);
    if (others > 0) news('waiting', nav.chats, counts.waiting);
  }, [counts]);
}
