import { useQuery } from '@tanstack/react-query';
import { botName, botsQuery } from '../../api/bots.ts';
import { desksQuery } from '../../api/desks.ts';
import { useT } from '../../i18n/use-t.tsx';
import { type BotTab, botTabs } from '../../pages/bots/bot-tabs.ts';
import { useMay } from '../../shared/use-session.ts';
import type { Entry } from './palette-entries.ts';

/** Finds desks, the tabs of bots and, by their names, settings of bots and of the service. */
export function usePalettePlaces(text: string): Entry[] {
  const t = useT();
  const isAdmin = useMay('service', 'admin');
  const seesBots = useMay('bots', 'read');
  const desks = useQuery({ ...desksQuery, enabled: seesBots }).data ?? [];
  const known = useQuery(botsQuery).data ?? [];
  const bots = seesBots ? known : [];
  // While nothing is typed, they would hide the actions.
  if (text.trim() === '') return [];
  const { bot, deliveries, nav, settings } = t;
  const tabs: Record<BotTab, { label: string; words: string }> = {
    settings: {
      label: bot.tabSettings,
      words: Object.values(bot.settings)
        .map(({ label }) => label)
        .join(' '),
    },
    apps: { label: bot.tabApps, words: 'getUpdates' },
    deliveries: { label: bot.tabDeliveries, words: `webhook ${deliveries.deadLetters}` },
    sends: { label: bot.tabOutbox, words: '' },
    log: { label: bot.tabLog, words: '' },
    danger: { label: bot.tabDanger, words: '' },
  };
  const parts = ['health', 'backups', 'retention', 'disk', 'database', 'nodes'] as const;
  return [
    ...desks.map((desk) => ({
      id: `desk-${desk.id}`,
      section: t.desks.title,
      label: desk.name,
      icon: 'group' as const,
      act: { to: '/desks', search: { desk: desk.id }, resetScroll: false as const },
    })),
    ...(isAdmin ? parts : []).map((part) => ({
      id: `settings-${part}`,
      section: nav.settings,
      label: settings[part],
      icon: 'gear' as const,
      act: { to: '/settings', search: { part }, resetScroll: false as const },
    })),
    ...bots.flatMap((one) =>
      botTabs.map((tab) => ({
        id: `bot-${one.id}-${tab}`,
        section: t.palette.settings,
        label: `${botName(one)}: ${tabs[tab].label}`,
        words: tabs[tab].words,
        icon: 'gear' as const,
        act: { to: '/bots/$botId', params: { botId: String(one.id) }, search: { tab } },
      })),
    ),
  ];
}
