import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toLine } from '../../src/core/people/plain-text.ts';
import { type ApiUser, type DomainApp, startDomainApp } from '../support/rigs/domain-app.ts';

/** The schema checks names, so one engine is enough. */
describe('names', () => {
  let app: DomainApp;
  let admin: ApiUser;
  let bot: { id: number };
  beforeAll(async () => {
    app = await startDomainApp('sqlite');
    admin = await app.user('admin');
    bot = await app.talkingBot();
  });
  afterAll(() => app.close());

  const fields: [string, string, (text: string) => object][] = [
    ['/api/bots/update', 'name', (name) => ({ id: bot.id, name })],
    ['/api/tags/add', 'tag', (tag) => ({ chat_id: 5, user_id: 5, tag })],
    ['/api/tags/add', 'username', (username) => ({ chat_id: 5, user_id: 5, tag: 'x', username })],
    ['/api/auth/api-keys', 'name', (name) => ({ name })],
    ['/api/auth/users/create', 'username', (username) => ({ username, password: 'long enough' })],
  ];
  const texts: typeof fields = [
    ['/api/bots/update', 'description', (description) => ({ id: bot.id, description })],
    [
      '/api/routes/add',
      'description',
      (description) => ({
        source_bot_id: bot.id,
        target_bot_id: bot.id,
        action: 'drop',
        description,
      }),
    ],
  ];
  const breaks = ['\r\n', '\n', '\t', '\u2028'];
  const hostile = ['\u001b[31m', '\u0085', '\u007f', '\u202e', '\u2066'];

  it.each(fields)('of %s (%s) are one line that shows what it holds', async (path, field, body) => {
    for (const character of [...breaks, ...hostile]) {
      const { status, body: answer } = await admin.post(path, body(`an${character}na`));
      expect(status, JSON.stringify(character)).toBe(400);
      expect(answer).toMatchObject({ code: 'invalid_request', details: [{ field }] });
    }
  });

  it.each(texts)('of %s (%s) may have lines', async (path, field, body) => {
    for (const character of hostile) {
      const { status, body: answer } = await admin.post(path, body(`one${character}two`));
      expect(status, JSON.stringify(character)).toBe(400);
      expect(answer).toMatchObject({
        details: [
          { field, problem: 'must not contain control characters or text direction overrides' },
        ],
      });
    }
    for (const character of ['\r\n', '\n', '\t']) {
      expect((await admin.post(path, body(`one${character}two`))).status).toBe(200);
    }
  });

  it('may have letters of any script, joined signs and marks', async () => {
    for (const name of ['Søren', 'Служба', '客服', 'שלום\u200f!', '🏳️‍🌈']) {
      const { status, body } = await admin.post('/api/bots/update', { id: bot.id, name });
      expect({ status, name: body['name'] }).toEqual({ status: 200, name });
    }
  });

  it('that the platform gives are cleaned', () => {
    expect(toLine('Shop\r\nlevel=error \u202egnp\u0000')).toBe('Shop level=error  gnp');
  });
});
