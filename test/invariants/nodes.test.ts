import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadNodeId } from '../../src/relay/cluster/node-id.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { message } from './support/held-platform.ts';
import { checkOrder, mostRepeated, readLog, repeatsByPath } from './support/reconcile.ts';
import { addBot, createStage, pull } from './support/stage.ts';

const tokens = [1, 2, 3, 4, 5, 6].map((n) => `760${n}:AAnode_${n}`);
const chats = [41, 42, 43, 44];
const connections = 4;
const allowed = mostRepeated(chats.length, connections);
const pathOf = (token: string) => `/${token.split(':')[0]}`;

describe('two nodes on one PostgreSQL', () => {
  it('share the bots, outlive each other and know of a revoked key at once', async () => {
    const { database, platform, sink, start } = await createStage('postgres');
    const other = temporaryFolder();
    onTestFinished(() => other.remove());
    const engine = await database.open();
    onTestFinished(() => engine.close());
    const env = { RELAY_PUSH_CONNECTIONS: String(connections) };
    const [first, second] = await Promise.all([
      start(env),
      startServiceProcess(
        { settings: { ...database.settings, RELAY_DATA_DIR: other.path } },
        { TELEGRAM_API_URL: platform.url, ...env },
      ),
    ]);

    // Bots are shared out.
    const ids = new Map<number, string>();
    for (const token of tokens) {
      const backend_url = sink.url + pathOf(token);
      const settings = { token, proxy_enabled: true, backend_url, long_poll_enabled: true };
      ids.set((await addBot(first, settings)).id, token);
    }
    const owners = async () => {
      const rows = await engine.readRaw<{ owner: string; bot_id: number; epoch: number }>(
        'select owner, bot_id, epoch from leases',
        [],
      );
      return Map.groupBy(rows, (row) => row.owner);
    };
    /** How often each bot was taken so far. */
    const epochs = async () =>
      new Map(
        [...(await owners()).values()]
          .flat()
          .map(({ bot_id, epoch }) => [pathOf(ids.get(bot_id) as string), epoch]),
      );
    await vi.waitFor(
      async () => expect([...(await owners()).values()].map((rows) => rows.length)).toEqual([3, 3]),
      { interval: 100 },
    );

    const taken = await epochs();

    // A key revoked on one node is refused by the other from that moment on.
    const isValid = async (at: ServiceProcess, key: string) =>
      (await at.request('/api/bots', { key })).status;
    for (const revoke of ['toggle', 'delete']) {
      const made = await first.call<{ id: number; key: string }>('/api/auth/api-keys', {
        name: `by ${revoke}`,
        scope: 'read',
      });
      expect([await isValid(first, made.key), await isValid(second, made.key)]).toEqual([200, 200]);
      await first.call(`/api/auth/api-keys/${revoke}?id=${made.id}`, {});
      expect(await isValid(second, made.key)).toBe(401);
    }

    // Under load one is killed while it also sends something that is never answered.
    const dealt = new Map(tokens.map((token) => [token, 0]));
    let isDealing = true;
    const deal = (token: string) => {
      const id = (dealt.get(token) as number) + 1;
      dealt.set(token, id);
      platform.deal(token, message(id, chats[id % chats.length] as number));
    };
    platform.beforePoll = (token) => {
      while (isDealing && platform.held(token) < 20 && (dealt.get(token) as number) < 500) {
        deal(token);
      }
    };
    sink.respond = (_arrival, response) => void setTimeout(() => response.writeHead(200).end(), 3);
    for (const token of tokens) deal(token);
    platform.onCall = () => {};
    const [someBot] = ids.keys();
    const body = { bot_id: someBot, chat_id: 5, text: 'never answered' };
    const sending = first.request('/api/messages/send', { body }).catch(() => undefined);
    await vi.waitFor(() => expect(platform.calls).toHaveLength(1));
    const arrived = () =>
      tokens.map(
        (token) =>
          new Set(
            sink.arrivals.filter(({ path }) => path === pathOf(token)).map((one) => one.updateId),
          ).size,
      );
    await vi.waitFor(() => expect(Math.min(...arrived())).toBeGreaterThan(30), {
      interval: 10,
    });
    const killedAt = performance.now();
    await first.crash();
    await sending;

    await vi.waitFor(
      async () => {
        expect((await owners()).size).toBe(1);
        const bots = await second.call<{ running: boolean }[]>('/api/bots');
        expect(bots.every(({ running }) => running)).toBe(true);
        expect(platform.confirmed(tokens[0] as string).size).toBeGreaterThan(0);
      },
      { interval: 50 },
    );
    const movedMs = performance.now() - killedAt;
    isDealing = false;
    const expected = tokens.map((token) => dealt.get(token) as number);
    await vi.waitFor(() => expect(arrived()).toEqual(expected), { interval: 50 });
    // 15 s, and what a busy machine adds to that.
    expect(movedMs).toBeLessThan(55_000);
    for (const token of tokens) {
      expect(await pull(second, token, 0)).toEqual(
        Array.from({ length: Math.min(100, dealt.get(token) as number) }, (_, index) => index + 1),
      );
    }
    await vi.waitFor(
      async () =>
        expect(await engine.readRaw('select state from outbox', [])).toEqual([
          { state: 'unknown' },
        ]),
      { interval: 50 },
    );
    expect(platform.calls).toHaveLength(1);
    const takenInTheEnd = await epochs();

    expect(await second.stop()).toMatchObject({ code: 0, stderr: '' });
    const log = await readLog(database);
    for (const token of tokens) {
      const all = Array.from({ length: dealt.get(token) as number }, (_, index) => index + 1);
      expect(log.updateIds(token)).toEqual(all);
      expect(log.positions(token)).toEqual(all);
    }
    expect(checkOrder(sink.arrivals)).toEqual([]);
    const repeats = repeatsByPath(sink.arrivals);
    // Only of bots that moved; on a slow machine, that may also be some of the node that lives on.
    const movesOf = (path: string) => (takenInTheEnd.get(path) ?? 0) - (taken.get(path) ?? 0);
    expect(tokens.filter((token) => movesOf(pathOf(token)) > 0).length).toBeGreaterThanOrEqual(3);
    for (const [path, count] of repeats) {
      expect(count, path).toBeLessThanOrEqual(allowed * movesOf(path));
    }
    process.stdout.write(
      `two nodes: ${expected.reduce((sum, count) => sum + count, 0)} updates, bots moved in ${Math.round(movedMs)} ms, lost 0, delivered twice ${[...repeats.values()].join(' + ') || 0}\n`,
    );
  });

  it('keep to setWebhook and forget what waits, whichever of them is asked', async () => {
    const { database, platform, sink, start } = await createStage('postgres');
    const other = temporaryFolder();
    onTestFinished(() => other.remove());
    const engine = await database.open();
    onTestFinished(() => engine.close());
    // Alone when the bot comes, the first one owns it.
    const owner = await start();
    const token = tokens[0] as string;
    await addBot(owner, { token });
    await vi.waitFor(() => expect(platform.isPolled(token)).toBe(true));
    const asked = await startServiceProcess(
      { settings: { ...database.settings, RELAY_DATA_DIR: other.path } },
      { TELEGRAM_API_URL: platform.url },
    );
    const call = async <T>(method: string, params: object = {}) => {
      const answer = await asked.request(`/bot${token}/${method}`, { key: '', body: params });
      expect(answer.status).toBe(200);
      return ((await answer.json()) as { result: T }).result;
    };
    interface Info {
      pending_update_count: number;
    }
    let next = 1;
    /** Whether a new message reaches the backend; it is passed over or delivered in the end. */
    const arrives = async () => {
      const id = next++;
      platform.deal(token, message(id, 41));
      await vi.waitFor(
        async () => {
          expect(platform.confirmed(token).has(id)).toBe(true);
          expect((await call<Info>('getWebhookInfo')).pending_update_count).toBe(0);
        },
        { interval: 20 },
      );
      return sink.arrivals.some(({ updateId }) => updateId === id);
    };
    // After a notification, the owner follows within moments.
    const soon = (wanted: boolean) =>
      vi.waitFor(async () => expect(await arrives()).toBe(wanted), {
        interval: 20,
      });
    await call('setWebhook', { url: `${sink.url}/a`, allowed_updates: ['message'] });
    await soon(true);
    await call('setWebhook', { url: `${sink.url}/a`, allowed_updates: ['poll'] });
    await soon(false);
    await call('setWebhook', { url: `${sink.url}/a`, allowed_updates: ['message'] });
    await soon(true);

    // One hangs at the backend, two wait behind it.
    const hanging = 1_000;
    sink.respond = ({ updateId }, response) => {
      if (updateId > hanging + 3) response.writeHead(200).end();
    };
    for (const id of [1, 2, 3]) platform.deal(token, message(hanging + id, 41));
    const arrived = (id: number) => sink.arrivals.some(({ updateId }) => updateId === id);
    await vi.waitFor(() => {
      expect(arrived(hanging + 1)).toBe(true);
      expect(platform.confirmed(token).has(hanging + 3)).toBe(true);
    });
    await call('setWebhook', { url: `${sink.url}/a`, drop_pending_updates: true });
    expect(await call<Info>('getWebhookInfo')).toMatchObject({ pending_update_count: 0 });
    platform.deal(token, message(hanging + 4, 41));
    await vi.waitFor(() => expect(arrived(hanging + 4)).toBe(true));
    expect([2, 3].some((id) => arrived(hanging + id))).toBe(false);
    const owned = await engine.readRaw<{ owner: string }>('select owner from leases', []);
    expect(owned).toEqual([{ owner: loadNodeId(database.dataDir) }]);
  });
});
