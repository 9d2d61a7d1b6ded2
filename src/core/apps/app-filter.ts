/*
 * Decides which updates an app receives. The fields of a filter combine with AND, the values of a
 * field with OR; a field that is left out, or an empty list, lets everything through.
 */
import type { FilterFacts } from './filter-facts.ts';
import { maxId } from '../limits.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { patternProblem, patternWeight } from '../routing/pattern-size.ts';
import { commandIn, commandName, isCommand } from '../search/commands.ts';
import type { Matching } from '../search/pattern-time.ts';
import { createPhraseIndex } from '../search/phrase-index.ts';
import { keywordsOf } from '../search/words.ts';

export interface AppFilter {
  kinds?: readonly string[];
  chat_ids?: readonly number[];
  user_ids?: readonly number[];
  chat_types?: readonly string[];
  commands?: readonly string[];
  keywords?: readonly string[];
  /** RE2 syntax. */
  regex?: string;
  callback_prefixes?: readonly string[];
  thread_ids?: readonly number[];
}

export const chatTypes = ['private', 'group', 'supergroup', 'channel'] as const;

export const filterLimits = { valuesPerField: 1_000, textLength: 256 } as const;

// Kinds that Telegram adds in the future are accepted.
export const updateKindPattern = '^[a-z_]{1,64}$';
const updateKind = new RegExp(updateKindPattern);

export function updateKindProblem(kind: string): Reason | undefined {
  return updateKind.test(kind) ? undefined : reason('not_an_update_kind');
}

export function commandProblem(command: string): Reason | undefined {
  return isCommand(command) ? undefined : reason('not_a_command');
}

/** Undefined if the time limit for its pattern ran out before it was decided. */
export type FilterTest = (facts: FilterFacts, matching: Matching) => boolean | undefined;

interface FilterField<Value> {
  problem(value: Value): Reason | undefined;
  /** The test is compiled once; undefined if everything passes. */
  test(value: Value, botUsername: string): FilterTest | undefined;
}

type FilterFields = { [Name in keyof AppFilter]-?: FilterField<NonNullable<AppFilter[Name]>> };

const filterFields: FilterFields = {
  kinds: oneOf(({ kind }) => kind, updateKindProblem),
  chat_ids: oneOf(
    ({ chatId }) => chatId,
    (id) => (isId(id) ? undefined : reason('not_an_id', { of: 'chat' })),
  ),
  user_ids: oneOf(
    ({ userId }) => userId,
    (id) => (isId(id) && id > 0 ? undefined : reason('not_an_id', { of: 'user' })),
  ),
  chat_types: oneOf(
    ({ chatType }) => chatType,
    (type) =>
      (chatTypes as readonly string[]).includes(type)
        ? undefined
        : reason('not_a_chat_type', { types: chatTypes }),
  ),
  thread_ids: oneOf(
    ({ threadId }) => threadId,
    (id) => (isId(id) && id > 0 ? undefined : reason('not_an_id', { of: 'topic' })),
  ),
  commands: {
    problem: eachOf(commandProblem),
    test(commands, botUsername) {
      if (commands.length === 0) return undefined;
      const wanted = new Set(commands.map(commandName));
      return (facts) =>
        facts.text.startsWith('/') && wanted.has(commandIn(facts.text, botUsername) ?? '');
    },
  },
  keywords: {
    problem: eachOf((words) =>
      words.length > filterLimits.textLength
        ? reason('too_long', { most: filterLimits.textLength })
        : keywordsOf(words).length === 0
          ? reason('keyword_needed')
          : undefined,
    ),
    test(keywords) {
      if (keywords.length === 0) return undefined;
      const index = createPhraseIndex();
      const phrases = keywords.flatMap(keywordsOf);
      for (const phrase of phrases) index.add(phrase, 0);
      // Most updates contain no word that begins a phrase, so check that first.
      const firstWords = new Set(phrases.map(([word]) => word));
      return ({ words }) =>
        words.some((word) => firstWords.has(word)) && !index.find(words).next().done;
    },
  },
  regex: {
    problem: (pattern) => (pattern === '' ? undefined : patternProblem(pattern)),
    test(pattern) {
      if (pattern === '') return undefined;
      return (facts, matching) => facts.text !== '' && matching.matches(pattern, facts);
    },
  },
  callback_prefixes: {
    problem: eachOf((prefix) =>
      prefix.length > filterLimits.textLength
        ? reason('too_long', { most: filterLimits.textLength })
        : undefined,
    ),
    test(prefixes) {
      if (prefixes.length === 0) return undefined;
      return ({ callbackData }) =>
        callbackData !== undefined && prefixes.some((prefix) => callbackData.startsWith(prefix));
    },
  },
};

export const filterFieldNames = Object.keys(filterFields) as (keyof AppFilter)[];

/** The fields in the order in which they are tested: the one that may take long comes last. */
const testedFields = filterFieldNames.toSorted(
  (left, right) => Number(left === 'regex') - Number(right === 'regex'),
);

/** Returns the problems of a filter by field; empty when there are none. */
export function filterProblems(filter: AppFilter): { field: keyof AppFilter; problem: Reason }[] {
  return filterFieldNames.flatMap((field) => {
    const value = filter[field];
    if (value === undefined) return [];
    const tooMany = Array.isArray(value) && value.length > filterLimits.valuesPerField;
    const problem = tooMany
      ? reason('too_many', { most: filterLimits.valuesPerField })
      : (filterFields[field] as FilterField<unknown>).problem(value);
    return problem ? [{ field, problem }] : [];
  });
}

/** The most that the patterns of all apps of one bot may weigh, the same as for its routes. */
const largestWeight = 16_000;

/**
 * The most words that the keywords of all apps of one bot may have: their index is built in one
 * turn of the event loop.
 */
const mostKeywordWords = 10_000;

interface SharedLimit {
  most: number;
  weigh(filter: AppFilter): number;
  problem: Reason;
}

/** The fields whose values in all filters of a bot are limited together. */
const sharedLimits: Record<'regex' | 'keywords', SharedLimit> = {
  regex: {
    most: largestWeight,
    weigh: ({ regex }) => (regex ? patternWeight(regex) : 0),
    problem: reason('filters_too_much'),
  },
  keywords: {
    most: mostKeywordWords,
    weigh: ({ keywords = [] }) => sum(keywords.flatMap(keywordsOf).map(({ length }) => length)),
    problem: reason('keywords_too_much', { most: mostKeywordWords }),
  },
};

/** Returns the field that is too much in all filters of a bot, if a change to `filter` made it heavier. */
export function sharedProblem(
  all: readonly AppFilter[],
  filter: AppFilter,
  before: AppFilter = {},
): { field: 'regex' | 'keywords'; problem: Reason } | undefined {
  const field = (['regex', 'keywords'] as const).find((name) => {
    const { most, weigh } = sharedLimits[name];
    return weigh(filter) > weigh(before) && sum(all.map(weigh)) > most;
  });
  return field && { field, problem: sharedLimits[field].problem };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Undefined for a filter that lets everything through. Cheap tests come first. */
export function compileFilter(filter: AppFilter, botUsername: string): FilterTest | undefined {
  const tests = testedFields.flatMap((field) => {
    const value = filter[field];
    if (value === undefined) return [];
    return (filterFields[field] as FilterField<unknown>).test(value, botUsername) ?? [];
  });
  if (tests.length === 0) return undefined;
  return (facts, matching) => {
    for (const test of tests) {
      const passes = test(facts, matching);
      if (!passes) return passes;
    }
    return true;
  };
}

function oneOf<Value extends string | number>(
  factOf: (facts: FilterFacts) => string | number | undefined,
  problem: (value: Value) => Reason | undefined,
): FilterField<readonly Value[]> {
  return {
    problem: eachOf(problem),
    test(values) {
      if (values.length === 0) return undefined;
      const wanted = new Set<string | number | undefined>(values);
      return (facts) => wanted.has(factOf(facts));
    },
  };
}

function eachOf<Value>(problem: (value: Value) => Reason | undefined) {
  return (values: readonly Value[]): Reason | undefined => {
    for (const value of values) {
      const found = problem(value);
      if (found) return found;
    }
    return undefined;
  };
}

const isId = (id: number): boolean => Number.isInteger(id) && id !== 0 && Math.abs(id) <= maxId;
