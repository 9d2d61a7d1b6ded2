// Finds words that texts for users and comments no longer use, and says which word to use instead. Code is
// no text: names in backticks and whole literals that are identifiers may still contain them. Names that
// were renamed before 1.0 are found everywhere, also in code.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const retired: readonly [words: string, instead: string][] = [
  ['telephones?', 'phone'],
  ['parked|parking', 'in the retry queue'],
  ['couriers?', 'delivery'],
  ['kept out|keep out|let in again', 'disabled, enabled'],
  ['ways? back', 'return path'],
  ['pulse', 'live metrics'],
  ['verdicts?|deliberation', 'routing decision'],
  ['noted: hide it', 'Dismiss'],
  ['gone on with', 'continued'],
  ['stands at', 'is at position'],
  ['whoever', 'anyone who'],
  ['anew', 'again'],
  ['under way', 'in flight'],
  ['chats on hold', 'retry queue'],
  ['needs you', 'Needs attention'],
  ['ramping', 'recovering'],
  ['pacer', 'rate limiter'],
  ['poked|heeds?', 'wake, notify'],
  ['hangs? on', 'depends on'],
  ['for ever', 'forever'],
  ['(?:is|are|was|were) told of', 'receives, is notified of'],
];

/** Comments may use these words: a caller gives up, and a long poll is the term of the Bot API. */
const retiredInTexts: typeof retired = [
  ...retired,
  ['given up|giv(?:e|es|ing) up|tried to the end', 'dead letter'],
  ['long poll(?:s|ing)?', 'getUpdates'],
  ['model routing', 'routing by meaning'],
];

const renamed: readonly [names: string, instead: string][] = [
  ['chats_parked', 'chats_in_retry'],
  ['(?!chats_)\\w*(?<!s)parked\\w*', 'retry_queues, in_retry'],
  ['\\w*vitals\\w*', 'live-metrics, live_metrics'],
  ['\\w*wishes\\w*', 'allowedUpdatesHistory'],
  ['reader_behind', 'polling_stopped'],
  ['app_silent', 'app_not_seen'],
  ['alert[-_]reader[-_]behind', 'RELAY_ALERT_READER_LAG'],
  ['alert[-_]app[-_]silent', 'RELAY_ALERT_APP_NOT_SEEN'],
];

/** Files that must use the old names: migrations, refused settings, and this table. */
const namesOldOnes =
  /^(?:src\/store\/migrations\/|src\/config\/settings\.ts$|scripts\/check-words\.ts$|CHANGELOG\.md$)/;

const places = {
  labels: ['web/src/i18n/en/**/*.ts'],
  code: [
    'src/{core/reasons,cli,demo,config,http/api}/**/*.ts',
    'src/{cli,main}.ts',
    'src/core/{bots/bot-settings,routing/condition-types}.ts',
    'src/manage/{alerts,service}/*.ts',
    'sandbox/src/*.ts',
  ],
  documents: ['{README,CHANGELOG,CONTRIBUTING,SECURITY}.md', 'docs/*.md'],
  comments: ['{src,sandbox/src,web/src}/**/*.{ts,tsx,js,css}'],
} as const;
type Place = keyof typeof places;

export function checkWords(root: string): string[] {
  return (Object.keys(places) as Place[]).flatMap((place) => {
    const files = globSync([...places[place]], { cwd: root }).filter(
      (f) => !/\.test\.tsx?$/.test(f),
    );
    if (files.length === 0) return [`no ${place} were read`];
    return files.toSorted().flatMap((file) => {
      const found = retiredWords(place, readFileSync(path.join(root, file), 'utf8'));
      return found.map(({ line, word, instead }) => `${file}:${line} "${word}": say "${instead}"`);
    });
  });
}

/** Tests may use old names: they show that those are refused or migrated. */
export function checkNames(root: string): string[] {
  const files = globSync(
    [
      '{src,sandbox/src,web,scripts,bench,bin,deploy,docs}/**/*.{ts,tsx,js,css,json,yaml,md}',
      '*.md',
    ],
    { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' },
  ).map((file) => file.replaceAll('\\', '/'));
  return files
    .filter((file) => !namesOldOnes.test(file))
    .toSorted()
    .flatMap((file) =>
      retiredNames(readFileSync(path.join(root, file), 'utf8')).map(
        ({ line, word, instead }) => `${file}:${line} "${word}": the name is "${instead}"`,
      ),
    );
}

export function retiredNames(source: string): Found[] {
  return renamed.flatMap(([names, instead]) =>
    [
      ...source.matchAll(new RegExp(`(?<![A-Za-z_])(?:relay_)?(?:${names})(?![A-Za-z_])`, 'gi')),
    ].map(({ 0: word, index }) => ({
      line: source.slice(0, index).split('\n').length,
      word,
      instead,
    })),
  );
}

interface Found {
  line: number;
  word: string;
  instead: string;
}

export function retiredWords(place: Place, source: string): Found[] {
  const list = place === 'comments' ? retired : retiredInTexts;
  return textsOf(place, source).flatMap(({ at, text }) =>
    list.flatMap(([words, instead]) =>
      [...text.matchAll(patternOf(words))].map(({ 0: word, index }) => ({
        line: source.slice(0, at + index).split('\n').length,
        word: word.replace(/\s+/g, ' '),
        instead,
      })),
    ),
  );
}

/** A phrase may be broken into lines. */
const patternOf = (words: string) => new RegExp(`\\b(?:${words.replaceAll(' ', '\\s+')})\\b`, 'gi');

interface Text {
  at: number;
  text: string;
}

function textsOf(place: Place, source: string): Text[] {
  if (place === 'documents') return proseOf(source);
  if (place === 'comments') return commentsOf(source);
  return literalsOf(source, place === 'labels');
}

/** Blanks a text but keeps its length and lines, so that lines can be counted. */
const blank = (code: string) => code.replace(/[^\n]/g, ' ');

function proseOf(source: string): Text[] {
  return [{ at: 0, text: source.replace(/^```[^]*?^```|<!--[^]*?-->|`[^`\n]*`/gm, blank) }];
}

/** Finds comments that begin a line, without the marks at the beginnings of their lines. */
function commentsOf(source: string): Text[] {
  return [...source.matchAll(/^[ \t]*(?:\{?\/\*[^]*?\*\/|(?:\/\/.*\n?[ \t]*)+)/gm)].map(
    ({ 0: comment, index }) => ({
      at: index,
      text: comment.replace(/`[^`\n]*`/g, blank).replace(/\n[ \t]*(?:\/\/|\*(?!\/))/g, blank),
    }),
  );
}

const tokens =
  /\/\*[^]*?\*\/|\/\/[^\n]*|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;

function literalsOf(source: string, withNames: boolean): Text[] {
  return [...source.matchAll(tokens)].flatMap(({ 1: single, 2: double, 3: template, index }) => {
    const literal = single ?? double ?? template ?? '';
    if (literal === '' || (!withNames && /^[\w:./-]+$/.test(literal) && !/^[A-Z]/.test(literal))) {
      return [];
    }
    return [{ at: index + 1, text: literal.replace(/\$\{[^}]*\}|`[^`]*`/g, blank) }];
  });
}
