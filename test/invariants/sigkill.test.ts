import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDatabase, type Database, dialects } from '../support/engines.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { checkOrder, duplicatesOf, readLog } from './support/reconcile.ts';
import { type HeldPlatform, message, startHeldPlatform } from './support/held-platform.ts';
import { type Sink, startSink } from './support/sink.ts';

const seed = Number(process.env['SIGKILL_SEED'] ?? 20_260_714);
const kills = 5;
const connections = 8;
const polledTokens = ['7001:AAkill_one', '7002:AAkill_two', '7003:AAkill_three'];
const hookedToken = '7004:AAkill_hook';
const tokens = [...polledTokens, hookedToken];
const chats = [11, 12, 13, 14, 15, 16];
// Of one bot: under way, one for each chat, and answered but not yet on disk.
const mostRepeated = Math.min(chats.length, connections) + connections;

function seeded(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe.each(dialects)('killed at random moments under load on %s', (dialect) => {
  let database: Database;
  let platform: HeldPlatform;
  let sink: Sink;
  let service: ServiceProcess;
  beforeEach(async () => {
    [database, platform, sink] = await Promise.all([
      createDatabase(dialect),
      startHeldPlatform(),
      startSink(),
    ]);
  });
  afterEach(async () => {
    await Promise.all([platform.close(), sink.close(), database.drop()]);
  });

  it('loses nothing, keeps order and repeats only what was in flight', {
    timeout: 180_000,
  }, async () => {
    const random = seeded(seed);
    const dealt = new Map(tokens.map((token) => [token, [] as number[]]));
    const accepted = new Set<number>();
    const pulled = new Map(tokens.map((token) => [token, [] as number[]]));
    const lives: number[] = [];
    let ready = Promise.withResolvers<void>();
    let isDealing = true;
    let isOver = false;

    const start = async () => {
      lives.push(sink.arrivals.length);
      service = await startServiceProcess(database, {
        TELEGRAM_API_URL: platform.url,
        RELAY_PUBLIC_URL: 'http://relay.example.com',
        RELAY_PUSH_CONNECTIONS: String(connections),
      });
      ready.resolve();
    };

    const nextUpdate = (token: string) => {
      const ids = dealt.get(token) as number[];
      const id = 1_000 + ids.length;
      ids.push(id);
      return id;
    };
    platform.beforePoll = (token) => {
      while (isDealing && platform.held(token) < 60) {
        const id = nextUpdate(token);
        platform.deal(token, message(id, chats[Math.floor(random() * chats.length)] as number));
      }
    };

    /** Posts as the platform does: the next of a chat only after the last was taken. */
    async function post(chatId: number): Promise<void> {
      while (isDealing) {
        const id = nextUpdate(hookedToken);
        while (!(await tryPost(id, chatId))) await ready.promise;
      }
    }
    async function tryPost(id: number, chatId: number): Promise<boolean> {
      const { path, secret } = platform.webhook(hookedToken) ?? { path: '', secret: '' };
      const headers = { 'x-telegram-bot-api-secret-token': secret };
      const answer = await service
        .request(path, { body: message(id, chatId), headers, key: '' })
        .catch(() => undefined);
      await answer?.text().catch(() => '');
      if (answer?.status === 200) accepted.add(id);
      return answer?.status === 200;
    }

    /** A bot program: asks for what follows the last update it was given. */
    async function pull(token: string): Promise<void> {
      const seen = pulled.get(token) as number[];
      while (!isOver) {
        try {
          const offset = (seen.at(-1) ?? 0) + (seen.length > 0 ? 1 : 0);
          const answer = await service.request(
            `/bot${token}/getUpdates?timeout=1&limit=40&offset=${offset}`,
            { key: '' },
          );
          const body = (await answer.json()) as { result: { update_id: number }[] };
          for (const { update_id } of body.result) seen.push(update_id);
        } catch {
          await ready.promise;
        }
      }
    }

    await start();
    for (const token of tokens) {
      await service.call('/api/bots/add', {
        token,
        proxy_enabled: true,
        backend_url: `${sink.url}/${token.split(':')[0]}`,
        long_poll_enabled: true,
        webhook_mode: token === hookedToken,
      });
    }
    await vi.waitFor(() => expect(platform.webhook(hookedToken)).toBeDefined(), 10_000);
    sink.respond = (_arrival, response) =>
      void setTimeout(() => response.writeHead(200).end(), random() * 4);
    const clients = [...chats.map(post), ...tokens.map(pull)];

    for (let kill = 0; kill < kills; kill++) {
      await sink.reached(sink.arrivals.length + 1 + Math.floor(random() * 250));
      ready = Promise.withResolvers<void>();
      await service.crash();
      const stored = await readLog(database);
      for (const token of polledTokens) {
        expect(stored.updateIds(token)).toEqual(
          expect.arrayContaining([...platform.confirmed(token)]),
        );
      }
      expect(stored.updateIds(hookedToken)).toEqual(expect.arrayContaining([...accepted]));
      await start();
    }

    isDealing = false;
    await Promise.all(clients.slice(0, chats.length));
    const missing = () =>
      tokens.map((token) => {
        const path = `/${token.split(':')[0]}`;
        const arrived = new Set(
          sink.arrivals.filter((arrival) => arrival.path === path).map(({ updateId }) => updateId),
        );
        const given = new Set(pulled.get(token));
        const ids = dealt.get(token) as number[];
        return {
          backend: ids.filter((id) => !arrived.has(id)).length,
          client: ids.filter((id) => !given.has(id)).length,
        };
      });
    await vi.waitFor(
      () => expect(missing()).toEqual(tokens.map(() => ({ backend: 0, client: 0 }))),
      { timeout: 30_000, interval: 50 },
    );
    isOver = true;
    await Promise.all(clients);
    expect(await service.stop('SIGTERM')).toMatchObject({ code: 0, stderr: '' });

    const log = await readLog(database);
    for (const token of tokens) {
      const ids = dealt.get(token) as number[];
      expect(log.positions(token)).toEqual(ids.map((_id, index) => index + 1));
      expect(log.updateIds(token).sort((a, b) => a - b)).toEqual(ids);
    }
    expect(checkOrder(sink.arrivals)).toEqual([]);
    const repeats = duplicatesOf(sink.arrivals, lives);
    expect(repeats.withinOneLife).toBe(0);
    expect(Math.max(...repeats.perLifeAndBot)).toBeLessThanOrEqual(mostRepeated);
    const pulledTwice = tokens.map((token) => {
      const ids = pulled.get(token) as number[];
      return ids.length - new Set(ids).size;
    });
    // A program that keeps its offset is given nothing twice, whatever happened to the relay.
    expect(pulledTwice).toEqual([0, 0, 0, 0]);
    const total = [...dealt.values()].reduce((sum, ids) => sum + ids.length, 0);
    process.stdout.write(
      `${dialect}, seed ${seed}: ${kills} kills, ${total} updates of ${tokens.length} bots, lost 0, ` +
        `delivered twice ${repeats.total} (most after one kill, of one bot: ${Math.max(...repeats.perLifeAndBot)} of ${mostRepeated} allowed)\n`,
    );
  });
});
