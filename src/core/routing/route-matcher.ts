/*
 * Which routes of a bot take a message. The routes are compiled once into look-up tables (by chat,
 * user, word, command, media) and one automaton for all patterns, so that a thousand routes cost
 * about what one does. The tables only propose; the order and a `drop` decide.
 */
import { type Reason, reason } from '../reasons/reason.ts';
import { RE2Set } from 're2js';
import { mediaOf } from './conditions.ts';
import { createPhraseIndex } from '../search/phrase-index.ts';
import { keywordsOf, wordsOf } from '../search/words.ts';

export interface MatchableRoute {
  id: number;
  condition_type: string;
  condition_value: string;
  action: string;
  enabled: boolean;
  source_chat_id: number;
}

/** What the conditions look at. */
export interface RoutableMessage {
  chatId: number;
  userId: number;
  /** The text, or the caption of media. */
  text: string;
  mediaType: string | null;
}

export interface RouteMatch<Route> {
  route: Route;
  /** In words, for people: why it matched. */
  reason: Reason;
}

export interface RouteMatcher<Route> {
  /** The routes that act, in order, up to and with the first `drop`. */
  match(message: RoutableMessage): RouteMatch<Route>[];
  /** The ids of the routes that are asked, as ranges ("1-40,57"): all but those of the model. */
  readonly asked: string;
  /** The enabled routes whose condition is the model's choice. */
  readonly chosenByModel: readonly Route[];
}

interface Proposal {
  order: number;
  reason: Reason;
}

/** `routes` come in the order in which they act. */
export function compileRoutes<Route extends MatchableRoute>(
  routes: readonly Route[],
  botUsername: string,
): RouteMatcher<Route> {
  const enabled = routes.filter((route) => route.enabled);
  const asked = enabled.filter((route) => route.condition_type !== 'llm');
  const byChat = createIndex<number>();
  const byUser = createIndex<number>();
  const phrases = createPhraseIndex();
  const byCommand = createIndex<string>();
  const byMedia = createIndex<string>();
  const always: number[] = [];
  const anyMedia: number[] = [];
  const patterns = new RE2Set();
  const patternOrders: number[] = [];

  asked.forEach(({ condition_type, condition_value: value }, order) => {
    if (condition_type === 'all') always.push(order);
    else if (condition_type === 'chat_id') byChat.add(Number(value), order);
    else if (condition_type === 'user_id') byUser.add(Number(value), order);
    else if (condition_type === 'command') byCommand.add(commandName(value), order);
    else if (condition_type === 'regex') {
      const index = addPattern(patterns, value);
      if (index !== undefined) patternOrders[index] = order;
    } else if (condition_type === 'media') {
      const kinds = mediaOf(value);
      if (kinds.length === 0) anyMedia.push(order);
      for (const kind of kinds) byMedia.add(kind, order);
    } else if (condition_type === 'keyword') {
      for (const phrase of keywordsOf(value)) phrases.add(phrase, order);
    }
  });

  function* proposals(message: RoutableMessage): Generator<Proposal> {
    for (const order of always) yield { order, reason: reason('every_message') };
    for (const order of byChat.get(message.chatId)) {
      yield { order, reason: reason('from_chat', { chat_id: message.chatId }) };
    }
    for (const order of byUser.get(message.userId)) {
      yield { order, reason: reason('from_user', { user_id: message.userId }) };
    }
    if (message.mediaType !== null) {
      for (const order of [...anyMedia, ...byMedia.get(message.mediaType)]) {
        yield { order, reason: reason('media_type', { type: message.mediaType }) };
      }
    }
    if (message.text === '') return;
    const command = commandIn(message.text, botUsername);
    if (command !== undefined) {
      for (const order of byCommand.get(command)) {
        yield { order, reason: reason('command', { command }) };
      }
    }
    if (phrases.size > 0) {
      for (const { order, phrase } of phrases.find(wordsOf(message.text))) {
        yield { order, reason: reason('words_found', { words: phrase }) };
      }
    }
    if (patternOrders.length > 0) {
      for (const index of patterns.match(message.text)) {
        yield { order: patternOrders[index] as number, reason: reason('pattern_matches') };
      }
    }
  }

  return {
    asked: ranges(asked.map((route) => route.id)),
    chosenByModel: enabled.filter((route) => route.condition_type === 'llm'),
    match(message) {
      const reasons = new Map<number, Reason>();
      for (const { order, reason: why } of proposals(message)) {
        const route = asked[order] as Route;
        if (route.source_chat_id !== 0 && route.source_chat_id !== message.chatId) continue;
        if (!reasons.has(order)) reasons.set(order, why);
      }
      const matches: RouteMatch<Route>[] = [];
      for (const order of [...reasons.keys()].sort((a, b) => a - b)) {
        const route = asked[order] as Route;
        matches.push({ route, reason: reasons.get(order) as Reason });
        if (route.action === 'drop') break;
      }
      return matches;
    },
  };
}

/** 1, 2, 3, 7 as "1-3,7": a thousand rules that were asked in vain take a few characters. */
function ranges(ids: readonly number[]): string {
  const sorted = [...ids].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let from = 0; from < sorted.length; ) {
    let to = from;
    while (sorted[to + 1] === (sorted[to] as number) + 1) to++;
    parts.push(from === to ? `${sorted[from]}` : `${sorted[from]}-${sorted[to]}`);
    from = to + 1;
  }
  return parts.join(',');
}

/** Patterns are checked when a route is saved; one that slipped through must not stop the others. */
function addPattern(patterns: RE2Set, value: string): number | undefined {
  try {
    return patterns.add(value);
  } catch {
    return undefined;
  }
}

function createIndex<Key>() {
  const orders = new Map<Key, number[]>();
  return {
    add(key: Key, order: number) {
      const known = orders.get(key);
      if (known) known.push(order);
      else orders.set(key, [order]);
    },
    get: (key: Key): readonly number[] => orders.get(key) ?? [],
  };
}

function commandName(value: string): string {
  return value.replace(/^\//, '').toLowerCase();
}

/** The command a text begins with, if it is meant for this bot. */
function commandIn(text: string, botUsername: string): string | undefined {
  const found = /^\/([A-Za-z0-9_]{1,32})(?:@([A-Za-z0-9_]+))?(?=\s|$)/.exec(text);
  if (!found) return undefined;
  const [, name, addressee] = found;
  if (addressee && addressee.toLowerCase() !== botUsername.toLowerCase()) return undefined;
  return name?.toLowerCase();
}
