import type { MessageEntity } from '@grammyjs/types';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiFailure } from '../../../sandbox/src/api-error.ts';
import { formatText } from '../../../sandbox/src/text/format.ts';
import { emptyState } from '../../../sandbox/src/world/world.ts';
import { cpuMs } from '../../support/cpu-time.ts';

const state = emptyState(1);

/** Entities as `type:text`, which is easier to read than offsets. */
function marks(source: string, mode = '', given: MessageEntity[] = []): string[] {
  const { text, entities } = formatText(state, source, mode, given);
  return entities.map((entity) => {
    const more =
      'url' in entity ? `→${entity.url}` : 'language' in entity ? `→${entity.language}` : '';
    return `${entity.type}:${text.slice(entity.offset, entity.offset + entity.length)}${more}`;
  });
}

const refusal = (source: string, mode: string): string => {
  try {
    formatText(state, source, mode);
    return 'accepted';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('entities found by themselves', () => {
  test.each([
    ['/start and /help@my_bot', ['bot_command:/start', 'bot_command:/help@my_bot']],
    ['path/to/file is no command, a//b neither', []],
    ['see https://example.com/a?b=c#d, ok?', ['url:https://example.com/a?b=c#d']],
    ['go to example.com/x.', ['url:example.com/x']],
    ['mail me@example.org now', ['email:me@example.org']],
    ['@ann and @b_2 but not a@b', ['mention:@ann', 'mention:@b_2']],
    ['#tag #тег #1 #1a x#y', ['hashtag:#tag', 'hashtag:#тег', 'hashtag:#1a']],
    ['$USD $usd', ['cashtag:$USD']],
    ['call +491701234567', ['phone_number:+491701234567']],
    ['🎉 /party', ['bot_command:/party']],
    ['plain words only.', []],
  ])('%s', (text, expected) => {
    expect(marks(text)).toEqual(expected);
  });
});

describe('entities of a bot', () => {
  const entity = (type: string, offset: number, length: number, more = {}) =>
    ({ type, offset, length, ...more }) as MessageEntity;
  const link = (offset: number, length: number) =>
    entity('text_link', offset, length, { url: 'https://example.com/' });

  test.each<[string, MessageEntity, string]>([
    ['ab', entity('bold', -1, 1), 'receive an entity with incorrect offset -1'],
    ['ab', entity('bold', 0, -1), 'receive an entity with incorrect length -1'],
    ['ab', entity('bold', 3, 1), 'entity begins after the end of the text at UTF-16 offset 3'],
    [
      'ab',
      entity('bold', 1, 2),
      'entity beginning at UTF-16 offset 1 ends after the end of the text at UTF-16 offset 3',
    ],
    ['é😀b', entity('bold', 2, 2), 'entity begins in a middle of a UTF-16 symbol at byte offset 6'],
    [
      'a😀b',
      entity('bold', 0, 2),
      'entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 5',
    ],
  ])('are refused for %j: %o', (text, given, words) => {
    expect(() => formatText(state, text, '', [given])).toThrow(`Bad Request: ${words}`);
  });

  test.each<[string, MessageEntity[], string[]]>([
    [
      'crossing styles',
      [entity('bold', 0, 4), entity('italic', 2, 4)],
      ['bold:ab', 'italic:cdef', 'bold:cd'],
    ],
    ['equal ones that touch', [entity('bold', 0, 2), entity('bold', 2, 2)], ['bold:abcd']],
    ['a link in a link', [link(0, 4), link(1, 2)], ['text_link:abcd→https://example.com/']],
    [
      'style in code',
      [entity('bold', 0, 6), entity('code', 2, 2)],
      ['bold:ab', 'code:cd', 'bold:ef'],
    ],
    [
      'a quote in a quote',
      [entity('blockquote', 0, 6), entity('blockquote', 1, 2)],
      ['blockquote:abcdef'],
    ],
    ['a link across a quote', [entity('blockquote', 0, 3), link(2, 3)], ['blockquote:abc']],
    [
      'code in a quote',
      [entity('blockquote', 0, 6), entity('pre', 0, 6)],
      ['blockquote:abcdef', 'pre:abcdef'],
    ],
    ['nothing', [entity('bold', 6, 0)], []],
  ])('are brought into order: %s', (_what, given, expected) => {
    expect(marks('abcdef', '', given)).toEqual(expected);
  });

  test('are kept up to 100, and refused when they are too large', () => {
    const text = 'ab'.repeat(150);
    const many = Array.from({ length: 150 }, (_, index) => entity('bold', index * 2, 1));
    expect(marks(text, '', many)).toHaveLength(100);
    const links = many.map((one) => ({
      ...link(one.offset, 1),
      url: `https://a.example/${'x'.repeat(100)}`,
    }));
    expect(() => formatText(state, text, '', links)).toThrow('Bad Request: ENTITIES_TOO_LONG');
  });

  test('keep the white space that they begin with', () => {
    const code = '  x';
    expect(formatText(state, code, '', [entity('pre', 0, 3)]).text).toBe(code);
    expect(formatText(state, '  x ', '', [entity('bold', 2, 1)])).toMatchObject({
      text: 'x',
      entities: [{ offset: 0, length: 1 }],
    });
    expect(formatText(state, '\u200b \u2800', '').text).toBe('');
  });
});

describe('HTML', () => {
  test('all the tags, nested, with entities and offsets in UTF-16', () => {
    expect(
      marks(
        '🎉<b>bold <i>both</i></b> <u>u</u> <s>s</s> <tg-spoiler>sp</tg-spoiler> <code>c&lt;d</code>',
        'HTML',
      ),
    ).toEqual([
      'bold:bold ',
      'bold:both',
      'italic:both',
      'underline:u',
      'strikethrough:s',
      'spoiler:sp',
      'code:c<d',
    ]);
    expect(marks('<pre><code class="language-ts">let a;</code></pre>', 'html')).toEqual([
      'pre:let a;→ts',
    ]);
    expect(marks('<a href="https://example.com/?a=1&amp;b=2">link</a>', 'HTML')).toEqual([
      'text_link:link→https://example.com/?a=1&b=2',
    ]);
    expect(
      marks('<blockquote expandable>long</blockquote><blockquote>q</blockquote>', 'HTML'),
    ).toEqual(['expandable_blockquote:long', 'blockquote:q']);
    expect(formatText(state, '&lt;&amp;&#8364;&#x20AC;&quot;&nbsp;', 'HTML').text).toBe(
      '<&€€"&nbsp;',
    );
  });

  test('what is wrong is named', () => {
    const prefix = "Bad Request: can't parse entities: ";
    expect(refusal('<b>x', 'HTML')).toBe(
      `${prefix}Can't find end tag corresponding to start tag "b"`,
    );
    expect(refusal('é<x>', 'HTML')).toBe(`${prefix}Unsupported start tag "x" at byte offset 2`);
    expect(refusal('<b>x</i>', 'HTML')).toBe(
      `${prefix}Unmatched end tag at byte offset 4, expected "</b>", found "</i>"`,
    );
    expect(refusal('x</b>', 'HTML')).toBe(`${prefix}Unexpected end tag at byte offset 1`);
    expect(refusal('a < b', 'HTML')).toBe(`${prefix}Unclosed start tag at byte offset 2`);
  });
});

describe('MarkdownV2', () => {
  test('nesting, links, code, quotes', () => {
    expect(
      marks(
        '*bold _italic bold ~struck ||spoiler||~ __under___ bold* [url](http://a.example/\\)) `c_o*d` ',
        'MarkdownV2',
      ),
    ).toEqual([
      // Telegram splits styles where another one begins.
      'bold:bold ',
      'bold:italic bold ',
      'italic:italic bold ',
      'bold:struck ',
      'italic:struck ',
      'strikethrough:struck ',
      'bold:spoiler ',
      'italic:spoiler ',
      'strikethrough:spoiler',
      'spoiler:spoiler',
      'bold:under bold',
      'italic:under',
      'underline:under',
      'text_link:url→http://a.example/)',
      'code:c_o*d',
    ]);
    expect(marks('```py\nprint(1)\n```', 'MarkdownV2')).toEqual(['pre:print(1)→py']);
    expect(marks('>quoted\n>lines\nafter', 'MarkdownV2')).toEqual(['blockquote:quoted\nlines']);
    expect(formatText(state, '1\\. \\_not\\_ \\!', 'MarkdownV2').text).toBe('1. _not_ !');
  });

  test('what is wrong is named', () => {
    const prefix = "Bad Request: can't parse entities: ";
    expect(refusal('1. x', 'MarkdownV2')).toBe(
      `${prefix}Character '.' is reserved and must be escaped with the preceding '\\'`,
    );
    expect(refusal('a *b', 'MarkdownV2')).toBe(
      `${prefix}Can't find end of Bold entity at byte offset 2`,
    );
    expect(refusal('`x', 'MarkdownV2')).toBe(
      `${prefix}Can't find end of Code entity at byte offset 0`,
    );
  });
});

describe('Markdown', () => {
  test('the older style', () => {
    expect(marks('*b* _i_ `c` [l](https://example.com) \\*', 'Markdown')).toEqual([
      'bold:b',
      'italic:i',
      'code:c',
      'text_link:l→https://example.com/',
    ]);
    expect(refusal('snake_case', 'Markdown')).toBe(
      "Bad Request: can't parse entities: Can't find end of the entity starting at byte offset 5",
    );
  });
});

describe('whatever the text', () => {
  test('entities stay inside it, and only Telegram-style refusals are thrown', () => {
    const alphabet = fc.constantFrom(
      ...'ab *_~|`[]()<>/b&;#@.\\\n>!-😀é'.match(/./gsu)!,
      '<b>',
      '</b>',
      '||',
      '__',
      '```',
    );
    fc.assert(
      fc.property(
        fc.array(alphabet, { maxLength: 40 }).map((parts) => parts.join('')),
        fc.constantFrom('', 'HTML', 'Markdown', 'MarkdownV2'),
        (source, mode) => {
          try {
            const { text, entities } = formatText(state, source, mode);
            for (const { offset, length } of entities) {
              expect(offset).toBeGreaterThanOrEqual(0);
              expect(length).toBeGreaterThan(0);
              expect(offset + length).toBeLessThanOrEqual(text.length);
            }
            expect(text).toBe(text.trimEnd());
            if (entities[0]?.offset !== 0) expect(text).toBe(text.trimStart());
          } catch (error) {
            if (!(error instanceof ApiFailure)) throw error;
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('a hostile text costs little time', () => {
    const hostile = [
      'a'.repeat(4090) + '@',
      'a.'.repeat(2045) + '@',
      '/'.repeat(4096),
      '@a'.repeat(2048),
      '#'.repeat(4096),
    ];
    const startedAt = cpuMs();
    for (const text of hostile) formatText(state, text, '');
    expect(cpuMs() - startedAt).toBeLessThan(1000);
    expect(refusal('*'.repeat(70_000), 'MarkdownV2')).toBe('Bad Request: text is too long');
  });
});
