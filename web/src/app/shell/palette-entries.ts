import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { botsQuery } from '../../api/bots.ts';
import { useT } from '../../i18n/use-t.tsx';
import type { IconName } from '../../ui/icon.tsx';
import { useNavItems } from './nav-items.ts';
import { useThemeToggle } from '../../shared/theme-toggle.tsx';
import { useMayAddBots, useSignOut } from '../../shared/use-session.ts';

export interface Entry {
  id: string;
  section: string;
  label: string;
  note?: string;
  /** Further search words. */
  words?: string;
  icon: IconName;
  run: () => void;
}

export function usePaletteEntries(): Entry[] {
  const t = useT();
  const navigate = useNavigate();
  const pages = useNavItems();
  const mayAdd = useMayAddBots();
  const bots = useQuery(botsQuery).data ?? [];
  const theme = useThemeToggle();
  const leave = useSignOut();
  return [
    ...pages.map((item) => ({
      id: item.path,
      section: t.palette.pages,
      label: item.title(t),
      icon: item.icon,
      run: () => void navigate({ to: item.path }),
    })),
    ...bots.map((bot) => ({
      id: `bot-${bot.id}`,
      section: t.palette.bots,
      label: bot.name || bot.username || String(bot.id),
      ...(bot.username ? { note: `@${bot.username}` } : {}),
      icon: 'bot' as const,
      run: () => void navigate({ to: '/bots/$botId', params: { botId: String(bot.id) } }),
    })),
    ...(mayAdd
      ? [
          {
            id: 'add-bot',
            section: t.palette.actions,
            label: t.bots.add,
            icon: 'plus' as const,
            run: () => void navigate({ to: '/bots', search: { add: true } }),
          },
        ]
      : []),
    {
      id: 'theme',
      section: t.palette.actions,
      label: t.shortcuts.theme,
      icon: theme.dark ? 'sun' : 'moon',
      run: theme.toggle,
    },
    {
      id: 'sign-out',
      section: t.palette.actions,
      label: t.nav.signOut,
      icon: 'signOut',
      run: () => leave.mutate(undefined),
    },
  ];
}
