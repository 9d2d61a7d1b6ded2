/*
 * Which updates an app receives. The fields of a filter combine with AND, the values of a field with OR;
 * a field that is left out, or an empty list, lets everything through.
 */
import { RE2JS } from 're2js';
import { maxId } from '../limits.ts';
import { integer, object, text } from '../log/wire.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { patternProblem } from '../routing/pattern-size.ts';
import { commandIn, commandName, isCommand } from '../search/commands.ts';
import { createPhraseIndex } from '../search/phrase-index.ts';
import { keywordsOf, splitWords } from '../search/words.ts';

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

// Kinds that the platform will have one day are fine.
export const updateKindPattern = '^[a-z_]{1,64}$';
const updateKind = new RegExp(updateKindPattern);

export function updateKindProblem(kind: string): Reason | undefined {
  return updateKind.test(kind) ? undefined : reason('not_an_update_kind');
}

/** What a filter looks at. */
export interface FilterFacts {
  kind: string;
  chatId: number | undefined;
  userId: number | undefined;
  chatType: string;
  /** The text, or the caption of media; of an inline query its words. */
  text: string;
  /** Of the text; split once for all filters that ask. */
  readonly words: readonly string[];
  /** Of a button that was pressed; undefined for other updates. */
  callbackData: string | undefined;
  threadId: number | undefined;
}

export type FilterTest = (facts: FilterFacts) => boolean;

interface FilterField<Value> {
  problem(value: Value): Reason | undefined;
  /** Compiled once; undefined where everything passes. */
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
    problem: eachOf((command) => (isCommand(command) ? undefined : reason('not_a_command'))),
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
      // Most updates have no word that a phrase begins with.
      const firstWords = new Set(phrases.map(([word]) => word));
      return ({ words }) =>
        words.some((word) => firstWords.has(word)) && !index.find(words).next().done;
    },
  },
  regex: {
    problem: (pattern) => (pattern === '' ? undefined : patternProblem(pattern)),
    test(pattern) {
      if (pattern === '') return undefined;
      const compiled = RE2JS.compile(pattern);
      return (facts) => facts.text !== '' && compiled.matcher(facts.text).find();
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

/** What is wrong with a filter, by field; empty when nothing is. */
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

/** Undefined for a filter that lets everything through. The cheap tests come first. */
export function compileFilter(filter: AppFilter, botUsername: string): FilterTest | undefined {
  const tests = filterFieldNames.flatMap((field) => {
    const value = filter[field];
    if (value === undefined) return [];
    return (filterFields[field] as FilterField<unknown>).test(value, botUsername) ?? [];
  });
  if (tests.length === 0) return undefined;
  return (facts) => tests.every((test) => test(facts));
}

/** Of an update as received. */
export function readFilterFacts(update: { kind: string; raw: string }): FilterFacts {
  return new UpdateFacts(update);
}

/** Each fact is looked up when a filter first asks: many filters need no more than the kind. */
class UpdateFacts implements FilterFacts {
  readonly kind: string;
  readonly #raw: string;
  #read: Omit<FilterFacts, 'kind' | 'words'> | undefined;
  #words: readonly string[] | undefined;

  constructor({ kind, raw }: { kind: string; raw: string }) {
    this.kind = kind;
    this.#raw = raw;
  }

  get chatId() {
    return this.#facts.chatId;
  }

  get userId() {
    return this.#facts.userId;
  }

  get chatType() {
    return this.#facts.chatType;
  }

  get text() {
    return this.#facts.text;
  }

  get callbackData() {
    return this.#facts.callbackData;
  }

  get threadId() {
    return this.#facts.threadId;
  }

  get words() {
    return (this.#words ??= splitWords(this.text));
  }

  get #facts() {
    return (this.#read ??= readPayload(this.kind, this.#raw));
  }
}

function readPayload(kind: string, raw: string): Omit<FilterFacts, 'kind' | 'words'> {
  const payload = object(object(JSON.parse(raw))?.[kind]) ?? {};
  const message = object(payload.message) ?? payload;
  const chat = object(payload.chat) ?? object(message.chat);
  const user = object(payload.from) ?? object(payload.user);
  return {
    chatId: chat && integer(chat.id),
    userId: user && integer(user.id),
    chatType: text(chat?.type ?? payload.chat_type),
    text: text(payload.text) || text(payload.caption) || text(payload.query),
    callbackData: kind === 'callback_query' ? text(payload.data) : undefined,
    threadId: integer(message.message_thread_id),
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
