import { useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { botName, botsQuery } from '../../api/bots.ts';
import { type Chat, chatsOf } from '../../api/chats.ts';
import { peopleOf, profileOf } from '../../api/people.ts';
import { useT } from '../../i18n/use-t.tsx';
import { entryName } from '../../shared/entry-name.ts';
import { useMay } from '../../shared/use-session.ts';
import { useAction } from '../../shared/use-action.ts';
import { chatLink, type Entry, fewestLetters, mostBots, shortLived } from './palette-entries.ts';

interface PersonOfBot {
  bot_id: number;
  user_id: number;
}

const perBot = 5;
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
    queries: (asked ? managed.slice(0, mostBots) : []).map((bot) => ({
      queryKey: ['palette', 'people', bot.id, name],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const found = await peopleOf({ bot_id: bot.id, q: name, limit: perBot }, signal);
        return found.map((person) => ({ ...person, bot_id: bot.id }));
      },
      ...shortLived,
    })),
  });
  const persons = people.flatMap(({ data }) => data ?? []).filter(({ is_bot }) => !is_bot);
  const profiles = useQueries({
    queries: (isBan ? persons.slice(0, maxShown) : []).map(({ bot_id, user_id }) => ({
      queryKey: ['palette', 'profile', bot_id, user_id],
      queryFn: ({ signal }: { signal: AbortSignal }) => profileOf({ bot_id, user_id }, signal),
      ...shortLived,
    })),
  });
  const open = useAction({
    run: async (person: PersonOfBot) => {
      const chatId = await chatOf(person);
      await navigate(chatLink(person.bot_id, chatId, { about: person.user_id }));
    },
  });
  if (isBan) {
    return profiles.flatMap(({ data: person }, at) => {
      const botId = persons[at]?.bot_id;
      if (!person || botId === undefined) return [];
      // People are banned in groups.
      const groups = person.chats.filter(({ chat_id }) => chat_id < 0);
      return groups.map(({ chat_id, title }) => ({
        id: `ban-${botId}-${chat_id}-${person.user_id}`,
        section: t.palette.actions,
        label: t.palette.ban(nameOf(person), title || String(chat_id)),
        note: names.get(botId) ?? '',
        icon: 'user' as const,
        act: () => void navigate(chatLink(botId, chat_id, { about: person.user_id, ban: true })),
      }));
    });
  }
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
        section: t.palette.people,
        label: nameOf(person),
        note: names.get(person.bot_id) ?? '',
        icon: 'user' as const,
        act: () => open.mutate(person),
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
async function chatOf({ bot_id, user_id }: PersonOfBot): Promise<number> {
  const { chats } = await profileOf({ bot_id, user_id });
  const own = chats.find(({ chat_id }) => chat_id === user_id) ?? chats[0];
  return own?.chat_id ?? user_id;
}
