import { type Reason, reason } from '../reasons/reason.ts';
import { maxId } from '../limits.ts';
import { patternProblem, patternWeight } from './pattern-size.ts';
import { commandIn, commandName, isCommand } from '../search/commands.ts';
import { groupPatterns, type PatternSet } from '../search/pattern-sets.ts';
import type { Matching } from '../search/pattern-time.ts';
import { createPhraseIndex } from '../search/phrase-index.ts';
import { keywordsOf, splitWords } from '../search/words.ts';
import { type ConditionType, isConditionType } from './condition-types.ts';

export const routeActions = ['forward', 'copy', 'drop'] as const;
export type RouteAction = (typeof routeActions)[number];

/** The modes of the return path of a reply to a routed message. */
export const returnModes = ['off', 'reply', 'latest'] as const;
export type ReturnMode = (typeof returnModes)[number];

export const routableMedia = [
  'photo',
  'video',
  'animation',
  'sticker',
  'voice',
  'audio',
  'document',
  'video_note',
] as const;

const mediaKind = `(${routableMedia.join('|')})`;

/** The facts that conditions test. */
export interface RoutableMessage {
  chatId: number;
  userId: number;
  /** Its topic, 1 for General; undefined outside of topics. */
  threadId?: number | undefined;
  /** The text, or the caption of media. */
  text: string;
  mediaType: string | null;
}

/** A route that matches the message, by its index in the order, and why. */
interface Proposal {
  order: number;
  why: Reason;
  /** Set if the time limit for its pattern ran out before it was decided. */
  isUndecided?: true;
}

/** The routes of one condition type, indexed by their values. */
export interface ConditionIndex {
  add(value: string, order: number): void;
  find(message: RoutableMessage, matching: Matching): Iterable<Proposal>;
  /** The patterns that take time to compile. */
  patterns?(): readonly PatternSet[];
}

interface ConditionRule {
  /** The description of the value in the API reference; '' if the condition has none. */
  value: string;
  /** A further note, shown in brackets. */
  note?: string;
  /** The format of the value, as far as a schema can express it. */
  pattern?: string;
  isOptional?: true;
  problem?(value: string): Reason | undefined;
  /** Above 1 if the condition costs more than a look-up. */
  weight?(value: string): number;
  /** Missing if only the model decides. */
  index?(botUsername: string): ConditionIndex;
}

const anyText = '[\\s\\S]';

export const conditionRules: Record<ConditionType, ConditionRule> = {
  chat_id: {
    value: 'an ID in digits',
    pattern: '^-?[0-9]{1,16}$',
    problem: (value) => (isId(value) ? undefined : reason('not_an_id', { of: 'chat' })),
    index: () => {
      const byChat = createLookup<number>();
      return {
        add: (value, order) => byChat.add(Number(value), order),
        find: ({ chatId }) =>
          proposals(byChat.get(chatId), reason('from_chat', { chat_id: chatId })),
      };
    },
  },
  user_id: {
    value: 'an ID in digits',
    pattern: '^[0-9]{1,16}$',
    problem: (value) =>
      isId(value) && Number(value) > 0 ? undefined : reason('not_an_id', { of: 'user' }),
    index: () => {
      const byUser = createLookup<number>();
      return {
        add: (value, order) => byUser.add(Number(value), order),
        find: ({ userId }) =>
          proposals(byUser.get(userId), reason('from_user', { user_id: userId })),
      };
    },
  },
  keyword: {
    value: 'a word',
    pattern: anyText,
    problem: (value) => (keywordsOf(value).length === 0 ? reason('keyword_needed') : undefined),
    // The cost arises whenever the routes are compiled.
    weight: (value) => 1 + value.length / 32,
    index: () => {
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
  },
  all: {
    value: '',
    index: () => {
      const orders: number[] = [];
      return {
        add: (_value, order) => orders.push(order),
        find: () => proposals(orders, reason('every_message')),
      };
    },
  },
  regex: {
    value: 'RE2 syntax',
    pattern: anyText,
    problem: patternProblem,
    // The cost arises for every message of the bot, in proportion to the size of the compiled
    // pattern.
    weight: patternWeight,
    index: () => {
      const patterns: string[] = [];
      const orders: number[] = [];
      let groups: ReturnType<typeof groupPatterns> | undefined;
      return {
        add(value, order) {
          patterns.push(value);
          orders.push(order);
        },
        patterns: () => (groups ??= groupPatterns(patterns)).map(({ set }) => set),
        *find({ text }, matching) {
          if (text === '') return;
          groups ??= groupPatterns(patterns);
          for (const { set, indexes } of groups) {
            const found = matching.find(set, text);
            const of = (index: number | undefined) => orders[index as number] as number;
            if (found) {
              const matched = found.map((index) => of(indexes[index]));
              yield* proposals(matched, reason('pattern_matches'));
            } else {
              const why = reason('pattern_undecided');
              for (const index of indexes) yield { order: of(index), why, isUndecided: true };
            }
          }
        },
      };
    },
  },
  command: {
    value: 'a command',
    pattern: '^/?[A-Za-z0-9_]{1,32}$',
    problem: (value) => (isCommand(value) ? undefined : reason('not_a_command')),
    index: (botUsername) => {
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
  },
  media: {
    value: 'kinds separated by commas',
    note: 'empty: any',
    pattern: `^[\\s,]*(${mediaKind}(\\s*,[\\s,]*${mediaKind})*[\\s,]*)?$`,
    isOptional: true,
    problem: mediaProblem,
    index: () => {
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
  },
  llm: { value: 'examples', note: 'a line each, none needed' },
};

/** Returns the problem of a condition's value; undefined if there is none. */
export function conditionProblem(type: ConditionType, value: string): Reason | undefined {
  return conditionRules[type].problem?.(value);
}

/** Estimates the cost of a condition; 1 for a type that this version does not know. */
export function conditionWeight(type: string, value: string): number {
  return (isConditionType(type) ? conditionRules[type].weight?.(value) : undefined) ?? 1;
}

/** The most that all conditions of one bot may weigh: enough for a thousand usual patterns. */
export const largestWeight = 16_000;

function isId(value: string): boolean {
  const id = /^-?\d{1,16}$/.test(value) ? Number(value) : 0;
  return id !== 0 && Math.abs(id) <= maxId;
}

/** Empty means any media. */
function mediaOf(value: string): string[] {
  return value
    .split(',')
    .map((kind) => kind.trim())
    .filter((kind) => kind !== '');
}

function mediaProblem(value: string): Reason | undefined {
  const known: readonly string[] = routableMedia;
  return mediaOf(value).every((kind) => known.includes(kind))
    ? undefined
    : reason('not_media', { kinds: routableMedia });
}

const proposals = (orders: readonly number[], why: Reason): Proposal[] =>
  orders.map((order) => ({ order, why }));

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

/** Says whether the enabled routes from one bot take more time than a bot may use. */
export function isTooMuch(
  routes: readonly { condition_type: string; condition_value: string }[],
): boolean {
  const weights = routes.map((one) => conditionWeight(one.condition_type, one.condition_value));
  return weights.reduce((sum, one) => sum + one, 0) > largestWeight;
}
