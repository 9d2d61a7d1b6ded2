/* Rewords messages of the API for a terminal: they name requests, fields and patterns. */
import { renamedSettings, yamlKey } from '../config/settings.ts';
import { allReaderKinds } from '../core/log/reader-kinds.ts';
import { type ParamsOf, type ReasonCode, reasonText } from '../core/reasons/reason.ts';
import type { AnyReason } from '../core/reasons/shape.ts';
import { meantBy } from '../core/reasons/similar-word.ts';
import type { RelayError } from '../errors.ts';
import { readServiceFile } from '../manage/service/service-file.ts';

type Words = { [C in ReasonCode]?: (params: ParamsOf<C>) => string };

const words: Words = {
  unknown_bot: ({ bot_id }) => `Unknown bot ${bot_id}. List bots with "bot-relay bots list".`,
  no_app_of_that_name: ({ bot_id, app }) =>
    `Bot ${bot_id} has no app ${app}. List apps with "bot-relay apps list ${bot_id}".`,
  data_directory_locked: ({ directory }) => {
    const running = readServiceFile(directory);
    const where = running ? ` It runs at ${running.url}.` : '';
    return `The data directory ${directory} is in use by another Bot Relay.${where} Stop it, or choose another directory with --data-dir.`;
  },
  default_app: ({ action }) =>
    ({
      update: `The app default is the bot's own settings. Change them with "bot-relay bots update".`,
      rotate: `The app default uses the bot's own token. Change it with "bot-relay bots update".`,
      disable: 'The app default cannot be disabled. Disable the bot with "bot-relay bots toggle".',
      delete:
        'The app default cannot be deleted. Turn off its settings with "bot-relay bots update".',
    })[action],
  app_has_token: ({ bot_id, app }) =>
    `${app} is an app with a token. Remove it with "bot-relay apps remove ${bot_id} ${app}".`,
  app_backend_needed: () => 'is required with --mode webhook',
  no_open_alert: ({ alert_id }) =>
    `Alert ${alert_id} is not open. List open alerts with "bot-relay alerts list".`,
  no_such_alert_channel: ({ channel_id }) =>
    `Unknown alert channel ${channel_id}. List channels with "bot-relay alerts channels".`,
  no_such_key: ({ key_id }) => `Unknown API key ${key_id}. List keys with "bot-relay keys list".`,
  no_such_broadcast: ({ id }) =>
    `Unknown broadcast ${id}. List broadcasts with "bot-relay broadcasts list".`,
  broadcast_costs: ({ recipients, stars }) =>
    `Sending to ${recipients} chats costs up to ${stars} Stars. Agree with --stars ${stars}.`,
  audience_grew: ({ shown, recipients }) =>
    `The audience has ${recipients} chats, not ${shown}. Start it with --recipients ${recipients} if that is what you want.`,
  no_such_scheduled: ({ scheduled_id }) =>
    `No scheduled message ${scheduled_id}. List them with "bot-relay scheduled list".`,
  no_such_question: ({ question_id }) =>
    `Unknown question ${question_id}. List questions with "bot-relay questions list".`,
  too_many_questions: ({ bot_id, most }) =>
    `Bot ${bot_id} has ${most} open questions, the most it can. Cancel some with "bot-relay questions cancel".`,
  no_such_reply: ({ reply_id }) =>
    `Unknown saved reply ${reply_id}. List replies with "bot-relay replies list".`,
  no_such_desk: ({ desk_id }) => `Unknown desk ${desk_id}. List desks with "bot-relay desks list".`,
  no_such_user: ({ user_id }) => `Unknown user ${user_id}. List users with "bot-relay users list".`,
  no_delivered_update: ({ bot_id, position }) =>
    `Bot ${bot_id} has no update at position ${position} for this backend. List updates with "bot-relay deliveries updates ${bot_id}"; those of an app need --app.`,
  no_such_reader: ({ bot_id, reader }) =>
    `Bot ${bot_id} has no reader ${reader}. List readers with "bot-relay readers list ${bot_id}".`,
  bot_disabled: ({ bot_id }) =>
    `Bot ${bot_id} is disabled. Enable it with "bot-relay bots toggle ${bot_id}".`,
  management_off: ({ bot_id }) =>
    `Chat management is off for bot ${bot_id}. Turn it on with "bot-relay bots update ${bot_id} --manage on".`,
  long_poll_off: ({ bot_id }) =>
    `getUpdates is off for bot ${bot_id}. Turn it on with "bot-relay bots update ${bot_id} --long-poll on".`,
  unnamed_consumer_stays: () =>
    'The default consumer cannot be removed. Turn getUpdates off with "bot-relay bots update <bot> --long-poll off", or skip to the end with "bot-relay readers rewind <bot> pull --end".',
  push_is_no_consumer: () =>
    'push is not a consumer: it forwards to the backend. Turn it off with "bot-relay bots update <bot> --proxy off".',
  no_backend: ({ bot_id }) =>
    `Bot ${bot_id} has no backend. Set one with "bot-relay bots update ${bot_id} --backend <address>".`,
  no_dead_letters: ({ bot_id }) =>
    `Bot ${bot_id} has no dead letters with these IDs. List them with "bot-relay deliveries dead ${bot_id}"; those of an app need --app.`,
  no_waiting_queue: ({ bot_id, queue }) =>
    `Bot ${bot_id} has no retry queue ${queue}. List queues with "bot-relay deliveries queues ${bot_id}"; those of an app need --app.`,
  bot_exists: ({ bot_id, platform_id }) =>
    `Bot ${bot_id} has the same Telegram ID, ${platform_id}. Replace its token with "bot-relay bots update ${bot_id} --token-stdin".`,
  bots_share_id: ({ bot_ids, platform_id }) =>
    `Bots ${bot_ids.join(' and ')} have the same Telegram ID, ${platform_id}. Delete those whose token is revoked with "bot-relay bots delete".`,
  token_taken: ({ bot_id }) =>
    bot_id === null
      ? 'This token belongs to another bot. Change that bot with "bot-relay bots update".'
      : `This token belongs to bot ${bot_id}. Change that bot with "bot-relay bots update ${bot_id}".`,
  token_of_another_bot: () => 'belongs to another bot: add it with "bot-relay bots add"',
  backend_address_needed: () => 'is required with --proxy on. Set it, or use --proxy off',
  expiry_past: () => '--expires must be in the future.',
  unknown_chat: ({ bot_id, chat_id }) =>
    `Bot ${bot_id} has no chat ${chat_id}. Chats appear with their first message.`,
  key_needed: () => 'API key required. Set RELAY_API_KEY or use --key.',
  field_wrong: (params) => fieldWords('field_wrong', params),
  input_wrong: (params) => fieldWords('input_wrong', params),
};

/** Fields that are options of a command. */
const options: Record<string, string> = {
  allowed_updates: '--allowed-updates',
  allowed_user_ids: '--allow',
  away_replies: '--away-reply',
  backend_url: '--backend',
  ban_replies: '--ban-reply',
  bot_ids: '--bots',
  callback_url: '--callback',
  chat_types: '--types',
  daily_writes: '--daily-writes',
  delay_seconds: '--delay',
  desk_bot_id: '--desk-bot',
  expires_at: '--expires',
  file_id: '--file-id',
  handoff: '--handoff',
  kinds: '--kinds',
  languages: '--languages',
  limit: '--limit',
  max_connections: '--max-connections',
  message_thread_id: '--topic',
  methods: '--methods',
  opt_out_button: '--opt-out-button',
  opt_out_reply: '--opt-out-reply',
  opt_out_word: '--opt-out-word',
  options: '--option',
  patience: '--patience',
  person_ids: '--persons',
  priority: '--priority',
  quiet_hours: '--quiet',
  read_chats: '--read-chats',
  recipients: '--recipients',
  seen_within_days: '--seen-days',
  send_at: '--at',
  stars: '--stars',
  states: '--states',
  tags: '--tags',
  telegram_user_id: '--telegram',
  unanswered_minutes: '--unanswered',
  urgent: '--urgent',
  url: '--webhook',
  user_ids: '--users',
  webhook_mode: '--webhook on',
  working_hours: '--hours',
  write_chats: '--write-chats',
};

/**
 * Returns the option of a field: `kinds[0]` is in the option for `kinds`; a file of `apply` is the
 * field `config`.
 */
function optionFor(field: string): string {
  const [, name = '', index, inside] = /^(\w+)(?:\[(\d+)\])?(?:\.(.+))?$/.exec(field) ?? [];
  const option = options[name];
  if (option === undefined) return field.replace(/^config\./, '');
  const place = index === undefined ? option : `entry ${Number(index) + 1} of ${option}`;
  return inside === undefined ? place : `${place} (${inside})`;
}

const readerForm = `A reader is ${allReaderKinds.join(', ')} or a consumer name: at most 64 of A-Z, a-z, 0-9, . _ and -.`;

/** The allowed values of a field whose API error shows a pattern. */
const forms: Record<string, string> = {
  token: 'This is not a bot token. Copy it from @BotFather; it looks like 123456789:AAF-x_y….',
  username: 'A username may contain letters, digits and . _ @ + - but no spaces.',
  secret_token: 'A secret token may contain A-Z, a-z, 0-9, _ and -.',
  reader: readerForm,
  consumer: readerForm,
};

function fieldWords(
  code: ReasonCode,
  { field, problem, ...more }: { field: string; problem: AnyReason },
): string {
  const form = forms[field];
  if (form !== undefined && problem.code === 'wrong_form') return form;
  // A file of `apply` has no options, so its fields keep their names.
  const text = /[.[]/.test(field) ? reasonText(problem) : inWords(problem);
  const problemReason = { code: 'verbatim', params: { text } };
  return reasonText({ code, params: { field: optionFor(field), problem: problemReason, ...more } });
}

export function inWords(reason: AnyReason): string {
  const known = words[reason.code as ReasonCode] as ((params: object) => string) | undefined;
  return known ? known(reason.params) : reasonText(reason);
}

/** Names all wrong fields in one sentence, because a terminal shows no details next to it. */
export function inCommandWords({ reason, details = [] }: RelayError): string {
  if (reason.code !== 'input_wrong' || details.length < 2) return inWords(reason);
  const problems = details.map(({ field = '', reason_code: code = '', params = {} }) =>
    fieldWords('field_wrong', { field, problem: { code, params } }),
  );
  return problems.join(' ');
}

type Phrase = [parser: RegExp, ours: string];

/** Replacements for messages of Commander, which has names and values only in its sentences. */
const mistakes: readonly Phrase[] = [
  [
    /^command-argument value '(.*)' is invalid for argument '(.*)'\. /,
    '"$1" is not a valid <$2>: ',
  ],
  [
    /^option '(\S+).*' argument '(.*)' is invalid\. Allowed choices are /,
    '$1 cannot be "$2": choose one of ',
  ],
  [/^option '(\S+).*' argument '(.*)' is invalid\. /, '$1 cannot be "$2": '],
  [/^option '(\S+).*' argument missing/, '$1 needs a value'],
  [/^missing required argument '(.*)'/, '<$1> is missing'],
  [/^required option '(?:-\w, )?(\S+) .*' not specified/, '$1 is missing'],
  [/^too many arguments for '(.*)'\. Expected 0 .*: (.*)$/, '$1 does not take the argument "$2"'],
  [
    /^too many arguments for '(send|create)'\. Expected (\d+ \w+) but got (\d+): .*$/,
    '$1 takes $2, not $3: quote text that contains spaces',
  ],
  [/^too many arguments for '(.*)'\. Expected (\d+ \w+) but got (\d+): .*$/, '$1 takes $2, not $3'],
  [
    /^unknown option '--token'.*$/,
    'a token is not taken on the command line, where other users can see it: enter it when asked, or use --token-stdin',
  ],
  // This is a text to send, such as "-5 degrees"; no option looks like that.
  [
    /^unknown option '(-[\d\s].*|-.*\s.*)'$/,
    '"$1" looks like an option: put -- before text that begins with a dash',
  ],
];

/** Rewords errors of Commander. */
export const inPlainWords = (message: string) =>
  mistakes.reduce(
    (text, [parser, ours]) => text.replace(parser, ours),
    withNewFlag(nearMissesOnly(message)),
  );

/** Answers a flag from before 1.0 with its new name. */
const withNewFlag = (message: string) =>
  message.replace(/^unknown option '(--[\w-]+)[^]*$/, (unknown, typed: string) => {
    const renamed = renamedSettings.find((one) => yamlKey({ name: one.formerly }) === keyOf(typed));
    return renamed ? `${typed} was renamed. Use ${renamed.flag} instead` : unknown;
  });

const keyOf = (flag: string) => flag.slice(2).replaceAll('-', '_');

/** Removes poor suggestions: Commander suggests words of which half the letters differ. */
const nearMissesOnly = (message: string) =>
  message.replace(
    /^(unknown \w+ '(.*)')\s+\(Did you mean (?:one of )?(.*)\?\)/,
    (_, unknown: string, typed: string, words: string) => {
      const { meant } = meantBy(typed, words.split(', '));
      return meant === undefined ? unknown : `${unknown} (Did you mean ${meant}?)`;
    },
  );
