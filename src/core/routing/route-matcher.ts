/*
 * Which routes of a bot take a message. The routes are compiled once into look-up tables (by chat,
 * user, word, command, media) and one automaton for all patterns, so that a thousand routes cost
 * about what one does. The tables only propose; the order and a `drop` decide.
 */
import { type Reason, reason } from '../reasons/reason.ts';
import { RE2Set } from 're2js';
import { type ConditionType, isConditionType } from './condition-types.ts';
import { mediaOf } from './conditions.ts';
import { createPhraseIndex } from '../search/phrase-index.ts';
import { keywordsOf, splitWords } from '../search/words.ts';

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

/** A route that takes the message, by its place in the order, and why. */
interface Proposal {
  order: number;
  why: Reason;
}

/** The routes of one condition type, found by what they look for. */
interface ConditionIndex {
  add(value: string, order: number): void;
  find(message: RoutableMessage): Iterable<Proposal>;
}

/** Undefined where no rule but the model decides. */
const indexes: Record<ConditionType, ((botUsername: string) => ConditionIndex) | undefined> = {
  all: () => {
    const orders: number[] = [];
    return {
      add: (_value, order) => orders.push(order),
      find: () => proposals(orders, reason('every_message')),
    };
  },
  chat_id: () => {
    const byChat = createLookup<number>();
    return {
      add: (value, order) => byChat.add(Number(value), order),
      find: ({ chatId }) => proposals(byChat.get(chatId), reason('from_chat', { chat_id: chatId })),
    };
  },
  user_id: () => {
    const byUser = createLookup<number>();
    return {
      add: (value, order) => byUser.add(Number(value), order),
      find: ({ userId }) => proposals(byUser.get(userId), reason('from_user', { user_id: userId })),
    };
  },
  media: () => {
    const byMedia = createLookup<string>();
    const anyMedia: number[] = [];
    return {
      add(value, order) {
        const kinds = mediaOf(value);
        if (kinds.length === 0) anyMedia.push(order);
        for (const kind of kinds) byMedia.add(kind, order);
      },
      find: ({ mediaType }) =>
        mediaType === null
          ? []
          : proposals(
              [...anyMedia, ...byMedia.get(mediaType)],
              reason('media_type', { type: mediaType }),
            ),
    };
  },
  command: (botUsername) => {
    const byCommand = createLookup<string>();
    return {
      add: (value, order) => byCommand.add(commandName(value), order),
      find({ text }) {
        const command = commandIn(text, botUsername);
        return command === undefined
          ? []
          : proposals(byCommand.get(command), reason('command', { command }));
      },
    };
  },
  keyword: () => {
    const phrases = createPhraseIndex();
    return {
      add(value, order) {
        for (const phrase of keywordsOf(value)) phrases.add(phrase, order);
      },
      *find({ text }) {
        if (text === '') return;
        for (const { order, phrase } of phrases.find(splitWords(text))) {
          yield { order, why: reason('words_found', { words: phrase }) };
        }
      },
    };
  },
  regex: () => {
    const patterns = new RE2Set();
    const orders: number[] = [];
    return {
      add(value, order) {
        const index = addPattern(patterns, value);
        if (index !== undefined) orders[index] = order;
      },
      find({ text }) {
        if (text === '' || orders.length === 0) return [];
        const found = patterns.match(text).map((index) => orders[index] as number);
        return proposals(found, reason('pattern_matches'));
      },
    };
  },
  llm: undefined,
};

const proposals = (orders: readonly number[], why: Reason): Proposal[] =>
  orders.map((order) => ({ order, why }));

/** `routes` come in the order in which they act. */
export function compileRoutes<Route extends MatchableRoute>(
  routes: readonly Route[],
  botUsername: string,
): RouteMatcher<Route> {
  const enabled = routes.filter((route) => route.enabled);
  const asked = enabled.filter((route) => route.condition_type !== 'llm');
  const used = new Map<string, ConditionIndex>();

  for (const [order, { condition_type: type, condition_value: value }] of asked.entries()) {
    // A type that this version does not know takes nothing.
    const index =
      used.get(type) ?? (isConditionType(type) ? indexes[type]?.(botUsername) : undefined);
    if (!index) continue;
    used.set(type, index);
    index.add(value, order);
  }

  return {
    asked: ranges(asked.map((route) => route.id)),
    chosenByModel: enabled.filter((route) => route.condition_type === 'llm'),
    match(message) {
      const reasons = new Map<number, Reason>();
      for (const index of used.values()) {
        for (const { order, why } of index.find(message)) {
          const route = asked[order] as Route;
          if (route.source_chat_id !== 0 && route.source_chat_id !== message.chatId) continue;
          if (!reasons.has(order)) reasons.set(order, why);
        }
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

function createLookup<Key>() {
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
