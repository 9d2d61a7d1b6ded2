import { useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { botName, botsQuery } from '../../api/bots.ts';
import { type Chat, chatsOf } from '../../api/chats.ts';
import { peopleOf, profileOf } from '../../api/people.ts';
import { useT } from '../../i18n/use-t.tsx';
import { entryName } from '../../shared/entry-name.ts';
import { useMay } from '../../shared/use-session.ts';
import { useAction } from '../../shared/use-action.ts';
import { chatLink, type Entry, fewestLetters, shortLived } from './palette-entries.ts';

const perBot = 5;
const maxBots = 20;
const maxShown = 8;

/** Finds chats of all bots, and people of the bots that are seen first, by name. */
export function usePaletteFinds(typed: string): Entry[] {
  const t = useT();
  const navigate = useNavigate();
  const bots = useQuery(botsQuery).data ?? [];
  const managed = bots.filter((bot) => bot.manage_enabled);
  const may = useMay('chats', 'manage');
  // “ban anna” finds Anna, to ban her.
  const [verb = '', ...others] = typed.split(/\s+/);
  const isBan = may && others.length > 0 && verb.toLowerCase() === t.palette.banVerb;
  const name = isBan ? others.join(' ') : typed;
  const asked = name.length >= fewestLetters;
  const names = new Map(bots.map((bot) => [bot.id, botName(bot)]));
  const chats = useQuery({
    queryKey: ['palette', 'chats', typed],
    queryFn: ({ signal }) => chatsOf({ q: typed, limit: maxShown }, signal),
    enabled: asked && !isBan && managed.length > 0,
    ...shortLived,
  });
  const people = useQueries({
    queries: (asked ? managed.slice(0, maxBots) : []).map((bot) => ({
      queryKey: ['palette', 'people', bot.id, name],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const found = await peopleOf({ bot_id: bot.id, q: name, limit: perBot }, signal);
        return found.map((person) => ({ ...person, bot_id: bot.id }));
      },
      ...shortLived,
    })),
  });
  const open = useAction({
    run: async (person: { bot_id: number; user_id: number; isBan: boolean }) => {
      const chatId = await targetOf(person);
      await navigate({
        to: '/chats/$botId/$chatId',
        params: { botId: String(person.bot_id), chatId: String(chatId) },
        search: { about: person.user_id },
      });
    },
  });
  const persons = people.flatMap(({ data }) => data ?? []).filter(({ is_bot }) => !is_bot);
  return [
    ...(chats.data ?? []).map((chat) => ({
      id: `chat-${chat.bot_id}-${chat.chat_id}-${chat.message_thread_id ?? ''}`,
      section: t.palette.chats,
      label: entryName(chat, t),
      note: names.get(chat.bot_id) ?? '',
      icon: 'chats' as const,
      act: chatLink(chat.bot_id, chat.chat_id, topicSearch(chat)),
    })),
    ...persons
      .filter(({ user_id }, at) => persons.findIndex((one) => one.user_id === user_id) === at)
      .slice(0, maxShown)
      .map((person) => ({
        id: `person-${person.bot_id}-${person.user_id}`,
        section: isBan ? t.palette.actions : t.palette.people,
        label: isBan ? t.palette.ban(nameOf(person)) : nameOf(person),
        note: names.get(person.bot_id) ?? '',
        icon: 'user' as const,
        act: () => open.mutate({ ...person, isBan }),
      })),
  ];
}

const topicSearch = ({ message_thread_id: topic }: Chat) =>
  topic === undefined ? undefined : { topic };

function nameOf(
  person: Record<'first_name' | 'last_name' | 'username', string> & { user_id: number },
): string {
  const { first_name, last_name, user_id, username } = person;
  return [first_name, last_name].filter(Boolean).join(' ') || username || String(user_id);
}

/** Returns the chat in which to show a person: their private chat, otherwise one they were seen in. */
async function targetOf(person: {
  bot_id: number;
  user_id: number;
  isBan: boolean;
}): Promise<number> {
  const { bot_id, isBan, user_id } = person;
  const { chats } = await profileOf({ bot_id, user_id });
  // People are banned in groups.
  const group = isBan ? chats.find(({ chat_id }) => chat_id < 0) : undefined;
  return (
    group?.chat_id ??
    chats.find((chat) => chat.chat_id === user_id)?.chat_id ??
    chats[0]?.chat_id ??
    user_id
  );
}
