import { useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { kindOf } from '../../api/alerts.ts';
import { defaultApp } from '../../api/apps.ts';
import { retryNow } from '../../api/deliveries.ts';
import { backUpNow, serviceQuery } from '../../api/operation.ts';
import { locales } from '../../i18n/locales.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useLanguage, useT } from '../../i18n/use-t.tsx';
import { paramsOf } from '../../shared/alerts/alert-words.ts';
import { useOpenAlerts } from '../../shared/alerts/use-open-alerts.ts';
import { useAction } from '../../shared/use-action.ts';
import { useMay, useSession } from '../../shared/use-session.ts';
import { toast } from '../../ui/feedback/toast.tsx';
import type { Entry } from './palette-entries.ts';

/** What the palette does at once: retries, backs up, and how the web UI looks and notifies. */
export function usePaletteActions(text: string, onNotifications: () => void): Entry[] {
  const t = useT();
  const { look, notifications, palette } = t;
  const { choose, locale } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const retry = useRetryAll();
  const backUp = useBackUp();
  const schemes = { light: look.light, dark: look.dark, auto: look.auto } as const;
  const section = palette.actions;
  return [
    ...[retry, backUp].flatMap((one) => (one ? [{ ...one, section }] : [])),
    {
      id: 'notifications',
      section,
      label: notifications.title,
      icon: 'bell' as const,
      act: onNotifications,
    },
    ...(text.trim() === '' ? [] : (Object.keys(schemes) as (keyof typeof schemes)[]))
      .filter((scheme) => scheme !== colorScheme)
      .map((scheme) => ({
        id: `theme-${scheme}`,
        section,
        label: t.common.labelled(look.theme, schemes[scheme]),
        words: scheme,
        icon: scheme === 'light' ? ('sun' as const) : ('moon' as const),
        act: () => setColorScheme(scheme),
      })),
    ...(text.trim() === '' ? [] : Object.entries(locales))
      .filter(([code]) => code !== locale)
      .map(([code, { label }]) => ({
        id: `language-${code}`,
        section,
        label: t.common.labelled(look.language, label),
        words: `${code} language`,
        icon: 'file' as const,
        act: () => choose(code),
      })),
  ];
}

/** Retries the deliveries of all backends that have an alert. */
function useRetryAll(): Omit<Entry, 'section'> | undefined {
  const { palette } = useT();
  const may = useMay('bots', 'manage');
  const alerts = useOpenAlerts().data ?? [];
  const due = alerts.filter(({ kind }) => kindOf(kind).action === 'retry');
  const retry = useAction({
    async run() {
      const each = due.map((alert) => retryNow(alert.bot_id, paramsOf(alert).app ?? defaultApp));
      const done = await Promise.allSettled(each);
      const failed = done.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
      return done.length;
    },
    refreshes: [['attention'], ['alerts'], ['bots']],
    done: (count) => palette.retried(count),
  });
  if (!may || due.length === 0) return undefined;
  return {
    id: 'retry-all',
    label: palette.retryAll(due.length),
    words: 'retry all',
    icon: 'bolt',
    act: () => retry.mutate(undefined),
  };
}

/** Backs up the database, where the service has a directory for backups. */
function useBackUp(): Omit<Entry, 'section'> | undefined {
  const { palette } = useT();
  const format = useFormat();
  const isForAll = useSession().bot_ids === null;
  const may = useMay('service', 'admin') && isForAll;
  const service = useQuery({ ...serviceQuery, enabled: may }).data;
  const backUp = useAction({
    run() {
      toast(palette.backingUp);
      return backUpNow();
    },
    refreshes: [['service'], ['attention'], ['alerts']],
    done: ({ last_bytes }) => palette.backedUp(format.bytes(last_bytes)),
  });
  if (!may || !service?.backup) return undefined;
  return {
    id: 'back-up',
    label: palette.backUp,
    words: 'backup',
    icon: 'file',
    act: () => backUp.mutate(undefined),
  };
}
