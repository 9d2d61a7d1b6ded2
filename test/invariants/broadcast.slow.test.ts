import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { raw } from '../../src/store/engine.ts';
import { type Database, dialects } from '../support/database/engines.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { type PlatformCall, sentMessage } from './support/held-platform.ts';
import { inspect } from './support/reconcile.ts';
import { addBot, createStage } from './support/stage.ts';

const token = '7501:AAbroadcast';
/** At 25 a second. */
const recipients = Number(process.env['BROADCAST_RECIPIENTS'] ?? 500);
const kills = 3;
/** A kill leaves at most as many sends in flight. */
const atOnce = 10;
const blockedEvery = 50;
const platformMostPerSecond = 30;

interface Broadcast {
  id: number;
  state: string;
  recipients: number;
  counts: { queued: number; sent: number; blocked: number; unknown: number };
}

async function addChats(database: Database, botId: number): Promise<void> {
  await inspect(database, (engine) =>
    engine.write(function* () {
      for (let chat = 1; chat <= recipients; chat++) {
        yield* raw(
          `insert into chats (bot_id, chat_id, type, updated_at) values ($1, $2, 'private', 1)`,
          [botId, chat],
        );
      }
    }),
  );
}

describe.each(dialects)('a broadcast on %s', (dialect) => {
  it(`reaches ${recipients} chats once each over ${kills} kills, within the limits, after ordinary sends`, async () => {
    const { database, platform, start } = await createStage(dialect);
    const callsOf = new Map<number, number>();
    const times: number[] = [];
    let mostAtOnce = 0;
    platform.onCall = (call: PlatformCall) => {
      const { chat_id, text } = call.params;
      const chat = Number(chat_id);
      if (!/^sendMessage$/i.test(call.method)) return call.answer(200, { ok: true, result: true });
      if (text === 'ordinary') {
        return call.answer(200, { ok: true, result: sentMessage(1, token, chat_id, text) });
      }
      const now = performance.now();
      times.push(now);
      mostAtOnce = Math.max(mostAtOnce, times.filter((at) => at > now - 1_000).length);
      callsOf.set(chat, (callsOf.get(chat) ?? 0) + 1);
      if (chat % blockedEvery !== 0) {
        return call.answer(200, { ok: true, result: sentMessage(chat, token, chat_id, text) });
      }
      const description = 'Forbidden: bot was blocked by the user';
      return call.answer(403, { ok: false, error_code: 403, description });
    };

    let service = await start();
    const bot = await addBot(service, { token });
    await service.stop();
    await addChats(database, bot.id);
    const other = temporaryFolder();
    onTestFinished(() => other.remove());
    const nodes: Database['settings'][] = [database.settings];
    if (dialect === 'postgres') {
      nodes.push({ ...database.settings, RELAY_DATA_DIR: other.path });
    }
    const run = (settings: Database['settings']) =>
      startServiceProcess({ settings }, { TELEGRAM_API_URL: platform.url });
    const services = await Promise.all(nodes.map(run));
    [service] = services as [ServiceProcess];

    const added = await service.call<Broadcast>('/api/broadcasts/add', {
      bot_id: bot.id,
      name: 'News',
      text: 'news',
    });
    expect(added.recipients).toBe(recipients);
    await service.call('/api/broadcasts/start', { id: added.id, recipients });
    const read = async () => {
      const [one] = await (services[0] as ServiceProcess).call<Broadcast[]>('/api/broadcasts');
      return one as Broadcast;
    };
    const waits: number[] = [];
    const ordinary = async () => {
      const before = performance.now();
      const body = { bot_id: bot.id, chat_id: 1 + (waits.length % recipients), text: 'ordinary' };
      await (services[0] as ServiceProcess).call('/api/messages/send', body);
      waits.push(performance.now() - before);
    };

    for (let kill = 1; kill <= kills; kill++) {
      const reached = (kill * recipients) / (kills + 1);
      while (callsOf.size < reached) {
        await ordinary();
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
      // With two nodes, each of them is killed in turn, so the bot moves.
      const index = kill % services.length;
      await (services[index] as ServiceProcess).crash();
      services[index] = await run(nodes[index] as Database['settings']);
    }
    await vi.waitFor(async () => expect((await read()).state).toBe('done'), {
      timeout: recipients * 100 + 60_000,
      interval: 500,
    });

    const { counts } = await read();
    const tooOften = [...callsOf].filter(([, calls]) => calls > 1);
    expect(tooOften).toEqual([]);
    expect(counts.sent + counts.blocked + counts.unknown).toBe(recipients);
    expect(counts.queued).toBe(0);
    expect(counts.unknown).toBeLessThanOrEqual(kills * atOnce);
    const unknown = await (services[0] as ServiceProcess).call<{ chat_id: number }[]>(
      `/api/broadcasts/results?id=${added.id}&state=unknown`,
    );
    expect(unknown).toHaveLength(counts.unknown);
    const listed = new Set(unknown.map(({ chat_id }) => chat_id));
    for (let chat = 1; chat <= recipients; chat++) {
      expect(callsOf.has(chat) || listed.has(chat), `chat ${chat}`).toBe(true);
    }
    expect(mostAtOnce).toBeLessThanOrEqual(platformMostPerSecond);
    expect(Math.max(...waits)).toBeLessThan(1_000);
    process.stdout.write(
      `${dialect}: ${counts.sent} sent, ${counts.blocked} blocked, ${counts.unknown} unknown; at most ${mostAtOnce} a second; ordinary sends waited ${Math.round(Math.max(...waits))} ms at most (${waits.length} sends)\n`,
    );
  });
});
