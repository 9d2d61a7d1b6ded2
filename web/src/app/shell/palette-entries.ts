import { useQuery } from '@tanstack/react-query';
import { botsQuery } from '../../api/bots.ts';
import type { MessageKey } from '../../api/timeline.ts';
import type { Messages } from '../../i18n/messages.ts';
import { useT } from '../../i18n/use-t.tsx';
import type { IconName } from '../../ui/icon.tsx';
import { useNavItems } from './nav-items.ts';
import { useThemeToggle } from '../../shared/theme-toggle.tsx';
import { allows, type Right } from '../../shared/allows.ts';
import { useMay, useSession, useSignOut } from '../../shared/use-session.ts';

export interface Entry {
  id: string;
  section: string;
  label: string;
  note?: string;
  /** Further search words. */
  words?: string;
  icon: IconName;
  /** The message that it is, whose mark is shown. */
  message?: MessageKey;
  /** Where it leads, or what it does. */
  act: Link | (() => void);
}

/** An address of the web UI. */
export interface Link {
  to: string;
  params?: Record<string, string>;
  search?: Record<string, string | number | boolean>;
  /** False where the page itself scrolls to what the address names. */
  resetScroll?: false;
}

/** With fewer letters typed, nothing is searched. */
export const fewestLetters = 2;

/** Messages and people are searched in this many bots: each is asked on its own. */
export const mostBots = 20;

/** Options for what the palette asks the service while somebody types. */
export const shortLived = { staleTime: 30_000, retry: false } as const;

export const chatLink = (botId: number, chatId: number, search?: Link['search']): Link => ({
  to: '/chats/$botId/$chatId',
  params: { botId: String(botId), chatId: String(chatId) },
  ...(search ? { search } : {}),
});

/** What can be added, by whom; the page at the address opens its dialog. */
const additions: readonly ({
  id: string;
  label: (t: Messages) => string;
  act: Link;
  everyBot?: true;
} & Right)[] = [
  {
    id: 'add-bot',
    label: ({ bots }) => bots.add,
    act: { to: '/bots', search: { add: true } },
    area: 'bots',
    scope: 'manage',
    everyBot: true,
  },
  {
    id: 'add-route',
    label: ({ routes }) => routes.add,
    act: { to: '/routes', search: { add: true } },
    area: 'bots',
    scope: 'manage',
  },
  {
    id: 'add-channel',
    label: ({ alerts }) => alerts.add,
    act: { to: '/alerts', search: { add: true } },
    area: 'bots',
    scope: 'manage',
    everyBot: true,
  },
  {
    id: 'add-key',
    label: ({ access }) => access.newKey,
    act: { to: '/access', search: { add: 'key' } },
    area: 'service',
    scope: 'admin',
    everyBot: true,
  },
  {
    id: 'add-user',
    label: ({ access }) => access.newUser,
    act: { to: '/access', search: { add: 'user' } },
    area: 'service',
    scope: 'admin',
    everyBot: true,
  },
];

export function usePaletteEntries(): Entry[] {
  const t = useT();
  const pages = useNavItems();
  const session = useSession();
  const isForAll = session.bot_ids === null;
  const known = useQuery(botsQuery).data ?? [];
  // Agents know the names of bots, but have no page about a bot.
  const bots = useMay('bots', 'read') ? known : [];
  const theme = useThemeToggle();
  const leave = useSignOut();
  return [
    ...pages.map((item) => ({
      id: item.path,
      section: t.palette.pages,
      label: item.title(t),
      icon: item.icon,
      act: { to: item.path },
    })),
    ...bots.map((bot) => ({
      id: `bot-${bot.id}`,
      section: t.palette.bots,
      label: bot.name || bot.username || String(bot.id),
      ...(bot.username ? { note: `@${bot.username}` } : {}),
      icon: 'bot' as const,
      act: { to: '/bots/$botId', params: { botId: String(bot.id) } },
    })),
    ...additions
      .filter((one) => allows(session, one) && (!one.everyBot || isForAll))
      .map(({ id, label, act }) => ({
        id,
        section: t.palette.actions,
        label: label(t),
        icon: 'plus' as const,
        act,
      })),
    {
      id: 'theme',
      section: t.palette.actions,
      label: t.shortcuts.theme,
      icon: theme.dark ? 'sun' : 'moon',
      act: theme.toggle,
    },
    {
      id: 'sign-out',
      section: t.palette.actions,
      label: t.nav.signOut,
      icon: 'signOut',
      act: () => leave.mutate(undefined),
    },
  ];
}
