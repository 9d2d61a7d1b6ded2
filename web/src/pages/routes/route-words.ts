import {
  type ConditionType,
  type ConditionValue,
  conditionValues,
  type NewRoute,
} from '../../api/routes.ts';
import type { Messages } from '../../i18n/messages.ts';
import { shortened } from '../../ui/text/shortened.ts';

/** Names that replace IDs in sentences. */
interface Names {
  bot: (id: number) => string;
  chat: (id: number) => string;
}

/** A value within a sentence. */
type ValueShape = (value: string, names: Pick<Names, 'chat'>, t: Messages) => string;

/** Describes a route as a sentence. */
export function routeWords(route: NewRoute, names: Names, t: Messages): string {
  const { words } = t.routes;
  const chat = chatWords(route.target_chat_id, route.target_thread_id ?? 0, names, t);
  const where = route.source_chat_id
    ? words.inChat(placeWords(route.source_chat_id, route.source_thread_id ?? 0, names, t))
    : '';
  const target = names.bot(route.target_bot_id);
  const end = {
    drop: words.drop,
    forward: words.forward(target, chat),
    copy: words.copy(target, chat),
  }[route.action];
  return words.sentence(
    names.bot(route.source_bot_id),
    where,
    conditionWords(route, names, t),
    end,
    returnPathText(route, t),
  );
}

function placeWords(chatId: number, topic: number, names: Names, t: Messages): string {
  const chat = names.chat(chatId);
  return topic === 0 ? chat : t.topics.sentence(chat, t.topics.unnamed(topic));
}

function chatWords(chatId: number | undefined, topic: number, names: Names, t: Messages): string {
  const { words } = t.routes;
  if (chatId === undefined) return words.noChat;
  return chatId === 0 ? words.sameChat : words.chat(placeWords(chatId, topic, names, t));
}

/** Returns '' for the default return path, which is not mentioned. */
function returnPathText(route: NewRoute, t: Messages): string {
  if (route.action === 'drop' || !route.return_mode || route.return_mode === 'reply') return '';
  return t.routes.words.back[route.return_mode];
}

/** Returns true if the value of a condition must not be empty. */
export function needsValue(type: ConditionType): boolean {
  return !['none', 'examples', 'media'].includes(conditionValues[type]);
}

function conditionWords(route: NewRoute, names: Pick<Names, 'chat'>, t: Messages): string {
  const { conditions, noValue } = t.routes.words;
  const type = route.condition_type || 'all';
  const value = route.condition_value ?? '';
  if (needsValue(type) && value.trim() === '') return noValue;
  return conditions[type](valueShapes[conditionValues[type]](value, names, t));
}

const inNames: ValueShape = (value, names) =>
  value.replace(/-?\d+/g, (id) => names.chat(Number(id)));

const valueShapes: Record<ConditionValue, ValueShape> = {
  none: () => '',
  examples: () => '',
  words: (value, _names, t) => anyOf(value, t),
  pattern: (value, _names, t) => t.routes.words.named(value),
  command: (value) => (value.startsWith('/') ? value : `/${value}`),
  media: (value) => value,
  chat: inNames,
  user: inNames,
};

/** Joins words of which one is enough. */
function anyOf(value: string, t: Messages): string {
  const { anyOf: either, named } = t.routes.words;
  const words = value.split(',').flatMap((part) => (part.trim() ? [named(part.trim())] : []));
  return words.length === 0 ? named('') : either(words);
}

/** Returns a short label for the edges of the drawing. */
export function conditionLabel(route: NewRoute, t: Messages): string {
  const value = route.condition_value ?? '';
  if (!route.condition_type || route.condition_type === 'all') return t.routes.conditions.all;
  const { short } = t.routes;
  if (route.condition_type === 'llm') return short.llm;
  const text = value || (short[route.condition_type as keyof typeof short] ?? route.condition_type);
  return shortened(text, 18);
}
