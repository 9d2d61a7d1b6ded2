import type { NewRoute } from '../../api/routes.ts';
import type { Messages } from '../../i18n/en.ts';
import { shortened } from '../../ui/shortened.ts';
import type { RouteNames } from './route-names.ts';

/** What a rule does, as a sentence a person would say. */
export function routeWords(
  route: NewRoute,
  names: Pick<RouteNames, 'bot' | 'chat'>,
  t: Messages,
): string {
  const { words } = t.routes;
  const chat = route.target_chat_id ? words.chat(names.chat(route.target_chat_id)) : words.sameChat;
  const start = words.when(names.bot(route.source_bot_id));
  const where = route.source_chat_id ? words.inChat(names.chat(route.source_chat_id)) : '';
  const target = names.bot(route.target_bot_id);
  const end = {
    drop: words.drop,
    forward: words.forward(target, chat),
    copy: words.copy(target, chat),
  }[route.action];
  return `${start}${where}${conditionWords(route, names, t)}${end}${wayBack(route, t)}`;
}

/** The usual way back goes without saying. */
function wayBack(route: NewRoute, t: Messages): string {
  if (route.action === 'drop' || !route.return_mode || route.return_mode === 'reply') return '';
  return ` ${t.routes.words.back[route.return_mode]}`;
}

function conditionWords(route: NewRoute, names: Pick<RouteNames, 'chat'>, t: Messages): string {
  const { words } = t.routes;
  const value = route.condition_value ?? '';
  const inNames = () => value.replace(/-?\d+/g, (id) => names.chat(Number(id)));
  switch (route.condition_type) {
    case 'keyword':
      return words.keyword(quoted(value, t));
    case 'regex':
      return words.regex(quoted(value, t));
    case 'command':
      return words.command(value.startsWith('/') ? value : `/${value}`);
    case 'media':
      return words.media(value);
    case 'chat_id':
      return words.chat_id(inNames());
    case 'user_id':
      return words.user_id(inNames());
    case 'llm':
      return words.llm;
    default:
      return words.all;
  }
}

function quoted(value: string, t: Messages): string {
  return value
    .split(',')
    .map((part) => t.routes.words.named(part.trim()))
    .join(', ');
}

/** A few letters for the edges of the drawing. */
export function conditionLabel(route: NewRoute, t: Messages): string {
  const value = route.condition_value ?? '';
  if (!route.condition_type || route.condition_type === 'all') return t.routes.conditions.all;
  const { short } = t.routes;
  if (route.condition_type === 'llm') return short.llm;
  const text = value || (short[route.condition_type as keyof typeof short] ?? route.condition_type);
  return shortened(text, 18);
}
