import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { chatCountsQuery } from '../../api/chats.ts';
import { isMuted } from '../../shared/alerts/alert-words.ts';
import { useOpenAlerts } from '../../shared/alerts/use-open-alerts.ts';
import { setWindowCount } from '../../ui/page.tsx';

/** What needs somebody, for the navigation, the title of the window and its icon. */
export interface Signals {
  /** Open alerts that are more than information, and that nobody acknowledged or muted. */
  alerts: number;
  isCritical: boolean;
  /** Conversations that wait. */
  waiting: number;
}

export function useSignals(): Signals {
  const { data: alerts = [] } = useOpenAlerts();
  const waiting = useQuery(chatCountsQuery()).data?.waiting ?? 0;
  const unhandled = alerts.filter((alert) => alert.acknowledged_by === '' && !isMuted(alert));
  return {
    alerts: unhandled.filter(({ severity }) => severity !== 'info').length,
    isCritical: unhandled.some(({ severity }) => severity === 'critical'),
    waiting,
  };
}

/** Shows the signals in the title and the icon of the window, for those who look at another one. */
export function useWindowSignals({ isCritical, waiting }: Signals): void {
  useEffect(() => {
    setWindowCount(waiting);
    return () => setWindowCount(0);
  }, [waiting]);
  const icon = isCritical ? '/favicon-critical.svg' : '/favicon.svg';
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (link) link.href = icon;
  }, [icon]);
}
