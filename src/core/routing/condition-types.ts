/*
 * The conditions of routes and the types of their values. Everything else that depends on the type
 * is a table keyed by it (the rules in conditions.ts, the texts of each language), so that the
 * compiler names every place that a new condition needs. The web UI imports it, too.
 */
import type { Sentences } from '../reasons/shape.ts';

export const conditionValues = {
  chat_id: 'chat',
  user_id: 'user',
  keyword: 'words',
  all: 'none',
  regex: 'pattern',
  command: 'command',
  media: 'media',
  llm: 'examples',
} as const;

/** Why a message matched, and possible problems of a value. */
export const conditionReasons = {
  every_message: 'every message',
  from_chat: ({ chat_id }: { chat_id: number }) => `from chat ${chat_id}`,
  from_user: ({ user_id }: { user_id: number }) => `from user ${user_id}`,
  media_type: ({ type }: { type: string }) => `it is a ${type}`,
  command: ({ command }: { command: string }) => `the command /${command}`,
  words_found: ({ words }: { words: string }) => `it says “${words}”`,
  pattern_matches: 'the pattern matches',
  pattern_undecided: 'undecided: its pattern takes too long',

  keyword_needed: 'must be a word to look for',
  pattern_needed: 'must be a regular expression',
  pattern_not_re2:
    'must be a regular expression in RE2 syntax (no look-around, no back-references)',
  pattern_too_much: 'repeats too often: use smaller repeat counts in {…}, or + and *',
  not_a_command: 'must be a command such as /start: at most 32 letters, digits and underscores',
  not_an_id: ({ of }: { of: 'chat' | 'user' | 'topic' }) => `must be a ${of} ID in digits`,
  not_media: ({ kinds }: { kinds: readonly string[] }) =>
    `must be empty for any media, or one or more of: ${kinds.join(', ')}`,
} satisfies Sentences;

export type ConditionType = keyof typeof conditionValues;
export type ConditionValue = (typeof conditionValues)[ConditionType];

export const conditionTypes = Object.keys(conditionValues) as ConditionType[];

/** A newer version may have stored other types. */
export function isConditionType(type: string): type is ConditionType {
  return Object.hasOwn(conditionValues, type);
}

export function valueOf(type: string): ConditionValue | undefined {
  return isConditionType(type) ? conditionValues[type] : undefined;
}

/** The types whose value is the id of a chat. */
export const chatConditions = conditionTypes.filter((type) => conditionValues[type] === 'chat');
