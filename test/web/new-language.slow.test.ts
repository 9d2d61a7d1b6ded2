/* A language is one folder: a folder of pseudo texts is put into a copy of the page, and shows. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { launchBrowser } from './support/browser.ts';
import { openPage } from './support/visitor.ts';

const root = path.resolve(import.meta.dirname, '../..');
const fenced = /^⟦.*⟧$/s;

let copy: string;
let server: Server;
let browser: Browser;
let address: string;

beforeAll(async () => {
  copy = mkdtempSync(path.join(os.tmpdir(), 'relay-language-'));
  for (const name of ['src', 'sandbox', 'node_modules', 'scripts']) {
    symlinkSync(path.join(root, name), path.join(copy, name), 'dir');
  }
  cpSync(path.join(root, 'web'), path.join(copy, 'web'), {
    recursive: true,
    filter: (file) => !path.relative(root, file).startsWith(path.join('web', 'dist')),
  });
  addPseudoLanguage(path.join(copy, 'web', 'src', 'i18n'), 'pt-BR');
  const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const built = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'error'], {
    cwd: path.join(copy, 'web'),
    encoding: 'utf8',
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
  });
  expect(built.stderr).toBe('');
  expect(built.status).toBe(0);
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://page');
    if (pathname.startsWith('/api/')) {
      const isSignIn = pathname === '/api/auth/sign-in';
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          error: 'Wrong username or password.',
          code: isSignIn ? 'invalid_credentials' : 'unauthorized',
          reason_code: isSignIn ? 'wrong_name_or_password' : 'key_needed',
          params: {},
          request_id: '1',
        }),
      );
      return;
    }
    const file = path.extname(pathname) === '' ? 'index.html' : pathname;
    response.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'text/plain' });
    response.end(readFileSync(path.join(copy, 'web', 'dist', file)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
  rmSync(copy, { recursive: true, force: true });
});

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** The Russian folder under another name, with every text fenced. */
function addPseudoLanguage(i18n: string, tag: string): void {
  const folder = path.join(i18n, tag);
  cpSync(path.join(i18n, 'ru'), folder, { recursive: true });
  writeFileSync(
    path.join(folder, 'language.ts'),
    "export const language = { label: '⟦pseudo⟧', dir: 'rtl' };\n",
  );
  const index = path.join(folder, 'index.ts');
  renameSync(index, path.join(folder, 'words.ts'));
  const names = [...readFileSync(path.join(folder, 'words.ts'), 'utf8').matchAll(/\{(.*)\}/g)];
  writeFileSync(
    index,
    `import * as words from './words.ts';
function pseudo(value) {
  if (typeof value === 'string') return '⟦' + value + '⟧';
  if (typeof value === 'function') return (...given) => pseudo(value(...given));
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(pseudo);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, pseudo(part)]));
}
export const { ${names.map(([, listed]) => listed).join(', ')} } = pseudo({ ...words });
`,
  );
}

describe('the web UI', () => {
  it('shows a language that is one more folder, also what the service says', async () => {
    const { context, page } = await openPage(browser, { locale: 'pt-PT' });
    await page.goto(`${address}/sign-in`);
    const heading = page.getByRole('heading', { level: 1 });
    await heading.waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('pt-BR');
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    expect(await heading.innerText()).toMatch(fenced);
    for (const label of await page.locator('label').allInnerTexts())
      expect(label).toMatch(/^⟦.*⟧/s);
    await page.locator('input').first().fill('anna');
    await page.locator('input[type=password]').fill('wrong');
    await page.locator('button[type=submit]').click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(fenced);
    await context.close();
  });

  it('keeps a language that was chosen before', async () => {
    const { context, page } = await openPage(browser, { locale: 'en-US' });
    await page.addInitScript("localStorage.setItem('relay-locale', 'pt-BR')");
    await page.goto(`${address}/sign-in`);
    await page.locator('html[lang=pt-BR]').waitFor({ state: 'attached' });
    // The title follows the language.
    await vi.waitFor(async () => expect(await page.title()).toContain('⟦'), { timeout: 10_000 });
    await context.close();
  });
});
