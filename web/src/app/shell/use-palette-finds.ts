import { useDebouncedValue } from '@mantine/hooks';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { botName, botsQuery } from '../../api/bots.ts';
import { chatsOf } from '../../api/chats.ts';
import { peopleOf, profileOf } from '../../api/people.ts';
import type { Bot } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { useAction } from '../../shared/use-action.ts';
import type { Entry } from './palette-entries.ts';

const waitMs = 150;
const perBot = 5;
const maxBots = 20;
const maxShown = 8;

/** Chats and people of every bot whose names contain the typed text. */
export function usePaletteFinds(text: string): Entry[] {
  const t = useT();
  const navigate = useNavigate();
  const [typed] = useDebouncedValue(text.trim(), waitMs);
  const managed = (useQuery(botsQuery).data ?? []).filter((bot) => bot.manage_enabled);
  const found = useQueries({
    queries: (typed.length < 2 ? [] : managed.slice(0, maxBots)).map((bot) => ({
      queryKey: ['palette', bot.id, typed],
      queryFn: ({ signal }: { signal: AbortSignal }) => find(bot, typed, signal),
      staleTime: 30_000,
      retry: false,
    })),
  });
  const finds = found.flatMap((one) => one.data ?? []);
  const first = finds.filter(
    (one, at) => one.kind === 'chat' || finds.findIndex((other) => same(one, other)) === at,
  );
  const open = useAction({
    run: async (one: Find) => {
      const chatId = one.kind === 'chat' ? one.id : await targetOf(one);
      await navigate({
        to: '/chats/$botId/$chatId',
        params: { botId: String(one.bot.id), chatId: String(chatId) },
        search: one.kind === 'chat' ? {} : { about: one.id },
      });
    },
  });
  const entryOf = (one: Find): Entry => ({
    id: `${one.kind}-${one.bot.id}-${one.id}`,
    section: one.kind === 'chat' ? t.palette.chats : t.palette.people,
    label: one.name,
    note: botName(one.bot),
    icon: one.kind === 'chat' ? 'chats' : 'user',
    run: () => open.mutate(one),
  });
  const shown = (kind: Find['kind']) =>
    first
      .filter((one) => one.kind === kind)
      .slice(0, maxShown)
      .map(entryOf);
  return [...shown('chat'), ...shown('person')];
}

interface Find {
  kind: 'chat' | 'person';
  bot: Bot;
  id: number;
  name: string;
}

async function find(bot: Bot, q: string, signal: AbortSignal): Promise<Find[]> {
  const query = { bot_id: bot.id, q, limit: perBot };
  const [chats, people] = await Promise.all([chatsOf(query, signal), peopleOf(query, signal)]);
  return [
    ...chats.map((chat) => ({
      kind: 'chat' as const,
      bot,
      id: chat.chat_id,
      name: chat.title || String(chat.chat_id),
    })),
    ...people
      .filter((person) => !person.is_bot)
      .map((person) => ({
        kind: 'person' as const,
        bot,
        id: person.user_id,
        name: [person.first_name, person.last_name].filter(Boolean).join(' ') || person.username,
      })),
  ];
}

/** Returns the chat in which to show a person: their private chat, otherwise one they were seen in. */
async function targetOf({ bot, id }: Find): Promise<number> {
  const { chats } = await profileOf({ bot_id: bot.id, user_id: id });
  return chats.find((chat) => chat.chat_id === id)?.chat_id ?? chats[0]?.chat_id ?? id;
}

/** Returns true for the same person, seen by two bots. */
function same(one: Find, other: Find): boolean {
  return one.kind === other.kind && one.id === other.id;
}
