import { expect, onTestFinished, vi } from 'vitest';
import type { DialectName } from '../../../src/store/engine.ts';
import { seeded } from '../../support/seeded.ts';
import type { ServiceProcess } from '../../support/service-process.ts';
import { message } from './held-platform.ts';
import { checkOrder, duplicatesOf, mostRepeated, readLog } from './reconcile.ts';
import { addBot, createStage } from './stage.ts';

const connections = 8;
const polledTokens = ['7001:AAkill_one', '7002:AAkill_two', '7003:AAkill_three'];
const hookedToken = '7004:AAkill_hook';
const tokens = [...polledTokens, hookedToken];
const chats = [11, 12, 13, 14, 15, 16];
const allowed = mostRepeated(chats.length, connections);

const pathOf = (token: string) => `/${token.split(':')[0]}`;

/**
 * Kills the service under load, again and again: no update is lost, the order is kept, and only what
 * was in flight is repeated. Returns a line that says what happened.
 */
export async function killUnderLoad(
  dialect: DialectName,
  { kills, seed }: { kills: number; seed: number },
): Promise<string> {
  const { database, platform, sink, start: startService } = await createStage(dialect);
  let service = undefined as unknown as ServiceProcess;
  const random = seeded(seed);
  const dealt = new Map(tokens.map((token) => [token, [] as number[]]));
  const accepted = new Set<number>();
  const pulled = new Map(tokens.map((token) => [token, [] as number[]]));
  const lives: number[] = [];
  let ready = Promise.withResolvers<void>();
  let isDealing = true;
  let isOver = false;
  onTestFinished(() => {
    [isOver, isDealing] = [true, false];
    ready.resolve();
  });

  const start = async () => {
    lives.push(sink.arrivals.length);
    service = await startService({ RELAY_PUSH_CONNECTIONS: String(connections) });
    ready.resolve();
  };

  const nextUpdate = (token: string) => {
    const ids = dealt.get(token) as number[];
    const id = 1_000 + ids.length;
    ids.push(id);
    return id;
  };
  const arrived = new Map(tokens.map((token) => [pathOf(token), new Set<number>()]));
  /** Always some more than are delivered, so that every kill meets all parts at work. */
  const topUp = (token: string) => {
    const [ids, done] = [dealt.get(token), arrived.get(pathOf(token))] as [number[], Set<number>];
    while (isDealing && ids.length - done.size < 60) {
      const chatId = chats[Math.floor(random() * chats.length)] as number;
      platform.deal(token, message(nextUpdate(token), chatId));
    }
  };
  platform.beforePoll = topUp;
  sink.respond = ({ path, updateId }, response) => {
    arrived.get(path)?.add(updateId);
    const token = polledTokens.find((candidate) => pathOf(candidate) === path);
    if (token) topUp(token);
    setTimeout(() => response.writeHead(200).end(), random() * 4);
  };

  /** Posts as the platform does: the next of a chat only after the last was taken. */
  async function post(chatId: number): Promise<void> {
    while (isDealing) {
      const id = nextUpdate(hookedToken);
      while (!isOver && !(await tryPost(id, chatId))) await ready.promise;
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

  /** A client: polls for the updates after the last one it got. */
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
    await addBot(service, {
      token,
      proxy_enabled: true,
      backend_url: sink.url + pathOf(token),
      long_poll_enabled: true,
      webhook_mode: token === hookedToken,
    });
  }
  await vi.waitFor(() => expect(platform.webhook(hookedToken)).toBeDefined());
  const clients = [...chats.map(post), ...tokens.map(pull)];

  for (let kill = 0; kill < kills; kill++) {
    await sink.reached(sink.arrivals.length + 1 + Math.floor(random() * 250));
    ready = Promise.withResolvers<void>();
    await service.crash();
    // What it sent last still belongs to its life.
    await sink.quiet();
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
      const given = new Set(pulled.get(token));
      const ids = dealt.get(token) as number[];
      return {
        backend: ids.filter((id) => !arrived.get(pathOf(token))?.has(id)).length,
        client: ids.filter((id) => !given.has(id)).length,
      };
    });
  await vi.waitFor(() => expect(missing()).toEqual(tokens.map(() => ({ backend: 0, client: 0 }))), {
    interval: 50,
  });
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
  expect(repeats.mostOfOneBot).toBeLessThanOrEqual(allowed);
  // Among nodes, one whose heartbeat was late restarts its bots.
  if (dialect === 'sqlite') expect(repeats.withinOneLife).toBe(0);
  const pulledTwice = tokens.map((token) => {
    const ids = pulled.get(token) as number[];
    return ids.length - new Set(ids).size;
  });
  // A client that keeps its offset gets nothing twice, whatever happened to the relay.
  expect(pulledTwice).toEqual([0, 0, 0, 0]);
  const total = [...dealt.values()].reduce((sum, ids) => sum + ids.length, 0);
  return (
    `${dialect}, seed ${seed}: ${kills} kills, ${total} updates of ${tokens.length} bots, lost 0, ` +
    `delivered twice ${repeats.total} (most after one kill, of one bot: ${repeats.mostOfOneBot} of ${allowed} allowed)\n`
  );
}
