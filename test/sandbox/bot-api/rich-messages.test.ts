import type { RichBlock } from '@grammyjs/types';
import { describe, expect, test } from 'vitest';
import { paintPicture } from '../../../sandbox/src/world/messages/picture.ts';
import { pending, scene } from '../helpers.ts';
import { cpuMs } from '../../support/cpu-time.ts';

async function chatting() {
  const made = await scene();
  const ann = made.sandbox.createUser({ first_name: 'Ann', username: 'ann' });
  made.sandbox.say(ann, made.bot, 'hi');
  const send = (rich_message: object, more: object = {}) =>
    made.api.ok('sendRichMessage', { chat_id: ann.id, rich_message, ...more });
  const blocksOf = async (rich_message: object): Promise<RichBlock[]> =>
    (await send(rich_message)).rich_message?.blocks ?? [];
  const refused = (rich_message: unknown) =>
    made.api.refused('sendRichMessage', { chat_id: ann.id, rich_message });
  return { ...made, ann, send, blocksOf, refused };
}

describe('sendRichMessage', () => {
  test('sends blocks as they are given, and people see them', async () => {
    const { send, sandbox, ann, bot } = await chatting();
    const blocks = [
      { type: 'heading', text: 'Report', size: 2 },
      { type: 'paragraph', text: ['All ', { type: 'bold', text: 'well' }, '.'] },
      {
        type: 'list',
        items: [{ blocks: [{ type: 'paragraph', text: 'one' }], value: 4, type: 'i' }],
      },
      { type: 'pre', text: 'let x', language: 'js' },
      { type: 'divider' },
    ];
    const message = await send({ blocks });
    expect(message.rich_message?.blocks).toEqual([
      blocks[0],
      blocks[1],
      {
        type: 'list',
        items: [
          { label: 'iv.', blocks: [{ type: 'paragraph', text: 'one' }], value: 4, type: 'i' },
        ],
      },
      blocks[3],
      blocks[4],
    ]);
    expect(sandbox.history(ann, bot).at(-1)?.message.rich_message).toEqual(message.rich_message);
  });

  test('reads HTML', async () => {
    const { blocksOf, ann } = await chatting();
    const html = `<h1>Tea &amp; more</h1>
      <p>Ask <a href="tg://user?id=${ann.id}">Ann</a> or <i>read <b>this</b></i><br>soon</p>
      <ul><li><input type="checkbox" checked>done</li><li>open</li></ul>
      <ol start="3" type="a"><li>third</li></ol>
      <blockquote>Quote<cite>Me</cite></blockquote>
      <pre><code class="language-js">a  &lt; b</code></pre>
      <table bordered><tr><th>A</th></tr><tr><td align="right" colspan="2">1</td></tr></table>
      <details open><summary>More</summary><p>inside</p></details>
      <tg-math-block>E = mc^2</tg-math-block><tg-map lat="41.9" long="12.5" zoom="14"/>
      <tg-button-row align="left"><tg-button type="callback_data" data="x">Go</tg-button></tg-button-row>
      <hr/>and <code>@ann</code> and @ann`;
    expect(await blocksOf({ html })).toEqual([
      { type: 'heading', text: 'Tea & more', size: 1 },
      {
        type: 'paragraph',
        text: [
          'Ask ',
          { type: 'text_mention', text: 'Ann', user: expect.objectContaining({ id: ann.id }) },
          ' or ',
          { type: 'italic', text: ['read ', { type: 'bold', text: 'this' }] },
          '\nsoon',
        ],
      },
      {
        type: 'list',
        items: [
          {
            label: '•',
            blocks: [{ type: 'paragraph', text: 'done' }],
            has_checkbox: true,
            is_checked: true,
          },
          { label: '•', blocks: [{ type: 'paragraph', text: 'open' }] },
        ],
      },
      {
        type: 'list',
        items: [
          { label: 'c.', blocks: [{ type: 'paragraph', text: 'third' }], value: 3, type: 'a' },
        ],
      },
      { type: 'blockquote', blocks: [{ type: 'paragraph', text: 'Quote' }], credit: 'Me' },
      { type: 'pre', text: 'a  < b', language: 'js' },
      {
        type: 'table',
        cells: [
          [{ text: 'A', is_header: true, align: 'center', valign: 'middle' }],
          [{ text: '1', colspan: 2, align: 'right', valign: 'middle' }],
        ],
        is_bordered: true,
      },
      {
        type: 'details',
        summary: 'More',
        blocks: [{ type: 'paragraph', text: 'inside' }],
        is_open: true,
      },
      { type: 'mathematical_expression', expression: 'E = mc^2' },
      {
        type: 'map',
        location: { latitude: 41.9, longitude: 12.5 },
        zoom: 14,
        width: 600,
        height: 300,
      },
      { type: 'buttons', buttons: [{ text: 'Go', callback_data: 'x' }], align: 'left' },
      { type: 'divider' },
      {
        type: 'paragraph',
        text: [
          'and ',
          { type: 'code', text: '@ann' },
          ' and ',
          { type: 'mention', text: '@ann', username: 'ann' },
        ],
      },
    ]);
  });

  test('reads Markdown', async () => {
    const { blocksOf } = await chatting();
    const markdown = [
      '## Hello *you*',
      'A **bold** word, `a*b*`, $x^2$ and [a link](https://example.com/a?b=1&c=2)',
      'on the same line[^n].',
      '',
      '- [x] tea',
      '  - green',
      '- milk',
      '',
      '> quoted',
      '> on',
      '',
      '| A | B |',
      '|:--|--:|',
      '| 1 | ~~2~~ |',
      '',
      '```js',
      'if (a < b) {}',
      '```',
      '',
      '[^n]: A note.',
      '',
      '<details><summary>Sum</summary>',
      '',
      '# In',
      '',
      '</details>',
      '',
      '5 \\* 3 < 20',
    ].join('\n');
    expect(await blocksOf({ markdown })).toEqual([
      { type: 'heading', text: ['Hello ', { type: 'italic', text: 'you' }], size: 2 },
      {
        type: 'paragraph',
        text: [
          'A ',
          { type: 'bold', text: 'bold' },
          ' word, ',
          { type: 'code', text: 'a*b*' },
          ', ',
          { type: 'mathematical_expression', expression: 'x^2' },
          ' and ',
          { type: 'url', text: 'a link', url: 'https://example.com/a?b=1&c=2' },
          ' on the same line',
          { type: 'reference_link', text: 'n', reference_name: 'n' },
          '.',
        ],
      },
      {
        type: 'list',
        items: [
          {
            label: '•',
            blocks: [
              { type: 'paragraph', text: 'tea' },
              {
                type: 'list',
                items: [{ label: '•', blocks: [{ type: 'paragraph', text: 'green' }] }],
              },
            ],
            has_checkbox: true,
            is_checked: true,
          },
          { label: '•', blocks: [{ type: 'paragraph', text: 'milk' }] },
        ],
      },
      { type: 'blockquote', blocks: [{ type: 'paragraph', text: 'quoted on' }] },
      {
        type: 'table',
        cells: [
          [
            { text: 'A', is_header: true, align: 'left', valign: 'middle' },
            { text: 'B', is_header: true, align: 'right', valign: 'middle' },
          ],
          [
            { text: '1', align: 'left', valign: 'middle' },
            { text: { type: 'strikethrough', text: '2' }, align: 'right', valign: 'middle' },
          ],
        ],
      },
      { type: 'pre', text: 'if (a < b) {}', language: 'js' },
      { type: 'paragraph', text: { type: 'reference', text: 'A note.', name: 'n' } },
      {
        type: 'details',
        summary: 'Sum',
        blocks: [{ type: 'heading', text: 'In', size: 1 }],
      },
      { type: 'paragraph', text: '5 * 3 < 20' },
    ]);
  });

  test('carries media, and the bot can fetch them', async () => {
    const { api, sandbox, ann, bot, url, blocksOf } = await chatting();
    const sent = sandbox.sendMedia(ann, bot, { bytes: paintPicture(20, 10, 5) });
    expect(sent.photo).toBeDefined();
    const [, update] = await pending(api);
    const file_id = update?.message?.photo?.at(-1)?.file_id ?? '';
    const [block] = await blocksOf({
      html: '<figure><img src="tg://photo?id=pic" tg-spoiler/><figcaption>Look<cite>Me</cite></figcaption></figure>',
      media: [{ id: 'pic', media: { type: 'photo', media: file_id } }],
    });
    expect(block).toMatchObject({
      type: 'photo',
      has_spoiler: true,
      caption: { text: 'Look', credit: 'Me' },
      photo: [{ width: 20, height: 10 }],
    });
    const shown = (block as { photo: { file_id: string }[] }).photo[0]?.file_id ?? '';
    const { file_path } = await api.ok<{ file_path: string }>('getFile', { file_id: shown });
    expect((await fetch(`${url}/file/bot${bot.token}/${file_path}`)).status).toBe(200);
  });

  test('is edited, to a text and back', async () => {
    const { api, send, ann } = await chatting();
    const { message_id } = await send({ markdown: '# One' });
    const edit = (words: object) =>
      api.ok('editMessageText', { chat_id: ann.id, message_id, ...words });
    expect((await edit({ rich_message: { markdown: '# Two' } })).rich_message?.blocks).toEqual([
      { type: 'heading', text: 'Two', size: 1 },
    ]);
    const plain = await edit({ text: 'plain' });
    expect(plain).toMatchObject({ text: 'plain' });
    expect(plain.rich_message).toBeUndefined();
    expect((await edit({ rich_message: { html: '<b>x</b>' } })).text).toBeUndefined();
    expect(
      await api.refused('editMessageText', {
        chat_id: ann.id,
        message_id,
        rich_message: { html: '<b>x</b>' },
      }),
    ).toMatch(/^Bad Request: message is not modified/u);
  });

  test('refuses what is wrong', async () => {
    const { refused, api, ann } = await chatting();
    expect(await api.refused('sendRichMessage', { chat_id: ann.id })).toBe(
      'Bad Request: rich message must be non-empty',
    );
    const wrong: [unknown, string][] = [
      [{}, 'rich message must be non-empty'],
      [{ html: '' }, 'rich message must be non-empty'],
      [{ html: '  ' }, 'rich message must be non-empty'],
      ['[1]', 'object expected as rich message'],
      ['{', "can't parse rich message JSON object"],
      [
        { html: 'a', markdown: 'b' },
        'exactly one of the fields "html", "markdown" and "blocks" must be specified',
      ],
      [
        { html: '<script>x</script>' },
        'can\'t parse rich message: Unsupported start tag "script" at byte offset 0',
      ],
      [
        { html: '<b>x' },
        'can\'t parse rich message: Can\'t find end tag corresponding to start tag "b"',
      ],
      [{ blocks: [{ type: 'poem' }] }, 'can\'t parse RichBlock: type "poem" is unsupported'],
      [
        { blocks: [{ type: 'thinking', text: '' }] },
        'can\'t parse RichBlock: type "thinking" is unsupported',
      ],
      [
        { blocks: [{ type: 'paragraph', text: { type: 'loud', text: 'x' } }] },
        'can\'t parse RichText: type "loud" is unsupported',
      ],
      [{ markdown: 'x'.repeat(32_769) }, 'message is too long'],
      [
        { blocks: Array.from({ length: 501 }, () => ({ type: 'divider' })) },
        'too many blocks in the rich message',
      ],
      [{ html: '<img src="tg://photo?id=none"/>' }, 'wrong media identifier specified'],
    ];
    for (const [given, reason] of wrong) {
      expect(await refused(given), JSON.stringify(given).slice(0, 80)).toBe(
        `Bad Request: ${reason}`,
      );
    }
    expect(await api.refused('sendRichMessage', { chat_id: 5, rich_message: { html: 'x' } })).toBe(
      'Bad Request: chat not found',
    );
  });
});

describe('drafts', () => {
  test('are shown until the bot sends something, and can be stopped', async () => {
    const { api, sandbox, ann, bot } = await chatting();
    await pending(api, { offset: -1 });
    const chat_id = ann.id;
    const draft = () => sandbox.chatsOf(ann)[0]?.draft;
    expect(await api.ok('sendMessageDraft', { chat_id, draft_id: 7, text: '' })).toBe(true);
    expect(draft()).toMatchObject({ id: 7, content: {} });
    await api.ok('sendRichMessageDraft', {
      chat_id,
      draft_id: 7,
      rich_message: { html: '<tg-thinking>Hm</tg-thinking>' },
      can_stop: true,
    });
    expect(draft()?.content.rich_message?.blocks).toEqual([{ type: 'thinking', text: 'Hm' }]);
    sandbox.stopDraft(ann, bot);
    expect(draft()).toBeUndefined();
    expect((await pending(api)).at(-1)?.stopped_message_generation).toMatchObject({
      chat: { id: chat_id },
      draft_id: 7,
    });
    await api.ok('sendMessageDraft', { chat_id, draft_id: 8, text: 'so far' });
    expect(() => sandbox.stopDraft(ann, bot)).toThrow('cannot be stopped');
    await api.ok('sendMessage', { chat_id, text: 'done' });
    expect(draft()).toBeUndefined();
  });

  test('need a number and a private chat', async () => {
    const { api, sandbox, ann, bot } = await chatting();
    const group = sandbox.createChat({ title: 'G', owner: ann, members: [bot] });
    expect(await api.refused('sendMessageDraft', { chat_id: ann.id, text: 'x' })).toBe(
      'Bad Request: RANDOM_ID_INVALID',
    );
    expect(await api.refused('sendMessageDraft', { chat_id: group.id, draft_id: 1 })).toBe(
      'Bad Request: PEER_ID_INVALID',
    );
  });
});

test('no text takes long to read, and a longer one is not read at all', async () => {
  const { api, sandbox, bot } = await scene();
  const ann = sandbox.createUser();
  sandbox.say(ann, bot, 'hi');
  const most = 32_768;
  const startedAt = cpuMs();
  for (const part of ['[', '[a](', '**a ', '_a ', '||a ', '`a']) {
    const markdown = part.repeat(most / part.length);
    await api.call('sendRichMessage', { chat_id: ann.id, rich_message: { markdown } });
  }
  const markdown = `# a${' '.repeat(30_000)}b`;
  await api.ok('sendRichMessage', { chat_id: ann.id, rich_message: { markdown } });
  // Each of them took seconds, or minutes where the length was not looked at.
  expect(cpuMs() - startedAt).toBeLessThan(5_000);
  for (const rich_message of [{ markdown: '['.repeat(most + 1) }, { html: 'x'.repeat(most + 1) }]) {
    expect(await api.refused('sendRichMessage', { chat_id: ann.id, rich_message })).toBe(
      'Bad Request: message is too long',
    );
  }
});
