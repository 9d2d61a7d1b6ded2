import { timePattern, tokenPattern } from '../limits.ts';
import { type AnyReason, ended, type Say, type Sentences } from './shape.ts';

/** The kinds of JSON values, as `value_type` names them. */
const typeWords: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/** The problem of one field: the end of a sentence that begins with its name, or a whole sentence. */
export const fieldReasons = {
  missing: 'is missing',
  empty: 'must not be empty',
  blank: 'must not be blank',
  too_short: ({ least }: { least: number }) => `must have at least ${least} characters`,
  too_long: ({ most }: { most: number }) => `must have at most ${most} characters`,
  too_long_utf16: ({ most }: { most: number }) => `must have at most ${most} UTF-16 units`,
  too_few: ({ least }: { least: number }) => `must have at least ${least} entries`,
  too_many: ({ most }: { most: number }) => `must have at most ${most} entries`,
  repeated_entry: 'must not contain duplicates',
  too_small: ({ least }: { least: number }) => `must be at least ${least}`,
  too_large: ({ most }: { most: number }) => `must be at most ${most}`,
  zero_or_at_least: ({ least }: { least: number }) => `must be 0 or at least ${least}`,
  not_allowed_value: ({ value }: { value: unknown }) => `must not be ${String(value)}`,
  other_value: ({ value }: { value: unknown }) => `must be ${JSON.stringify(value)}`,
  not_one_of: ({ choices }: { choices: readonly string[] }) =>
    `must be one of: ${choices.join(', ')}`,
  wrong_type: ({ types }: { types: readonly string[] }) =>
    `must be ${types.map((type) => typeWords[type] ?? type).join(' or ')}`,
  wrong_form: ({ pattern }: { pattern: string }) => {
    if (pattern.endsWith(tokenPattern)) return 'must be a bot token, such as 123456:ABC-DEF';
    if (pattern === timePattern) return 'must be a time from 00:00 to 23:59, such as 09:00';
    return `must have the form ${pattern}`;
  },
  not_one_line: 'must be one line without control characters or text direction overrides',
  control_characters: 'must not contain control characters or text direction overrides',
  nul_characters: 'must not contain NUL characters',
  topic_needs_chat: ({ field }: { field: string }) =>
    `needs ${field}: topics of different chats can have the same ID`,
  half_a_character: 'must not contain half of a surrogate pair',
  not_a_moment: ({ example }: { example: string }) =>
    `must be a date and time with a zone, such as ${example}`,
  not_in_the_future: 'must be in the future',
  over_a_year_ahead: 'must be at most a year ahead',
  not_before_end: 'must be before to',
  unknown_field: ({ meant }: { meant?: string }) =>
    `is not a known field${meant === undefined ? '' : `. Did you mean ${meant}?`}`,
  unknown_parameter: 'is not a known parameter',
  given_twice: 'is set more than once',
  not_taken: 'is not accepted',
  not_taken_in_body: 'is not accepted in a body',
  number_too_far: 'must be within ±2^52',
  too_deep: ({ most }: { most: number }) => `is nested more than ${most} levels deep`,
  forbidden_name: 'is a forbidden field name',
  not_an_update: 'must be a JSON object with an update_id',
  not_a_form: 'is not a multipart/form-data form',
  file_missing: 'is missing: send it as the last field of the form',
  other_file_field: 'is not a known file field: send the file as "file"',
  missing_before_file: 'is missing: send it before the file',
  after_the_file: 'comes after the file: send it before',
  key_has_no_password: 'is required: a key has no password',
  own_password_needed: 'is required to change your own password',
  backend_address_needed: 'is required when proxy_enabled is true',
  address_masked: 'is masked: send the full address, or leave the field out to keep the stored one',
  not_an_address: ({ example }: { example: string }) =>
    `must be an http or https URL, such as ${example}`,
  spaces_in_address: 'must not contain spaces or control characters',
  credentials_in_address: ({ instead }: { instead: string }) =>
    `must not contain a username or password: use ${instead} instead`,
  address_not_allowed: 'is not allowed by the RELAY_BACKENDS setting',
  calls_not_signed: 'needs a secret_token of the bot, which signs the call: set one first',
  public_address_needed: 'needs the RELAY_PUBLIC_URL setting: the public address of this service',
  token_not_accepted: 'is rejected by Telegram',
  token_of_another_bot: 'belongs to another bot: add it with POST /api/bots/add',
  registered_already: 'is already registered',
  names_no_bot: 'is not a known bot',
  names_no_tag: 'is not a known tag',
  names_no_reply: 'is not a known saved reply',
  names_no_route: 'is not a known route',
  names_no_app: 'is not a known app',
  names_no_chat: 'is not a known chat of the bot',
  names_no_topic: 'is not a known topic of the chat',
  names_no_message: 'is not a stored message of the chat',
  names_no_person: 'is not a person the bot has met',
  names_no_account_message: 'is not a message of this business account',
  right_missing: 'is missing in this chat',
  used_with_other_request: 'was used with a different request',
  stored_message_needed:
    'must be at least 1: negative ids are for stored messages of business accounts',
  account_message_needed:
    'must be at least 1: negative ids are for messages of business accounts, sent with their business_connection_id',
  caption_not_shown: ({ type }: { type: string }) => `is not shown with a ${type}: leave it out`,
  letter_or_digit_needed: 'must contain at least one letter or digit',
  not_together: ({ field }: { field: string }) => `cannot be combined with ${field}`,
  until_and_duration: 'and duration_seconds cannot be combined: set one of them',
  until_out_of_range: ({ seconds }: { seconds: number }) =>
    `must be ${seconds} seconds to 366 days ahead; leave it out for no end`,
  not_a_color: 'must be a hex color such as #ff8800, or a CSS color name',
  needed_while_enabled: 'is required when enabled is true',
  key_needed_for_other_host: 'is required again for another host; set it to "" for none',
  routes_too_much:
    'is too complex together with the other routes of this bot: use smaller repeat counts in {…} and shorter keyword lists',
  filters_too_much:
    'is too complex together with the filters of the other apps of this bot: use smaller repeat counts in {…}',
  keywords_too_much: ({ most }: { most: number }) =>
    `has more than ${most} words together with the other apps of this bot: use fewer or shorter keywords`,
  before_log: ({ least, bot_id }: { least: number; bot_id: number }) =>
    `must be at least ${least}, where the log of bot ${bot_id} starts`,
  beyond_log: ({ most, bot_id }: { most: number; bot_id: number }) =>
    `must be at most ${most}, where the log of bot ${bot_id} ends`,
  rewind_target_needed: 'Set exactly one of position, since, to.',
  replay_choice_needed: 'Set exactly one of ids, all_dead, from_position, matching.',
  discard_choice_needed: 'Set exactly one of ids, all_dead.',
  marks_choice_needed: 'Set either messages, or bot_id, chat_id and ids.',
  range_reversed: 'must not be below from_position',

  field_wrong: ({ field, problem }: { field: string; problem: AnyReason }, say: Say) =>
    ended(about(field, say(problem))),
  /** The first wrong field, and how many more are wrong. */
  input_wrong: (
    { field, problem, more }: { field: string; problem: AnyReason; more: number },
    say: Say,
  ) => {
    const first = about(field, say(problem));
    return ended(more > 0 ? `${first} (and ${more} more, see details)` : first);
  },
} satisfies Sentences;

const about = (field: string, problem: string) =>
  /^[A-Z]/.test(problem) ? problem : `${field} ${problem}`;
