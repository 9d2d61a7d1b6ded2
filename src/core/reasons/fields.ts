import type { AnyReason, Say, Sentences } from './shape.ts';

/** The kinds of JSON values, as `value_type` names them. */
const typeWords: Record<string, string> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/** What is wrong with one field: the end of a sentence that begins with its name. */
export const fieldReasons = {
  missing: 'is missing',
  empty: 'must not be empty',
  blank: 'must not be blank',
  too_short: ({ least }: { least: number }) => `must have at least ${least} characters`,
  too_long: ({ most }: { most: number }) => `must have at most ${most} characters`,
  too_long_utf16: ({ most }: { most: number }) => `must have at most ${most} UTF-16 units`,
  too_few: ({ least }: { least: number }) => `must have at least ${least} entries`,
  too_many: ({ most }: { most: number }) => `must have at most ${most} entries`,
  repeated_entry: 'must not name the same entry twice',
  too_small: ({ least }: { least: number }) => `must be at least ${least}`,
  too_large: ({ most }: { most: number }) => `must be at most ${most}`,
  zero_or_at_least: ({ least }: { least: number }) => `must be 0 or at least ${least}`,
  not_allowed_value: ({ value }: { value: unknown }) => `must not be ${String(value)}`,
  other_value: ({ value }: { value: unknown }) => `must be ${JSON.stringify(value)}`,
  not_one_of: ({ choices }: { choices: readonly string[] }) =>
    `must be one of: ${choices.join(', ')}`,
  wrong_type: ({ types }: { types: readonly string[] }) =>
    `must be ${types.map((type) => typeWords[type] ?? type).join(' or ')}`,
  wrong_form: ({ pattern }: { pattern: string }) => `must have the form ${pattern}`,
  not_one_line: 'must be one line without control characters or text direction overrides',
  control_characters: 'must not contain control characters or text direction overrides',
  nul_characters: 'must not contain NUL characters',
  half_a_character: 'must not contain half of a surrogate pair',
  not_a_moment: ({ example }: { example: string }) =>
    `must be a date and time with a zone, such as ${example}`,
  not_in_the_future: 'must be in the future',
  not_before_end: 'must be before to',
  unknown_field: 'is not a known field',
  unknown_parameter: 'is not a known parameter',
  given_twice: 'is given more than once',
  not_taken: 'is not taken',
  not_taken_in_body: 'is not taken in a body',
  number_too_far: 'must be within ±2^52',
  too_deep: ({ most }: { most: number }) => `is nested more than ${most} deep`,
  forbidden_name: 'is a name no field may have',
  not_an_update: 'must be a JSON object with an update_id',
  not_a_form: 'is not a form as multipart/form-data',
  file_missing: 'is missing: it is the last field of the form',
  other_file_field: 'is not a known file field: the file goes into "file"',
  missing_before_file: 'is missing before the file, which must be the last field of the form',
  after_the_file: 'comes after the file, which must be the last field',
  key_has_no_password: 'is needed: a key has no password',
  own_password_needed: 'is needed to change your own password',
  backend_address_needed: 'is needed where proxy_enabled is true',
  address_masked: 'is masked: send the whole address, or leave it out to keep the one stored',
  not_an_address: ({ example }: { example: string }) =>
    `must be an http or https URL, such as ${example}`,
  spaces_in_address: 'must not contain spaces or control characters',
  credentials_in_address: ({ instead }: { instead: string }) =>
    `must not contain a user name or password: use ${instead} instead`,
  address_not_allowed: 'names an address that the RELAY_BACKENDS setting does not allow',
  public_address_needed:
    'needs the RELAY_PUBLIC_URL setting: the address at which the platform reaches this service',
  token_not_accepted: 'is refused by the platform',
  token_of_another_bot: 'belongs to another bot: add that one with POST /api/bots/add',
  registered_already: 'is registered already',
  names_no_bot: 'names no bot',
  names_no_tag: 'names no tag',
  names_no_route: 'names no route',
  names_no_chat: 'names no known chat of the bot',
  names_no_message: 'names no stored message of the chat',
  names_no_person: 'names nobody whom the bot has met',
  names_no_account_message: 'names no message of this business account',
  right_missing: 'is missing in this chat',
  used_with_other_request: 'was used with another request',
  stored_message_needed:
    'must be at least 1: only stored messages of a business account have others',
  account_message_needed:
    'must be at least 1: only messages of a business account have others, together with their business_connection_id',
  caption_not_shown: ({ type }: { type: string }) => `is not shown with a ${type}: leave it out`,
  letter_or_digit_needed: 'must hold at least one letter or digit',
  until_and_duration: 'and duration_seconds cannot both be given',
  until_out_of_range: ({ seconds }: { seconds: number }) =>
    `must be ${seconds} seconds to 366 days ahead: the platform takes anything else for ever, which is what leaving it out means`,
  not_a_color: 'must be hex, such as #ff8800, or a CSS colour name',
  needed_while_enabled: 'must be set where enabled is true',
  key_needed_for_other_host:
    'must be given again for an address at another host, or be empty for none',
  routes_too_much:
    'is too much beside the other routes of this bot: use smaller numbers in {…} of patterns, and shorter lists of keywords',
  before_log: ({ least, bot_id }: { least: number; bot_id: number }) =>
    `must be at least ${least}: the log of bot ${bot_id} starts after that`,
  beyond_log: ({ most, bot_id }: { most: number; bot_id: number }) =>
    `must be at most ${most}: the log of bot ${bot_id} ends there`,
  rewind_target_needed: 'or since or to must say where to, one of them',
  replay_choice_needed: 'or all_dead or from_position must say what to replay, one of them',
  discard_choice_needed: 'or all_dead must say what to discard, one of them',
  range_reversed: 'must not be below from_position',

  /** One field is wrong. */
  field_wrong: ({ field, problem }: { field: string; problem: AnyReason }, say: Say) =>
    `${field} ${say(problem)}`,
  /** The first field that is wrong, and how many more there are. */
  input_wrong: (
    { field, problem, more }: { field: string; problem: AnyReason; more: number },
    say: Say,
  ) => `${field} ${say(problem)}${more > 0 ? ` (and ${more} more, see details)` : ''}.`,
} satisfies Sentences;
