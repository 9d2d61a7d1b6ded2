import { describe, expect, it } from 'vitest';
import { formatMarkdown } from '../../../src/core/markdown/format-markdown.ts';
import {
  type Entity,
  keptEntities,
  markdownOf,
} from '../../../web/src/pages/chats/composer/stored-format.ts';

const bold = (offset: number, length: number): Entity => ({ type: 'bold', offset, length });

describe('the formatting of an edited text', () => {
  const before = { text: 'Tea is ready now', entities: [bold(7, 5)] };

  it.each([
    ['before it', 'The tea is ready now', [bold(11, 5)]],
    ['after it', 'Tea is ready soon', [bold(7, 5)]],
    ['within it', 'Tea is re-ady now', [bold(7, 6)]],
    ['at its end', 'Tea is ready! now', [bold(7, 5)]],
    ['in its place', 'Tea is sold now', [bold(7, 4)]],
    ['over its beginning', 'Tea was ready now', [bold(8, 5)]],
    ['over its end', 'Tea is rather cold', [bold(7, 1)]],
    ['over more than it', 'Tea was gone now', []],
    ['over all of it', 'Tea now', []],
    ['over everything', 'Coffee?', []],
    ['nowhere', before.text, before.entities],
  ])('is kept where a change is %s', (_where, text, entities) => {
    expect(keptEntities(before, text)).toEqual(entities);
  });
});

describe('Markdown of a stored text', () => {
  it.each([
    '**bold** _italic_ ~~struck~~ `code` <u>under</u>',
    '[a *link*](https://example.com/x)',
    '**bold _both_**',
    'a\n**two**\n**lines**\nb',
    '> quoted **bold**\n> more\n\nafter',
    '```js\nconst a = `x`;\n```\nafter',
    '1\\. not a list, \\*not bold\\*, a\\_b, \\[x\\]',
    '\\# not a title\n\\- not a list\n\\> not a quote',
    '2 \\* 3 \\< 4 | 5',
  ])('arrives as it was: %j', async (source) => {
    const [stored] = (await formatMarkdown(source, { mostParts: 1 })).parts;
    const markdown = markdownOf(stored as { text: string; entities: Entity[] });
    expect((await formatMarkdown(markdown, { mostParts: 1 })).parts).toEqual([stored]);
  });
});
