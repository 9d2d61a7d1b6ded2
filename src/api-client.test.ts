import { afterEach, describe, expect, it, vi } from 'vitest';
import { createApiClient, overHttp } from './api-client.ts';

describe('the client', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('waits longer for a configuration, which may be applied when it gave up', async () => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('{}'));
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    const api = createApiClient('', overHttp('http://127.0.0.1:1'));
    await api.get('/api/bots');
    await api.post('/api/config/apply', { body: { config: { version: 1 } } });
    expect(timeout.mock.calls).toEqual([[60_000], [300_000]]);
  });

  it('says how post takes a body that was given as it is', async () => {
    const api = createApiClient('', overHttp('http://127.0.0.1:1'));
    const wrong = { bot_id: 1 } as never;
    await expect(api.post('/api/messages/send', wrong)).rejects.toThrow(
      'post takes { body: {…} } or { query: {…} }, not bot_id.',
    );
  });
});
