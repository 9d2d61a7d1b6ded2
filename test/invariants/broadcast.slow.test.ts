import { execFileSync } from 'node:child_process';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSandbox, runAction } from '../../sandbox/src/index.ts';
import type { DialectName } from '../../src/store/engine.ts';
import { createDatabase, dialects } from '../support/database/engines.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { addBot } from './support/stage.ts';

/** At 25 a second; the issue of broadcasts asks for 10,000. */
const recipients = Number(process.env['BROADCAST_RECIPIENTS'] ?? 500);
const kills = 3;
/** A kill leaves at most as many sends in flight. */
const atOnce = 10;
const blockedEvery = 50;
const mostGrowthMb = 100;

interface Broadcast {
  id: number;
  state: string;
  recipients: number;
  counts: Record<'queued' | 'sent' | 'blocked' | 'unknown', number>;
}

/** A bot of a sandbox that limits it as Telegram does, with people who have written to it. */
async function createWorld() {
  const sandbox = createSandbox({ seed: 1 });
  onTestFinished(() => sandbox.close());
  const bot = sandbox.createBot({ first_name: 'Herald' });
  const people: number[] = [];
  for (let n = 0; n < recipients; n++) {
    const { id } = sandbox.createUser({ first_name: `Person ${n}` });
    sandbox.say(id, bot.id, '/start');
    people.push(id);
  }
  const news = new Map<number, number>();
  sandbox.onChange((change) => {
    if (change.type !== 'message_added' || change.message.text !== 'news') return;
    // The key of a private chat begins with the person.
    const chat = Number.parseInt(change.roomKey, 10);
    news.set(chat, (news.get(chat) ?? 0) + 1);
  });
  runAction(sandbox, 'flood-limits', { on: true });
  return { sandbox, bot, people, news, url: (await sandbox.listen()).url };
}

async function createNodes(dialect: DialectName, url: string) {
  const database = await createDatabase(dialect);
  onTestFinished(() => database.drop());
  const other = temporaryFolder();
  onTestFinished(() => other.remove());
  const settings = [database.settings];
  if (dialect === 'postgres') settings.push({ ...database.settings, RELAY_DATA_DIR: other.path });
  const run = (one: (typeof settings)[number]) =>
    startServiceProcess({ settings: one }, { TELEGRAM_API_URL: url });
  const nodes: (ServiceProcess | undefined)[] = await Promise.all(settings.map(run));
  let restarted: Promise<void> = Promise.resolve();
  return {
    /** Those that are not being restarted. */
    living: () => nodes.filter((node) => node !== undefined),
    first: () => nodes.find((node) => node !== undefined) as ServiceProcess,
    /** With two nodes, each is killed in turn, so the bot moves to the other. */
    async kill(count: number) {
      await restarted;
      const index = count % nodes.length;
      const killed = nodes[index];
      nodes[index] = undefined;
      await killed?.crash();
      restarted = run(settings[index] as (typeof settings)[number]).then((node) => {
        nodes[index] = node;
      });
      if (nodes.length === 1) await restarted;
    },
    whole: () => restarted,
  };
}

const memoryMb = ({ pid }: ServiceProcess) =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024;

describe.each(dialects)('a broadcast on %s', { timeout: 240_000 + recipients * 150 }, (dialect) => {
  it(`reaches ${recipients} chats once each over ${kills} kills, within the limits, after ordinary sends`, async () => {
    const { sandbox, bot: practice, people, news, url } = await createWorld();
    const { living, first, kill, whole } = await createNodes(dialect, url);
    const bot = await addBot(first(), { token: practice.token });
    const counted = () =>
      first().call<{ recipients: number }>('/api/broadcasts/count', { bot_id: bot.id });
    await vi.waitFor(async () => expect((await counted()).recipients).toBe(recipients), {
      timeout: 60_000 + recipients * 10,
      interval: 500,
    });
    const message = { bot_id: bot.id, name: 'News', text: 'news' };
    const { id } = await first().call<Broadcast>('/api/broadcasts/add', message);
    await first().call('/api/broadcasts/start', { id, recipients });
    const read = async () => (await first().call<Broadcast[]>('/api/broadcasts'))[0] as Broadcast;
    // Who blocks the bot before all recipients are listed is none of them.
    await vi.waitFor(
      async () => {
        const { counts } = await read();
        expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(recipients);
      },
      { timeout: 60_000 },
    );
    for (let n = 0; n < recipients; n += blockedEvery) {
      sandbox.blockBot(people[n] as number, practice.id);
    }

    const waits: number[] = [];
    /** To those who get the broadcast last: Telegram takes one message a second in a chat. */
    const ordinary = async () => {
      const before = performance.now();
      const chat_id = people.at(-1 - (waits.length % 8));
      await first().call('/api/messages/send', { bot_id: bot.id, chat_id, text: 'ordinary' });
      waits.push(performance.now() - before);
      await new Promise((resolve) => setTimeout(resolve, 250));
    };
    const startedAt = performance.now();
    for (let count = 1; count <= kills; count++) {
      while (news.size < (count * recipients) / (kills + 2)) await ordinary();
      await kill(count);
    }
    await whole();
    const memory: number[] = [];
    do {
      await ordinary();
      memory.push(Math.max(...living().map(memoryMb)));
    } while (news.size < recipients * 0.9);
    await vi.waitFor(async () => expect((await read()).state).toBe('done'), {
      timeout: recipients * 100 + 60_000,
      interval: 500,
    });
    const seconds = (performance.now() - startedAt) / 1_000;

    const listed = async (state: string) => {
      const query = `id=${id}&state=${state}&limit=500`;
      const path = `/api/broadcasts/results?${query}`;
      const rows = await first().call<{ chat_id: number; error: string }[]>(path);
      return new Map(rows.map(({ chat_id, error }) => [chat_id, error]));
    };
    const { counts } = await read();
    expect([...news].filter(([, times]) => times > 1)).toEqual([]);
    const others = ['failed', 'gone', 'opted_out', 'queued'] as const;
    for (const state of others) expect([state, [...(await listed(state))]]).toEqual([state, []]);
    expect(counts.sent + counts.blocked + counts.unknown).toBe(recipients);
    expect(counts.unknown).toBeLessThanOrEqual(kills * atOnce);
    const [unknown, blocked] = [await listed('unknown'), await listed('blocked')];
    expect(unknown.size).toBe(counts.unknown);
    const missed = people.filter(
      (chat) => !news.has(chat) && !unknown.has(chat) && !blocked.has(chat),
    );
    expect(missed).toEqual([]);
    // A machine that does much else holds up some.
    const [longest = 0] = waits.toSorted((a, b) => b - a).slice(Math.floor(waits.length / 20));
    expect(longest).toBeLessThan(1_000);
    const growth = Math.max(...memory) - (memory[0] as number);
    expect(growth).toBeLessThan(mostGrowthMb);
    process.stdout.write(
      `${dialect}: ${counts.sent} sent, ${counts.blocked} blocked, ${counts.unknown} unknown in ${Math.round(seconds)} s; ordinary sends waited ${Math.round(Math.max(...waits))} ms at most (${waits.length} sends); memory from ${Math.round(memory[0] as number)} to at most ${Math.round(Math.max(...memory))} MB\n`,
    );
  });
});
