import { namesOf } from '../../api/bots.ts';
import type { Bot, Route } from '../../api/types.ts';
import type { Messages } from '../../i18n/en.ts';
import { inWords } from '../../i18n/phrase.ts';
import { useT } from '../../i18n/use-t.tsx';
import { shortened } from '../../ui/shortened.ts';
import { useChatNames } from '../../ui/use-chat-names.ts';

/** What stands in sentences in place of numbers. */
export interface RouteNames {
  bot: (id: number) => string;
  chat: (id: number) => string;
  /** Its note, else its place in the list of its bot. */
  route: (id: number) => string;
  /** A sentence of the service, in the reader's language and with names. */
  say: (sentence: string) => string;
}

const longest = 48;
const numbered =
  /(bot|бота|[Rr]oute|[Мм]аршрут|chat|чата|user|person|человека) #?(-?\d+)(?![\d-])/gu;

export function useRouteNames(bots: Bot[], routes: Route[]): RouteNames {
  const t = useT();
  // Those whose chats are spoken of come first.
  const ends = routes
    .toSorted((left, right) => Number(namesChats(right)) - Number(namesChats(left)))
    .flatMap((route) => [route.source_bot_id, route.target_bot_id]);
  return routeNames(t, { bots, routes, titleOf: useChatNames(ends) });
}

function namesChats(route: Route): boolean {
  const { condition_type, source_chat_id, target_chat_id } = route;
  return source_chat_id !== 0 || target_chat_id !== 0 || /^(chat|user)_id$/.test(condition_type);
}

export function routeNames(
  t: Messages,
  known: { bots: Bot[]; routes: Route[]; titleOf: (chatId: number) => string | undefined },
): RouteNames {
  const { named } = t.routes.words;
  const bot = namesOf(known.bots);
  function chat(id: number): string {
    const title = known.titleOf(id);
    return title === undefined ? String(id) : named(title);
  }
  function route(id: number): string {
    const found = known.routes.find((one) => one.id === id);
    if (!found) return `#${id}`;
    const note = found.description;
    if (note !== '') return named(shortened(note, longest));
    const siblings = known.routes.filter((one) => one.source_bot_id === found.source_bot_id);
    return String(siblings.indexOf(found) + 1);
  }
  const nameIn = (noun: string, id: number) => {
    if (/^bo|^бо/.test(noun)) return named(bot(id));
    return /^r|^м/i.test(noun) ? route(id) : chat(id);
  };
  return {
    bot,
    chat,
    route,
    say: (sentence) =>
      inWords(sentence, t.phrases).replace(
        numbered,
        (_all, noun: string, id: string) => `${noun} ${nameIn(noun, Number(id))}`,
      ),
  };
}
