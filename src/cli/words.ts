/*
 * The API speaks to programs: it names requests, fields and patterns. Here its sentences become those
 * for someone at a terminal. What is not known here stays as it is.
 */
import { allReaderKinds } from '../core/log/reader-kinds.ts';

type Phrase = [api: RegExp, command: string];

const requests: readonly Phrase[] = [
  [/GET \/api\/bots lists them/g, '"bot-relay bots list" shows them'],
  [/GET \/api\/bots\/readers\?bot_id=(\d+) lists them/g, '"bot-relay readers list $1" shows them'],
  [/POST \/api\/bots\/toggle-disabled\?id=(\d+)/g, '"bot-relay bots toggle $1"'],
  [/POST \/api\/bots\/toggle-disabled/g, '"bot-relay bots toggle"'],
  [
    /POST \/api\/bots\/update and \{"id": (\d+), "manage_enabled": true\}/g,
    '"bot-relay bots update $1 --manage on"',
  ],
  [
    /long_poll_enabled off with POST \/api\/bots\/update/g,
    'it off with "bot-relay bots update --long-poll off"',
  ],
  [
    /proxy_enabled off with POST \/api\/bots\/update/g,
    'it off with "bot-relay bots update --proxy off"',
  ],
  [/POST \/api\/bots\/readers\/rewind/g, '"bot-relay readers rewind"'],
  [/POST \/api\/bots\/update/g, '"bot-relay bots update"'],
  [/POST \/api\/bots\/add/g, '"bot-relay bots add"'],
  [/^There is no bot (\d+)\.$/, 'There is no bot $1: "bot-relay bots list" shows them.'],
  [/^There is no API key (\d+)\.$/, 'There is no API key $1: "bot-relay keys list" shows them.'],
];

const forms: readonly Phrase[] = [
  [/^backend_url is needed where proxy_enabled is true/, '--backend is needed with --proxy on'],
  [/^backend_url must be /, '--backend must be '],
  [/^webhook_mode needs /, '--webhook on needs '],
  [/^expires_at must be /, '--expires must be '],
  [
    /^token must have the form \S+(?: \(and .*)?/,
    'This is no bot token: it looks like 123456789:AAF-x_y…, digits, a colon and letters; copy it from @BotFather.',
  ],
  [
    /^username must have the form \S+(?: \(and .*)?/,
    'A name to sign in with may hold letters, digits and . _ @ + - without spaces.',
  ],
  [
    /^secret_token must have the form \S+(?: \(and .*)?/,
    'A secret token may hold A-Z, a-z, 0-9, _ and -.',
  ],
  [
    /^(?:reader|consumer) must have the form \S+(?: \(and .*)?/,
    `A reader is ${allReaderKinds.join(', ')} or the name of a consumer: at most 64 of A-Z, a-z, 0-9, . _ and -.`,
  ],
];

const mistakes: readonly Phrase[] = [
  [/^command-argument value '(.*)' is invalid for argument '(.*)'\. it /, '"$1" is no <$2>: it '],
  [/^option '(\S+).*' argument '(.*)' is invalid\. it /, '$1 cannot be "$2": it '],
  [
    /^option '(\S+).*' argument '(.*)' is invalid\. Allowed choices are /,
    '$1 cannot be "$2": it must be one of ',
  ],
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

export const inCommandWords = (message: string) => reworded(message, [...requests, ...forms]);

/** For what the parser of the command line finds wrong. */
export const inPlainWords = (message: string) => reworded(message, mistakes);

function reworded(message: string, phrases: readonly Phrase[]): string {
  return phrases.reduce((text, [api, command]) => text.replace(api, command), message);
}
