import { expect, test } from 'vitest';
import { scene } from './helpers.ts';

const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('a browser is told what this is and what to try', async () => {
  const { sandbox, url, bot } = await scene();
  sandbox.createUser({ first_name: '<b>Ann</b>', username: 'ann' });
  const response = await fetch(`${url}/`, { headers: asBrowser });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const page = await response.text();
  expect(page).toContain(`curl ${url}/bot$TOKEN/getMe`);
  expect(page).toContain('href="/sandbox/snapshot"');
  expect(page).toContain(`&lt;b&gt;Ann&lt;/b&gt; write to @${bot.username}:`);
  expect(page).not.toContain('<b>');
  // Tokens are not on it: a screen is shown around more easily than an answer of the API.
  expect(page).not.toContain(bot.token);
});

test('its line for the shell does what it says', async () => {
  const { sandbox, url, bot } = await scene();
  const ann = sandbox.createUser({ first_name: 'Ann', username: 'ann' });
  const page = await (await fetch(`${url}/`, { headers: asBrowser })).text();
  const [, address = '', body = ''] = /curl (\S+\/say) .* -d '(.*)'/.exec(page) ?? [];
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(address, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  expect(sandbox.history(ann.id, bot.id).map(({ message }) => message.text)).toContain('Hello');
});

test('curl is told the same as plain text', async () => {
  const { url, bot } = await scene();
  const response = await fetch(`${url}/`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const text = await response.text();
  expect(text).toContain(`  ${url}\n`);
  expect(text).toContain(`curl ${url}/sandbox/snapshot`);
  expect(text).not.toContain(bot.token);
});

test('clients get what they always got', async () => {
  const { url } = await scene();
  const refusal = { ok: false, error_code: 404, description: 'Not Found' };
  const ask = (path: string, init: RequestInit) => fetch(url + path, init);
  for (const answer of [
    await ask('/', { headers: { accept: 'application/json' } }),
    await ask('/', { method: 'POST', headers: asBrowser }),
    await ask('/nothing', { headers: asBrowser }),
  ]) {
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual(refusal);
  }
});
