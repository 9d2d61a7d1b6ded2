import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { failureText } from './errors.ts';
import { exchange } from './exchange.ts';

describe('a connection error', () => {
  it('names the host that could not be found, and nothing of the path', async () => {
    const dispatcher = new Agent({
      connect: {
        lookup: (hostname, _options, done) =>
          done(Object.assign(new Error('x'), { code: 'ENOTFOUND', hostname }), '', 0),
      },
    });
    const call = exchange(
      dispatcher,
      { origin: 'http://api.example.com', path: '/bot1:secret/getMe', method: 'GET', headers: {} },
      { clock: systemClock, timeoutMs: 5_000, maxBytes: 1_000 },
    );
    await expect(call).rejects.toThrow(
      /^Telegram cannot be reached \(ENOTFOUND api\.example\.com\)\.$/,
    );
    await dispatcher.close();
  });

  it('has only the code where no host is known', () => {
    const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
    expect(failureText(refused)).toBe('ECONNREFUSED');
    expect(failureText(new AggregateError([refused]))).toBe('ECONNREFUSED');
    expect(failureText(new AggregateError([]))).toBe('AggregateError');
  });
});
