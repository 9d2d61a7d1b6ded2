/*
 * The API speaks to programs: it names requests, fields and patterns. Here are those of its messages
 * that someone at a terminal is told in other words.
 */
import { allReaderKinds } from '../core/log/reader-kinds.ts';
import { type ParamsOf, type ReasonCode, reasonText } from '../core/reasons/reason.ts';
import type { AnyReason } from '../core/reasons/shape.ts';
import type { RelayError } from '../errors.ts';

type Words = { [C in ReasonCode]?: (params: ParamsOf<C>) => string };

const noBot = ({ bot_id }: { bot_id: number }) =>
  `There is no bot ${bot_id}: "bot-relay bots list" shows them.`;

const words: Words = {
  unknown_bot: noBot,
  no_such_bot: noBot,
  no_such_key: ({ key_id }) => `There is no API key ${key_id}: "bot-relay keys list" shows them.`,
  no_such_reader: ({ bot_id, reader }) =>
    `Bot ${bot_id} has no reader ${reader}: "bot-relay readers list ${bot_id}" shows them.`,
  bot_disabled: ({ bot_id }) =>
    `Bot ${bot_id} is disabled: enable it with "bot-relay bots toggle ${bot_id}".`,
  bot_disabled_first: ({ bot_id }) =>
    `Bot ${bot_id} is disabled: enable it with "bot-relay bots toggle" first.`,
  management_off: ({ bot_id }) =>
    `Chat management is off for bot ${bot_id}: switch it on with "bot-relay bots update ${bot_id} --manage on".`,
  long_poll_off: ({ bot_id }) =>
    `Long polling is switched off for bot ${bot_id}: set long_poll_enabled with "bot-relay bots update".`,
  unnamed_consumer_stays: () =>
    'The consumer that bot libraries use stays: switch it off with "bot-relay bots update --long-poll off", or set it to the end with "bot-relay readers rewind".',
  push_is_no_consumer: () =>
    'push is no consumer but forwarding itself: switch it off with "bot-relay bots update --proxy off".',
  no_backend: ({ bot_id }) =>
    `Bot ${bot_id} has no backend_url: set one with "bot-relay bots update".`,
  token_taken: ({ bot_id }) =>
    `This token is registered already, for ${bot_id === null ? 'another bot' : `bot ${bot_id}`}: change that one with "bot-relay bots update".`,
  token_of_another_bot: () => 'belongs to another bot: add that one with "bot-relay bots add"',
  backend_address_needed: () => 'is needed with --proxy on',
  expiry_past: () => '--expires must be in the future.',
  field_wrong: (params) => fieldWords('field_wrong', params),
  input_wrong: (params) => fieldWords('input_wrong', params),
};

/** Fields that are options of a command, by what can be wrong with them. */
const options: Record<string, Partial<Record<ReasonCode, string>>> = {
  backend_url: { backend_address_needed: '--backend', not_an_address: '--backend' },
  webhook_mode: { public_address_needed: '--webhook on' },
  expires_at: { not_a_moment: '--expires', not_in_the_future: '--expires' },
};

const readerForm = `A reader is ${allReaderKinds.join(', ')} or the name of a consumer: at most 64 of A-Z, a-z, 0-9, . _ and -.`;

/** What a field may hold, where the API answers with a pattern. */
const forms: Record<string, string> = {
  token:
    'This is no bot token: it looks like 123456789:AAF-x_y…, digits, a colon and letters; copy it from @BotFather.',
  username: 'A name to sign in with may hold letters, digits and . _ @ + - without spaces.',
  secret_token: 'A secret token may hold A-Z, a-z, 0-9, _ and -.',
  reader: readerForm,
  consumer: readerForm,
};

function fieldWords(
  code: ReasonCode,
  { field, problem, ...more }: { field: string; problem: AnyReason },
): string {
  const form = forms[field];
  if (form !== undefined && problem.code === 'wrong_form') return form;
  const option = options[field]?.[problem.code as ReasonCode] ?? field;
  const problemReason = { code: 'verbatim', params: { text: sentenceFor(problem) } };
  return reasonText({ code, params: { field: option, problem: problemReason, ...more } });
}

function sentenceFor(reason: AnyReason): string {
  const known = words[reason.code as ReasonCode] as ((params: object) => string) | undefined;
  return known ? known(reason.params) : reasonText(reason);
}

export const inCommandWords = ({ reason }: RelayError) => sentenceFor(reason);

type Phrase = [parser: RegExp, ours: string];

/** What the parser of the command line says; it tells names and values in its sentences only. */
const mistakes: readonly Phrase[] = [
  [/^command-argument value '(.*)' is invalid for argument '(.*)'\. /, '"$1" is no <$2>: '],
  [
    /^option '(\S+).*' argument '(.*)' is invalid\. Allowed choices are /,
    '$1 cannot be "$2": it must be one of ',
  ],
  [/^option '(\S+).*' argument '(.*)' is invalid\. /, '$1 cannot be "$2": '],
  [/^option '(\S+).*' argument missing/, '$1 needs a value'],
  [/^missing required argument '(.*)'/, '<$1> is missing'],
  [/^too many arguments for '(.*)'\. Expected 0 .*: (.*)$/, '"$2" is too much for $1'],
  [
    /^too many arguments for '(.*)'\. Expected (\d+ \w+) but got (\d+): .*$/,
    '$1 takes $2, not $3: put words with spaces between them into quotes',
  ],
  // A text that was to be sent, such as "-5 degrees"; no option looks like that.
  [
    /^unknown option '(-[\d\s].*|-.*\s.*)'$/,
    '"$1" looks like an option: put -- before words that begin with a dash',
  ],
];

/** For what the parser of the command line finds wrong. */
export const inPlainWords = (message: string) =>
  mistakes.reduce((text, [parser, ours]) => text.replace(parser, ours), message);
