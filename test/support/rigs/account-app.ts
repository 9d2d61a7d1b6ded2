import { afterEach, beforeEach, expect } from 'vitest';
import type { DialectName } from '../../../src/store/engine.ts';
import { sampleEndpoints } from '../sample-endpoints.ts';
import { startTestApp, type TestApp } from '../test-app.ts';

type Headers = Record<string, string>;

/** The app with its endpoints for users and sessions, started for each test. */
export function accountApp(dialect: DialectName) {
  let app: TestApp;
  let admin: Headers;
  beforeEach(async () => {
    app = await startTestApp({ dialect, endpoints: sampleEndpoints() });
    admin = (await app.key('admin')).headers;
  });
  afterEach(() => app.close());

  const post = (url: string, payload?: object, headers: Headers = {}) =>
    app.app.inject({ method: 'POST', url, headers, ...(payload ? { payload } : {}) });
  const get = (url: string, headers: Headers = {}) => app.app.inject({ url, headers });

  async function addUser(username: string, extra: object = {}) {
    const answer = await post(
      '/api/auth/users/create',
      { username, password: 'correct horse', ...extra },
      admin,
    );
    expect(answer.statusCode).toBe(200);
    return answer.json() as { id: number };
  }

  async function signIn(username: string, password = 'correct horse') {
    const answer = await post('/api/auth/sign-in', { username, password });
    expect(answer.statusCode).toBe(200);
    const [cookie] = String(answer.headers['set-cookie']).split(';');
    const headers = { cookie: cookie ?? '' };
    return { headers, full: { ...headers, 'x-csrf-token': answer.json().csrf_token as string } };
  }

  return { test: () => app, admin: () => admin, post, get, addUser, signIn };
}
