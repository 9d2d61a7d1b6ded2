import type { AnyReason } from '../../../../src/core/reasons/shape.ts';
import { namesOf } from '../../api/bots.ts';
import type { Bot, Route } from '../../api/client/types.ts';
import type { Messages } from '../../i18n/messages.ts';
import { reasonWords } from '../../i18n/reasons.ts';
import { shortened } from '../../ui/text/shortened.ts';

/** Replacements for ids in sentences. */
export interface RouteNames {
  bot: (id: number) => string;
  chat: (id: number) => string;
  /** The note of a route, otherwise its source and target; unique. */
  route: (id: number) => string;
  /** Returns a sentence of the service, in the user's language and with names. */
  say: (sentence: string, detail: AnyReason | null | undefined) => string;
}

const longest = 48;

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
  const names: Record<string, (id: number) => string> = {
    bot_id: (id) => named(bot(id)),
    route_id: route,
    chat_id: chat,
    user_id: chat,
  };
  /** Replaces IDs with names. */
  function withNames(value: unknown, name = ''): unknown {
    if (typeof value === 'number') return names[name]?.(value) ?? value;
    if (Array.isArray(value)) return value.map((one) => withNames(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, withNames(part, key)]),
    );
  }
  return {
    bot,
    chat,
    route,
    say: (sentence, detail) =>
      reasonWords(sentence, withNames(detail) as AnyReason | null | undefined, t.reasons),
  };
}
