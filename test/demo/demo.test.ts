import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ApiClient } from '../../src/api.ts';
import { createApiClient, overHttp } from '../../src/api-client.ts';
import { customers } from '../../src/demo/fixtures.ts';
import { type Demo, startDemo } from '../../src/demo/demo.ts';
import type { DemoSetup } from '../../src/demo/setup.ts';
import { patienceMs } from '../support/patience.ts';
import { startRelay, temporaryFolder } from '../support/relay-process.ts';

const adminKey = `brs_${'d'.repeat(40)}`;

/** Where it is about noon. */
function noonZone(): string {
  const behind = new Date().getUTCHours() - 12;
  return `Etc/GMT${behind < 0 ? '' : '+'}${behind}`;
}

const clientOf = (address: string) => createApiClient(adminKey, overHttp(address));

const beginning = 80;

/** The first messages that the community bot received: only people cause them. */
async function beginningOf(api: ApiClient): Promise<unknown[]> {
  const bots = await api.get('/api/bots');
  const bot_id = bots.find((bot) => bot.name === 'Community host')?.id;
  const log = await api.get('/api/updates/log', {
    bot_id: bot_id as number,
    after: 0,
    limit: beginning,
  });
  return log
    .map(
      ({ raw }) => (JSON.parse(raw) as { message?: { text?: string; caption?: string } }).message,
    )
    .map((message) => message?.text ?? message?.caption);
}

describe('the demo', () => {
  const folder = temporaryFolder();
  // The story depends on the local day, so no midnight may come between two tellings.
  const zone = noonZone();
  let demo: Demo;
  let stage: DemoSetup;
  let api: ApiClient;

  async function start(): Promise<void> {
    demo = await startDemo({
      settings: { port: 0, logLevel: 'silent', adminKey },
      dataDir: folder.path,
      pauseMs: 200,
      giveUpAfterMs: 1_000,
    });
    stage = await demo.filled;
    api = clientOf(demo.service.address);
  }
  beforeAll(() => {
    vi.stubEnv('TZ', zone);
    return start();
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await demo.close();
    folder.remove();
  });

  const eventually = (check: () => Promise<void>) => vi.waitFor(check, { interval: 100 });
  const messagesOf = (role: keyof DemoSetup['bots'], chat_id: number) =>
    api.get('/api/messages', { bot_id: stage.bots[role].id, chat_id, limit: 200 });

  it('has bots with descriptions in every state', async () => {
    const bots = await api.get('/api/bots');
    const named = (name: string) => bots.find((bot) => bot.name === name);
    for (const name of ['Reception', 'Billing', 'Tech support']) {
      expect(named(name)).toMatchObject({ running: true, description: expect.stringMatching(/./) });
    }
    expect(named('Old hotline')).toMatchObject({ running: false, disabled: true });
    await eventually(async () => {
      const now = await api.get('/api/bots');
      expect(now.find((bot) => bot.name === 'Community host')?.backend_status).toMatch(
        /failing|paused/,
      );
    });
  });

  it('has groups full of talk in several scripts, with media, replies and events', async () => {
    const street = await messagesOf('community', stage.chats.street);
    expect(street.length).toBeGreaterThan(25);
    const everything = street.map((message) => message.text).join('\n');
    for (const script of ['Latin', 'Cyrillic', 'Han', 'Arabic', 'Devanagari']) {
      expect(everything).toMatch(new RegExp(`\\p{Script=${script}}`, 'u'));
    }
    expect(street.some((message) => message.reply_to_message_id)).toBe(true);
    const photos = await messagesOf('community', stage.chats.photos);
    expect(photos.some((message) => message.media_type === 'photo')).toBe(true);
    for (const kind of ['edited_message', 'my_chat_member', 'poll_answer']) {
      const query = { bot_id: stage.bots.community.id, kind };
      expect(await api.get('/api/updates/log', query), kind).not.toHaveLength(0);
    }
  });

  it('has a forum with topics in which people talk', async () => {
    const messages = await messagesOf('tech', stage.chats.forum);
    for (const [name, id] of stage.topics) {
      const there = messages.filter((message) => message.message_thread_id === id);
      expect(there.length, name).toBeGreaterThan(name === 'General' ? -1 : 5);
    }
    expect([...stage.topics.keys()]).toEqual(['General', 'Outages', 'Router tips', 'Ideas']);
  });

  it('carries questions to the teams, and answers and thanks back', async () => {
    const outcomes = async (role: keyof DemoSetup['bots']) =>
      (
        await api.get('/api/routes/decisions', {
          bot_id: stage.bots[role].id,
          limit: 200,
        })
      ).map((decision) => `${decision.outcome} ${decision.model?.by ?? 'by rule'}`);
    await eventually(async () => {
      expect(await outcomes('front')).toEqual(
        expect.arrayContaining([
          'routed offline',
          'routed by rule',
          'dropped by rule',
          'none offline',
          'returned by rule',
        ]),
      );
      expect(await outcomes('billing')).toContain('returned by rule');
      expect(await outcomes('tech')).toContain('returned by rule');
    });
    const graph = await api.get('/api/routes/graph');
    expect(graph.routes).toHaveLength(7);
    expect(graph.problems).toMatchObject([{ kind: 'unreachable' }]);
  });

  it('has an echo backend whose buttons are pressed', async () => {
    await eventually(async () => {
      const chats = [...stage.people.values()].map((id) => messagesOf('front', id));
      const messages = (await Promise.all(chats)).flat();
      expect(messages.some((message) => message.text.startsWith('Thank you, '))).toBe(true);
      expect(messages.some((message) => message.media_type === 'callback')).toBe(true);
    });
  });

  it('has deliveries that succeeded, failed, wait, or are dead letters', async () => {
    await eventually(async () => {
      for (const status of ['delivered', 'failed'] as const) {
        expect(await api.get('/api/deliveries', { status })).not.toHaveLength(0);
      }
      const dead = { bot_id: stage.bots.billing.id };
      expect(await api.get('/api/deliveries/dead', dead)).not.toHaveLength(0);
      const queues = await api.get('/api/deliveries/queues', {
        bot_id: stage.bots.community.id,
      });
      expect(queues.pending_updates).toBeGreaterThan(10);
    });
  });

  it('has tags, keys, faults and a reader', async () => {
    const tags = await api.get('/api/tags', { chat_id: stage.chats.street });
    expect(tags).toHaveLength(3);
    const keys = await api.get('/api/auth/api-keys');
    expect(keys.map((key) => key.name)).toContain('billing backend');
    expect(await api.get('/api/sandbox/faults/list')).toHaveLength(2);
    const queues = await api.get('/api/deliveries/queues', {
      bot_id: stage.bots.tech.id,
    });
    expect(JSON.stringify(queues.readers)).toContain('ticket-board');
  });

  it('has people with notes and warnings, statistics and an audit log', async () => {
    const bot_id = stage.bots.community.id;
    const chat_id = stage.chats.street;
    const user_id = stage.people.get('haruki_s') as number;
    const profile = await api.get('/api/users/profile', { bot_id, chat_id, user_id });
    expect(profile).toMatchObject({ warnings: [{ active: true }, { active: true }] });
    const anna = { bot_id: stage.bots.front.id, user_id: stage.people.get('anna_lind') as number };
    expect(await api.get('/api/users/profile', anna)).toMatchObject({ notes: [{}] });
    const chats = await api.get('/api/chats', { bot_id });
    expect(chats.map((chat) => chat.title)).toContain('Harbour Street');
    await eventually(async () => {
      const stats = await api.get('/api/stats', { bot_id });
      expect(stats.top_people.length).toBeGreaterThan(5);
    });
    const log = await api.get('/api/adminlog', { limit: 200 });
    expect(log.length).toBeGreaterThan(20);
  });

  it('has a past of weeks, awake by day and asleep by night', async () => {
    const bot_id = stage.bots.community.id;
    const stats = await api.get('/api/stats', { bot_id });
    // Every day has its talk, so that today is one like the others; the first and last are not whole.
    const whole = stats.by_day.slice(2, -2);
    expect(whole.length).toBeGreaterThan(14);
    expect(Math.min(...whole.map(({ received }) => received))).toBeGreaterThan(30);
    // Today's events depend on the hour at which this runs.
    const dayAgo = Date.now() - 86_400_000;
    const at = stats.by_hour
      .map(({ hour, received }) => ({ date: new Date(hour), received }))
      .filter(({ date }) => date.getTime() < dayAgo);
    const sum = (from: number, to: number) =>
      at.reduce(
        (total, { date, received }) =>
          total + (date.getHours() >= from && date.getHours() < to ? received : 0),
        0,
      );
    expect(sum(17, 23)).toBeGreaterThan(3 * sum(1, 6));
    const front = await api.get('/api/stats', { bot_id: stage.bots.front.id });
    expect(front.responses.answers).toBeGreaterThan(12);
    expect(front.responses.median_seconds).toBeLessThan(120);
    const { ahead_seconds } = await api.get('/api/sandbox/time');
    expect(ahead_seconds).toBe(0);
  });

  it('has weeks of messages, and teams that talk', async () => {
    for (const role of ['front', 'billing', 'tech'] as const) {
      const { id } = stage.bots[role];
      const stats = await api.get('/api/stats', { bot_id: id });
      expect(stats.by_day.length, role).toBeGreaterThan(14);
      expect(stats.messages.received, role).toBeGreaterThan(70);
      // Backends answered them, at that time.
      const answered = stats.by_day.slice(0, -2).reduce((sum, { sent }) => sum + sent, 0);
      expect(answered, role).toBeGreaterThan(role === 'front' ? 50 : 30);
      expect(stats.active_users, role).toBeGreaterThan(12);
    }
    const team = await messagesOf('tech', stage.chats.techTeam);
    expect(team.length).toBeGreaterThan(100);
    const [customer] = customers;
    const chat = await messagesOf('front', stage.people.get(customer?.username ?? '') ?? 0);
    expect(chat.length).toBeGreaterThan(2);
  });

  it('tells who came and what was pinned', async () => {
    const street = await messagesOf('community', stage.chats.street);
    const events = street.flatMap((message) => (message.content ? [message.content] : []));
    expect(events).toContainEqual({ type: 'new_chat_members', names: ['Lucky Star'] });
    expect(events.map((event) => event.type)).toContain('pinned_message');
    const target = { bot_id: stage.bots.community.id, chat_id: stage.chats.street };
    expect(await api.get('/api/messages/pinned', target)).toMatchObject([
      { content: { type: 'poll' } },
    ]);
  });

  it('lets its watcher in', async () => {
    const response = await fetch(`${demo.service.address}/api/auth/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(demo.signIn),
    });
    expect(response.status).toBe(200);
  });

  it('goes on by itself', async () => {
    const newest = async () =>
      (await api.get('/api/updates/log', { bot_id: 4, limit: 1 }))[0]?.position;
    const before = await newest();
    await eventually(async () => expect(await newest()).toBeGreaterThan(before ?? 0));
  });

  it('tells the same story as a command, stops at Ctrl-C while it does and leaves nothing behind', async () => {
    const temporary = temporaryFolder();
    onTestFinished(temporary.remove);
    const running = await startRelay(
      { TMPDIR: temporary.path, RELAY_ADMIN_KEY: adminKey, TZ: zone },
      { args: ['demo', '--still'] },
    );
    // Also when something below fails.
    onTestFinished(async () => void (await running.stop('SIGKILL')));
    const story = await beginningOf(api);
    expect(story).toHaveLength(beginning);
    const told = clientOf(running.address);
    await vi.waitFor(async () => expect(await beginningOf(told)).toEqual(story), {
      timeout: 2 * patienceMs,
      interval: 100,
    });
    expect(running.stdout()).toMatch(
      /^Bot Relay .* demo is ready at http:\S+\n {2}Sign in +http:\S+ as "demo", password \S{12}\nAll data /,
    );
    const { code, stderr } = await running.stop('SIGINT');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(readdirSync(temporary.path)).toEqual([]);
  });

  it('makes its own admin key where none is given, and no set-up link', async () => {
    const other = await startDemo({ settings: { port: 0, logLevel: 'silent' }, pauseMs: 0 });
    other.filled.catch(() => {});
    const headers = { authorization: `Bearer ${other.service.firstKey}` };
    const keys = await fetch(`${other.service.address}/api/auth/api-keys`, { headers });
    await other.close();
    expect(keys.status).toBe(200);
    expect(demo.service.firstKey).toBe('');
  });

  it('goes on with a kept world', async () => {
    const { signIn } = demo;
    const { bots, chats } = stage;
    await demo.close();
    await start();
    expect(demo.signIn).toEqual(signIn);
    expect(stage).toMatchObject({ bots, chats });
    expect(await api.get('/api/bots')).toHaveLength(5);
  });
});
