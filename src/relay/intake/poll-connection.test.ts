import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPollConnection, type PollConnection } from './poll-connection.ts';

let server: Server;
let connection: PollConnection;
let asked: Promise<ServerResponse>;

beforeEach(async () => {
  // Fakes only the timers that watch the polls; sockets use real time.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  let tellAsked = (_response: ServerResponse) => {};
  asked = new Promise((resolve) => {
    tellAsked = resolve;
  });
  server = createServer((_request, response) => tellAsked(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  connection = openPollConnection(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

afterEach(() => {
  connection.close();
  server.closeAllConnections();
  server.close();
  vi.useRealTimers();
});

describe('a poll connection', () => {
  it('ends a poll that the platform does not answer in time', async () => {
    const poll = connection.get('/', 20_000);
    const ended = expect(poll).rejects.toMatchObject({ reason: 'timeout' });
    await asked;
    let isEnded = false;
    void poll.catch(() => {
      isEnded = true;
    });
    vi.advanceTimersByTime(19_000);
    await Promise.resolve();
    expect(isEnded).toBe(false);
    vi.advanceTimersByTime(6_000);
    await ended;
  });

  it('does not wait so long for the rest of an answer that has begun', async () => {
    const poll = connection.get('/', 3_600_000);
    let reason = '';
    void poll.catch((error: { reason: string }) => {
      reason = error.reason;
    });
    const response = await asked;
    response.writeHead(200);
    response.write('{"ok":');
    const startedAt = performance.now();
    await vi.waitFor(() => {
      vi.advanceTimersByTime(5_000);
      expect(reason).toBe('timeout');
    });
    const waitedMs = performance.now() - startedAt;
    expect(waitedMs).toBeGreaterThanOrEqual(30_000);
    expect(waitedMs).toBeLessThan(3_600_000);
  });

  it('takes an answer that comes in time, in one part or several', async () => {
    const poll = connection.get('/', 20_000);
    const response = await asked;
    response.write('{"ok":');
    response.end('true}');
    await expect(poll).resolves.toEqual({ status: 200, text: '{"ok":true}' });
    vi.advanceTimersByTime(60_000);
  });

  it('has a timer only while a poll is in flight', async () => {
    const poll = connection.get('/', 20_000);
    const response = await asked;
    expect(vi.getTimerCount()).toBe(1);
    response.end('{}');
    await poll;
    expect(vi.getTimerCount()).toBe(0);
  });
});
