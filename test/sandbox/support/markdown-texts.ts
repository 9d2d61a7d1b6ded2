import fc from 'fast-check';
import type { MessageEntity } from '@grammyjs/types';
import { expect } from 'vitest';
import { formatText } from '../../../sandbox/src/text/format.ts';
import { checkEntities } from '../../../sandbox/src/text/check-entities.ts';
import { emptyState } from '../../../sandbox/src/world/world.ts';
import { formatMarkdown } from '../../../src/core/markdown/format-markdown.ts';
import type { FormattedText } from '../../../src/core/markdown/styled-text.ts';

/** Stands for a word, which becomes unique. */
const word = 'W';

const marks = [
  ...'*_~`[]()<>#-+!|\\.:&@/\n \t'.split(''),
  ...[
    '**',
    '__',
    '~~',
    '```',
    '\n```\n',
    '\n\n',
    '\n- ',
    '\n1. ',
    '\n> ',
    '\n# ',
    '\n    ',
    '\n  ',
  ],
  ...[
    '](https://e.com/W)',
    '[W](',
    '![',
    '<b>',
    '</b>',
    '<br>',
    '|-|-|\n',
    '\n|W|W|\n',
    '😀',
    '重：',
    'é',
  ],
  ...['\u200b', '\u202e', '\u030a', '\r', '&#8232;', '\n---\n', '* * *'],
];
const chaos = fc
  .array(fc.oneof({ weight: 2, arbitrary: fc.constant(word) }, fc.constantFrom(...marks)), {
    maxLength: 120,
  })
  .map((parts) => parts.join(''));

const inline = fc.constantFrom(
  'W',
  '**W W**',
  '*W*',
  '`W`',
  '[W](https://example.com/W)',
  '~~W~~',
  '**W `W` W**',
  'W, W: W.',
  '@W #W',
);
const line = fc.array(inline, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));
const block = fc.oneof(
  line,
  line.map((text) => `## ${text}`),
  line.map((text) => `> ${text}`),
  fc
    .array(line, { minLength: 1, maxLength: 8 })
    .map((items) => items.map((one) => `- ${one}`).join('\n')),
  fc
    .array(line, { minLength: 1, maxLength: 30 })
    .map((lines) => `\`\`\`W\n${lines.join('\n')}\n\`\`\``),
  fc
    .array(fc.tuple(line, line), { minLength: 1, maxLength: 5 })
    .map((rows) => `|W|W|\n|-|-|\n${rows.map(([a, b]) => `| ${a} | ${b} |`).join('\n')}`),
);
const document = fc
  .array(block, { minLength: 1, maxLength: 60 })
  .map((blocks) => blocks.join('\n\n'));

/** Texts whose words are all different: chaos, and documents of up to several messages. */
export const markdownTexts = fc.oneof(chaos, document).map((source) => {
  let count = 0;
  return source.replaceAll(word, () => `w${count++}q`);
});

const state = emptyState(1);
const own = new Set('bold italic underline strikethrough code pre text_link blockquote'.split(' '));

/** The formatting of each place: Telegram may split an entity, but not change what it shows. */
function styles(text: string, entities: readonly MessageEntity[]): string[] {
  const at: string[][] = Array.from({ length: text.length }, () => []);
  for (const entity of entities) {
    if (!own.has(entity.type)) continue;
    const more = 'url' in entity ? entity.url : 'language' in entity ? entity.language : '';
    const end = entity.offset + entity.length;
    for (let place = entity.offset; place < end; place++) at[place]?.push(`${entity.type} ${more}`);
  }
  return at.map((found) => found.sort().join());
}

function expectAccepted({ text, entities }: FormattedText): void {
  expect(text.length).toBeLessThanOrEqual(4_096);
  const stored = formatText(state, text, '', checkEntities(entities));
  expect(stored.text).toBe(text);
  expect(stored.text).not.toBe('');
  const wanted = styles(text, entities as MessageEntity[]);
  expect(styles(text, stored.entities)).toEqual(wanted);
}

const wordsIn = (text: string): string[] => text.match(/w\d+q/g) ?? [];

/** The sandbox accepts all messages as they are, and they have all words of the text, in order. */
export async function expectToArrive(source: string): Promise<void> {
  const { parts, isCut } = await formatMarkdown(source, { mostParts: 5 });
  for (const part of parts) expectAccepted(part);
  if (source.trim() === '' || isCut) return;
  const read = parts.flatMap(({ text }) => wordsIn(text));
  const beside = parts.flatMap(({ entities }) =>
    entities.flatMap(({ url = '', language = '' }) => wordsIn(url + language)),
  );
  const arrived = new Set([...read, ...beside]);
  expect(wordsIn(source).filter((one) => !arrived.has(one))).toEqual([]);
  // A table that is too wide is written row by row, with the names of its columns in each.
  if (!source.includes('|-'))
    expect(read).toEqual(wordsIn(source).filter((one) => read.includes(one)));
}
