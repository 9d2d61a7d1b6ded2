import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { renderMarkdown } from '../../src/http/docs/markdown.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { sampleEndpoints } from '../support/sample-endpoints.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const folder = path.resolve(import.meta.dirname, '../../docs');
const pagesIn = (below: string) =>
  readdirSync(path.join(folder, below))
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.posix.join(below, file.slice(0, -'.md'.length)));
const guides = [...pagesIn(''), ...pagesIn('adr')];

describe('the guides at /docs', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ endpoints: sampleEndpoints() });
  });
  afterAll(() => test.close());
  const get = (url: string) => test.app.inject({ url });
  const addressOf = (name: string) => `/docs/${name}`.replace(/\/README$/, '');

  it.each(guides)('serves %s', async (name) => {
    const answer = await get(addressOf(name));
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    const [, title = ''] = /^# (.+)$/m.exec(readFileSync(`${folder}/${name}.md`, 'utf8')) ?? [];
    expect(answer.body).toContain(`<h1>${title}</h1>`);
    expect(answer.body).not.toContain('<!-- ');
  });

  it('lists them in the order of docs/README.md', async () => {
    const { body } = await get('/docs');
    const [, navigation = ''] = /<nav[^]*?>([^]*?)<\/nav>/.exec(body) ?? [];
    const shown = [...navigation.matchAll(/href="(\/docs\/[\w-]+)"/g)].map(
      ([, address]) => address,
    );
    const list = readFileSync(`${folder}/README.md`, 'utf8');
    const listed = [...list.matchAll(/\]\(([\w/-]+)\.md\)/g)].map(([, name = '']) =>
      addressOf(name),
    );
    expect(shown).toEqual(listed);
    expect(shown.length).toBeGreaterThan(10);
  });

  it('resolves every link of a guide', async () => {
    const broken: string[] = [];
    const ids = new Map<string, Set<string>>();
    const bodies = new Map<string, string>();
    for (const name of guides) {
      const { body } = await get(addressOf(name));
      bodies.set(addressOf(name), body);
      ids.set(
        addressOf(name),
        new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id ?? '')),
      );
    }
    for (const [address, body] of bodies) {
      const [, text = ''] = /<main[^]*?>([^]*?)<\/main>/.exec(body) ?? [];
      for (const [, target = ''] of text.matchAll(/href="([^"]+)"/g)) {
        if (!/^(\/docs|#)/.test(target)) continue;
        const [page = '', id] = target.split('#');
        const there = ids.get(page === '' ? address : page);
        if (!there || (id !== undefined && !there.has(decodeURIComponent(id)))) {
          broken.push(`${address}: ${target}`);
        }
      }
    }
    expect(broken).toEqual([]);
  });

  it.each([
    ['/docs/', '/docs'],
    ['/docs/README.md', '/docs'],
    ['/docs/README', '/docs'],
    ['/docs/adr/README.md', '/docs/adr'],
    ['/docs/monitor.md', '/docs/monitor'],
    ['/docs/monitor/', '/docs/monitor'],
    ['/docs/a%0d%0ab.md', '/docs/a%0D%0Ab'],
  ])('leads %s to %s', async (url, location) => {
    const answer = await get(url);
    expect(answer.statusCode).toBe(301);
    expect(answer.headers.location).toBe(location);
  });

  it('helps where there is no such page', async () => {
    const answer = await get('/docs/backups');
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-cache');
    expect(answer.body).toContain('<h1>Page not found</h1>');
    expect(answer.body).toMatch(/<li><a href="\/docs\/operate[#"]/);
    const odd = await get('/docs/%3Cscript%3Ealert(1)%3C%2Fscript%3E');
    expect(odd.statusCode).toBe(404);
    expect(odd.body).not.toContain('<script>alert');
  });

  it.each([
    '/docs/..%2fpackage',
    '/docs/%2e%2e/package.json',
    '/docs/screenshots/..%2f..%2fREADME.md',
  ])('shows nothing outside its folder: %s', async (url) => {
    const answer = await get(url);
    expect([301, 404]).toContain(answer.statusCode);
    expect(answer.body).not.toContain('"dependencies"');
  });

  it.each(['screenshots', 'charts'])('serves the pictures of guides in %s', async (below) => {
    const [picture = ''] = readdirSync(`${folder}/${below}`);
    const answer = await get(`/docs/${below}/${picture}`);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^image\//);
    expect((await get(`/docs/${below}/none.png`)).statusCode).toBe(404);
  });

  it.each(['/docs', '/docs/api', '/docs/monitor', '/docs/nowhere'])(
    'runs nothing but its own scripts at %s, and talks to nobody else',
    async (url) => {
      const { headers, body } = await get(url);
      const policy = new Map(
        String(headers['content-security-policy'])
          .split('; ')
          .map((rule) => [rule.split(' ', 1)[0], rule.split(' ').slice(1).join(' ')]),
      );
      const hashes = (tag: string) =>
        [...body.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, 'g'))].map(
          ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
        );
      for (const hash of hashes('script')) expect(policy.get('script-src')).toContain(hash);
      for (const hash of hashes('style')) expect(policy.get('style-src')).toContain(hash);
      const onlyHashes = expect.stringMatching(/^('sha256-[\w+/=]+' ?)+$/) as string;
      expect(Object.fromEntries(policy)).toEqual({
        'default-src': "'none'",
        'script-src': onlyHashes,
        'style-src': onlyHashes,
        'img-src': "'self' data:",
        'connect-src': "'self'",
        'base-uri': "'none'",
        'form-action': "'none'",
        'frame-ancestors': "'none'",
      });
      expect(body).not.toMatch(/<script[ >][^>]*src=|style="|onclick=/);
      expect(headers['x-frame-options']).toBe('DENY');
      expect(headers['referrer-policy']).toBe('no-referrer');
    },
  );

  it('finds guides and endpoints', async () => {
    const find = async (query: string) =>
      (await get(`/docs/search.json?q=${encodeURIComponent(query)}`)).json<
        { url: string; page: string; heading: string; snippet: string }[]
      >();
    const [first] = await find('add thing');
    expect(first).toMatchObject({
      url: '/docs/api#postApiThingsAdd',
      heading: 'Add a thing',
      page: 'POST /api/things/add',
    });
    const urls = async (query: string) => (await find(query)).map(({ url }) => url);
    expect(await urls('language model')).toContain('/docs/language-model');
    // With a typo.
    expect(await urls('languge model')).toContain('/docs/language-model');
    expect(await find('')).toEqual([]);
    expect(await find('zzzzqqqq')).toEqual([]);
    const twice = await get('/docs/search.json?q=bot&q=route');
    expect(twice.statusCode).toBe(200);
  });

  it.each([
    ['a path of many short words', `/docs/${manyWords(4_000).join('-')}`],
    ['many short words', `/docs/search.json?q=${manyWords(50).join('+')}`],
    ['many words', `/docs/search.json?q=${'the+and+bot+for+you+not+are+can+'.repeat(20)}`],
    ['one long word', `/docs/search.json?q=${'relay'.repeat(200)}`],
  ])('searches for %s in little time', async (_, url) => {
    // Makes the index.
    await get('/docs/search.json?q=bot');
    const rounds: number[] = [];
    for (let round = 0; round < 5; round++) {
      const startedAt = cpuMs();
      await get(url);
      rounds.push(cpuMs() - startedAt);
    }
    // The fastest: the first ones are compiled meanwhile, and garbage is collected in any of them.
    expect(Math.min(...rounds)).toBeLessThan(30);
  });

  it('shows requests in three languages', async () => {
    const { body } = await get('/docs/api');
    const [, article = ''] = /<article id="postApiThingsAdd">([^]*?)<\/article>/.exec(body) ?? [];
    const text = article.replace(/<[^>]+>/g, '').replaceAll('&quot;', '"');
    expect(text).toContain('curl -X POST "$RELAY_URL/api/things/add"');
    expect(text).toContain('await fetch(`${RELAY_URL}/api/things/add`');
    expect(text).toContain('requests.post(');
  });
});

function manyWords(count: number): string[] {
  return Array.from({ length: count }, (_, index) => (index % 36).toString(36));
}

describe('the documentation server', () => {
  it('shows the command as it can be typed where the service runs', async () => {
    const test = await startTestApp();
    onTestFinished(() => test.close());
    const { body } = await test.app.inject({ url: '/docs/poll' });
    expect(body).toContain('npx bot-relay apps rotate 1 crm');
    expect(body).not.toContain('bin/bot-relay.js');
  });

  it('serves guides once they can be read, with or without pictures', async () => {
    const copy = temporaryFolder();
    onTestFinished(copy.remove);
    rmSync(copy.path, { recursive: true });
    const test = await startTestApp({ docsFolder: copy.path });
    onTestFinished(() => test.close());
    const status = async (url: string) => (await test.app.inject({ url })).statusCode;
    expect(await status('/docs')).toBe(500);
    mkdirSync(copy.path);
    for (const name of pagesIn('')) cpSync(`${folder}/${name}.md`, `${copy.path}/${name}.md`);
    expect(await status('/docs')).toBe(200);
    expect(await status('/docs/screenshots/none.png')).toBe(404);
  });
});

describe('Markdown', () => {
  const html = (source: string) => renderMarkdown(source, (target) => `to:${target}`).html;

  it('escapes HTML and drops comments', () => {
    expect(html('<img src=x onerror=alert(1)>')).not.toContain('<img');
    expect(html('a <b>c</b>')).toContain('&lt;b&gt;');
    expect(html('a\n\n<!-- not run: reason -->\n```sh\nls\n```')).not.toContain('not run');
    expect(html('[a](javascript:alert(1))')).not.toContain('href="javascript');
    expect(html('`<script>`')).toContain('&lt;script&gt;');
  });

  it('gives headings the ids that GitHub gives them', () => {
    const { headings } = renderMarkdown(
      '# T\n\n## Back up & restore\n\n## `GET` /api/x\n\n## Same\n\n## Same\n',
      () => '',
    );
    expect(headings.map(({ id }) => id)).toEqual([
      't',
      'back-up--restore',
      'get-apix',
      'same',
      'same-1',
    ]);
  });

  it('shows a dark picture in the dark, where there is one', () => {
    const picture = html('![Chats](screenshots/chats-light.png)');
    expect(picture).toContain('<source media="(prefers-color-scheme: dark)"');
    expect(picture).toContain('srcset="to:screenshots/chats-dark.png"');
    expect(html('![Chats](screenshots/chats.png)')).not.toContain('<source');
  });

  it('names what it cannot link to', () => {
    expect(renderMarkdown('[code](../src/main.ts)', () => '').html).toBe('<p>code</p>\n');
  });
});
