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
import { isMuted } from '../../shared/alerts/alert-handling.tsx';
import { useOpenAlerts } from '../../shared/alerts/use-open-alerts.ts';
import { alertKey, alertName, alertWords } from '../../shared/alerts/alert-words.ts';
import { type NotifyKind, notifyPermission, useNotifyKinds } from './notify-kinds.ts';

interface Told {
  kind: NotifyKind;
  title: string;
  body: string;
  to: '/alerts' | '/chats';
  search?: { inbox: 'waiting' | 'mine' };
}

export function useNotifications(): void {
  const kinds = useNotifyKinds();
  const isMine = useIsTeller(kinds.length > 0 && notifyPermission() === 'granted');
  const navigate = useNavigate();
  const news = useNews();
  const latest = useRef({ kinds, isMine });
  latest.current = { kinds, isMine };
  useEffect(() => {
    const known = latest.current;
    if (!known.isMine || document.hasFocus()) return;
    for (const one of news.filter(({ kind }) => known.kinds.includes(kind))) {
      const shown = new Notification(one.title, { body: one.body, tag: `relay-${one.kind}` });
      shown.addEventListener('click', () => {
        window.focus();
        shown.close();
        void navigate(one.search ? { to: '/chats', search: one.search } : { to: one.to });
      });
    }
  }, [navigate, news]);
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

/** What is new since the last look; what was there when the page was opened is not. */
function useNews(): readonly Told[] {
  const t = useT();
  const format = useFormat();
  const { data: alerts } = useOpenAlerts();
  const { data: counts } = useQuery(chatCountsQuery());
  const seen = useRef<Set<string>>(undefined);
  const before = useRef<{ waiting: number; mine: string }>(undefined);
  const [news, setNews] = useState<readonly Told[]>([]);
  useEffect(() => {
    if (!alerts) return;
    const known = seen.current;
    seen.current = new Set(alerts.map(alertKey));
    const fresh = alerts.filter((alert) => known && !known.has(alertKey(alert)) && !isMuted(alert));
    if (fresh.length === 0) return;
    setNews(
      fresh.map((alert) => ({
        kind: alert.severity === 'critical' ? 'critical' : 'alerts',
        title: alertName(alert, t),
        body: alertWords(alert, t, format, Date.now()),
        to: '/alerts',
      })),
    );
  }, [alerts]);
  useEffect(() => {
    if (!counts) return;
    const { mine_waiting_since: mine, waiting } = counts;
    const last = before.current;
    before.current = { waiting, mine };
    if (!last) return;
    const { inbox, notifications } = t;
    const about = { title: t.nav.chats, body: inbox.ofChats(format.number(waiting)), to: '/chats' };
    if (last.mine === '' && mine !== '') {
      const title = notifications.yours;
      setNews([{ ...about, kind: 'mine', title, to: '/chats', search: { inbox: 'mine' } }]);
    } else if (waiting > last.waiting) {
      setNews([{ ...about, kind: 'waiting', to: '/chats', search: { inbox: 'waiting' } }]);
    }
  }, [counts]);
  return news;
}
