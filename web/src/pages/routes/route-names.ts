import { namesOf } from '../../api/bots.ts';
import type { Bot, Route } from '../../api/client/types.ts';
import type { Messages } from '../../i18n/en.ts';
import { inWords } from '../../i18n/phrase.ts';
import { shortened } from '../../ui/text/shortened.ts';

/** What stands in sentences in place of numbers. */
export interface RouteNames {
  bot: (id: number) => string;
  chat: (id: number) => string;
  /** Its note, else where it leads from and to; never the same for two. */
  route: (id: number) => string;
  /** A sentence of the service, in the reader's language and with names. */
  say: (sentence: string) => string;
}

const longest = 48;
const numbered =
  /(bot|бота|[Rr]oute|[Мм]аршрут|chat|чата|user|person|человека) #?(-?\d+)(?![\d-])/gu;

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
    const first = noteOf(found) || endsOf(found);
    const alike = known.routes.filter((one) => (noteOf(one) || endsOf(one)) === first);
    if (alike.length === 1) return first;
    const second = [noteOf(found), endsOf(found)].filter((part) => part !== '').join(' ');
    const twins = alike.filter((one) => endsOf(one) === endsOf(found));
    return twins.length === 1 ? second : `${second} (${twins.indexOf(found) + 1})`;
  }
  function noteOf({ description }: Route): string {
    return description === '' ? '' : named(shortened(description, longest));
  }
  function endsOf({ action, source_bot_id, target_bot_id }: Route): string {
    return `${bot(source_bot_id)} → ${action === 'drop' ? t.routes.ends : bot(target_bot_id)}`;
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
