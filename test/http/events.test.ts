import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localCaller, type Role } from '../../src/core/access/access.ts';
import { sampleEndpoints } from '../support/sample-endpoints.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

describe('events and waiting requests', () => {
  let test: TestApp;
  let address: string;
  let seen: unknown[];
  beforeEach(async () => {
    // A handler of the test before may still tell the one it was given.
    seen = [];
    test = await startTestApp({ endpoints: sampleEndpoints(seen) });
    address = await test.app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(() => test.close());

  /** Reads the stream until it holds a text, or to its end. */
  async function open(headers: Record<string, string>, query = '') {
    const abort = new AbortController();
    const { signal } = abort;
    const response = await fetch(`${address}/api/events${query}`, { headers, signal });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    let text = '';
    async function until(wanted: string | undefined): Promise<string> {
      while (wanted === undefined || !text.includes(wanted)) {
        const { done, value } = await reader.read();
        if (done) break;
        text += decoder.decode(value, { stream: true });
      }
      return text;
    }
    await until('retry');
    return { until, abort: () => abort.abort() };
  }

  it('reach a key that may see the bot, and no other', async () => {
    const mine = await test.addBot();
    const limited = await open((await test.key('read', [mine])).headers);
    const everything = await open({ ...(await test.key('read')).headers, 'last-event-id': '99' });
    test.events.publish('message', mine + 1, { id: 1 } as never);
    test.events.publish('message', mine, { id: 2, text: 'a\nb' } as never);
    const text = await limited.until('"id":2');
    expect(text).toContain(`event: message\ndata: {"bot_id":${mine},"id":2,"text":"a\\nb"}\n\n`);
    expect(text).not.toContain('"id":1');
    expect(await everything.until('"id":2')).toContain('"id":1');
    limited.abort();
    everything.abort();
  });

  it('reach a key that is limited to chats only if they are of those', async () => {
    const mine = await test.addBot();
    const limits = { readChats: [5], writeChats: null };
    const limited = await open((await test.key('read', undefined, limits)).headers);
    for (const data of [{ id: 1 }, { id: 2, chat_id: 6 }, { id: 3, chat_id: 5 }]) {
      test.events.publish('message', mine, data as never);
    }
    const text = await limited.until('"id":3');
    expect(text).not.toContain('"id":1');
    expect(text).not.toContain('"id":2');
    limited.abort();
  });

  describe('for users', () => {
    async function signIn(role: Role, botId: number) {
      const user = { username: role, password: 'correct horse' };
      const { users } = test.access;
      const { id } = await users.create(localCaller, { ...user, role, botIds: [botId] });
      const url = '/api/auth/sign-in';
      const answer = await test.app.inject({ method: 'POST', url, payload: user });
      const [cookie = ''] = String(answer.headers['set-cookie']).split(';');
      return { id, headers: { cookie } };
    }

    const tell = (botId: number, id: number) => {
      test.events.publish('delivery', botId, { reachable: true, id } as never);
      test.events.publish('message', botId, { id } as never);
    };

    it('are those of their role', async () => {
      const mine = await test.addBot();
      const agent = await open((await signIn('agent', mine)).headers);
      const viewer = await open((await signIn('viewer', mine)).headers);
      tell(mine + 1, 1);
      tell(mine, 2);
      const heard = await agent.until('"id":2');
      expect(heard).toContain('event: message');
      expect(heard).not.toContain('event: delivery');
      expect(heard).not.toContain('"id":1');
      expect(await viewer.until('event: message')).toContain('event: delivery');
      agent.abort();
      viewer.abort();
    });

    it('have heartbeats every two seconds if they ask, whatever their role', async () => {
      const { headers } = await signIn('agent', await test.addBot());
      const quiet = await open(headers);
      const agent = await open(headers, '?heartbeats=true');
      for (let beats = 1; beats <= 2; beats++) {
        await test.clock.advance(2_000);
        const beat = 'event: heartbeat\ndata: {}\n\n';
        expect(await agent.until(beat.repeat(beats))).not.toContain('still here');
      }
      await test.clock.advance(11_000);
      expect(await quiet.until('still here')).not.toContain('heartbeat');
      quiet.abort();
      agent.abort();
    });

    it('have live metrics only where the role has bots', async () => {
      const url = `${address}/api/events?live_metrics=true`;
      const { headers } = await signIn('agent', await test.addBot());
      const answer = await fetch(url, { headers });
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({ reason_code: 'role_lacks_right' });
    });

    it('end when the role changes, and begin again with the new one', async () => {
      const mine = await test.addBot();
      const { headers, id } = await signIn('manager', mine);
      const before = await open(headers);
      tell(mine, 1);
      await before.until('event: message');
      await test.access.users.update(localCaller, { id, role: 'agent' });
      await test.clock.advance(1_000);
      tell(mine, 2);
      expect(await before.until(undefined)).not.toContain('"id":2');
      const after = await open(headers);
      tell(mine, 3);
      expect(await after.until('"id":3')).not.toContain('event: delivery');
      after.abort();
    });
  });

  it('are refused beyond the most that a node serves, and sooner to those who have many', async () => {
    const streams: Awaited<ReturnType<typeof open>>[] = [];
    const take = async (headers: Record<string, string>, count: number) => {
      streams.push(...(await Promise.all(Array.from({ length: count }, () => open(headers)))));
    };
    const refused = async (headers: Record<string, string>) => {
      const answer = await fetch(`${address}/api/events`, { headers });
      expect(answer.status).toBe(429);
      expect(await answer.json()).toMatchObject({ reason_code: 'too_many_streams_in_all' });
    };
    for (let keys = 0; keys < 4; keys++) await take((await test.key('read')).headers, 100);
    for (let keys = 0; keys < 20; keys++) {
      const fresh = (await test.key('read')).headers;
      await take(fresh, 5);
      await refused(fresh);
    }
    await refused((await test.key('read')).headers);
    let serialised = 0;
    const text = { toJSON: () => `text ${++serialised}` };
    test.events.publish('message', 1, { id: 7, text } as never);
    await Promise.all(streams.map((stream) => stream.until('"id":7')));
    expect(serialised).toBe(1);
    for (const stream of streams) stream.abort();
  });

  it('come with heartbeats, and stop at one when the key was revoked', async () => {
    const key = await test.key('read');
    const stream = await open(key.headers);
    await test.clock.advance(15_000);
    await stream.until(': still here');
    const admin = await test.key('admin');
    await test.app.inject({
      method: 'POST',
      url: `/api/auth/api-keys/delete?id=${key.id}`,
      headers: admin.headers,
    });
    await test.clock.advance(15_000);
    const text = await stream.until(undefined);
    expect(text.match(/still here/g)).toHaveLength(1);
  });

  it('tell a key nothing more a second after it was revoked, and others everything in order', async () => {
    const botId = await test.addBot();
    const key = await test.key('read');
    const revoked = await open(key.headers);
    const admin = await test.key('admin');
    const other = await open(admin.headers);
    const tell = (id: number) => test.events.publish('message', botId, { id } as never);
    tell(1);
    await revoked.until('"id":1');
    await test.app.inject({
      method: 'POST',
      url: `/api/auth/api-keys/toggle?id=${key.id}`,
      headers: admin.headers,
    });
    await test.clock.advance(1_000);
    for (const id of [2, 3, 4]) tell(id);
    expect(await revoked.until(undefined)).not.toContain('"id":2');
    expect((await other.until('"id":4')).match(/"id":\d/g)).toEqual(
      [1, 2, 3, 4].map((id) => `"id":${id}`),
    );
    other.abort();
  });

  it('are not kept for a listener that does not read them', async () => {
    const { headers } = await test.key('read');
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /api/events HTTP/1.1\r\nhost: x\r\nauthorization: ${headers.authorization}\r\n\r\n`,
    );
    await once(socket, 'data');
    socket.pause();
    const connections = () =>
      new Promise<number>((resolve) => {
        test.app.server.getConnections((_error, count) => resolve(count));
      });
    expect(await connections()).toBe(1);
    // More than the system takes on its way, and than is kept here.
    const data = { text: 'x'.repeat(500_000) } as never;
    for (let n = 0; n < 64; n++) test.events.publish('message', 1, data);
    await expect.poll(connections).toBe(0);
    socket.destroy();
  });

  it('are open a hundred times at once for one key, and no more', async () => {
    const { hostname, port } = new URL(address);
    const listen = async ({ authorization }: { authorization: string }) => {
      const socket = connect(Number(port), hostname);
      socket.write(
        `GET /api/events HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`,
      );
      const [answer] = await once(socket, 'data');
      sockets.push(socket);
      return Number(String(answer).split(' ')[1]);
    };
    const sockets: Socket[] = [];
    const { headers } = await test.key('read');
    const statuses = await Promise.all(Array.from({ length: 101 }, () => listen(headers)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    expect(await listen((await test.key('read')).headers)).toBe(200);
    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(() => listen(headers)).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it('need a key', async () => {
    const response = await fetch(`${address}/api/events`);
    expect(response.status).toBe(401);
    await response.body?.cancel();
  });

  it('end, like every waiting request, when the service stops', async () => {
    const { headers } = await test.key('read');
    const stream = await open(headers);
    const waiting = fetch(`${address}/api/things/wait`, { headers });
    await expect.poll(() => seen).toContain('waiting');
    const closed = test.app.close();
    const answer = await waiting;
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(await answer.json()).toMatchObject({ code: 'shutting_down' });
    await stream.until(undefined);
    await closed;
  });

  it.each([
    ['nothing', '/api/things/wait', {}],
    ['no body', '/api/things/wait-for', { method: 'POST' }],
    ['a body', '/api/things/wait-for', { method: 'POST', body: '{"name":"x"}' }],
  ])('tell a handler that was given %s when its caller goes away', async (_, path, how) => {
    const { headers } = await test.key('read');
    const abort = new AbortController();
    const waiting = fetch(address + path, {
      ...how,
      headers: { ...headers, ...('body' in how ? { 'content-type': 'application/json' } : {}) },
      signal: abort.signal,
    });
    await expect.poll(() => seen).toContain('waiting');
    // Longer than it takes to read a body, and not a moment sooner.
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(seen).not.toContain('aborted');
    abort.abort();
    await expect(waiting).rejects.toThrow();
    await expect.poll(() => seen).toContain('aborted');
  });
});
