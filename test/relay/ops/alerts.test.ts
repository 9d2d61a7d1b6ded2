import { reason } from '../../../src/core/reasons/reason.ts';
import { packReason } from '../../../src/core/reasons/stored.ts';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Caller, localCaller } from '../../../src/core/access/access.ts';
import type { BotStatus } from '../../../src/core/ports.ts';
import { createVault } from '../../../src/core/access/vault.ts';
import { createLiveMetrics } from '../../../src/core/stats/live-metrics.ts';
import { createAlerts } from '../../../src/relay/ops/alerts.ts';
import { noteBackendHealth } from '../../../src/store/delivery/backend-health.ts';
import { createBotRuntimeRepository } from '../../../src/store/cluster/bot-runtime.ts';
import { type Engine, raw } from '../../../src/store/engine.ts';
import { failureState } from '../../../src/store/log/reader-failure.ts';
import { createStore, type Store } from '../../../src/store/store.ts';
import { createAlertRepository } from '../../../src/store/ops/alerts.ts';
import { createDatabase, type Database, dialects } from '../../support/database/engines.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';

describe.each(dialects)('what needs attention (%s)', (dialect) => {
  let database: Database;
  let engine: Engine;
  let store: Store;
  let clock: ManualClock;
  let statuses: Map<number, Partial<BotStatus>>;
  let look: (caller?: Caller) => ReturnType<ReturnType<typeof createAlerts>>;
  beforeEach(async () => {
    database = await createDatabase(dialect);
    engine = await database.open();
    const vault = createVault([randomBytes(32).toString('hex')]);
    store = createStore(engine, vault);
    clock = createManualClock();
    statuses = new Map();
    const alerts = createAlerts({
      clock,
      bots: store.bots,
      runtime: createBotRuntimeRepository(engine, vault),
      statusOf: async (ids) => new Map(ids.map((id) => [id, { ...well, ...statuses.get(id) }])),
      repository: createAlertRepository(engine),
      liveMetrics: createLiveMetrics({ now: () => clock.now(), singleNode: true }),
    });
    look = (caller = localCaller) => alerts(caller);
  });
  afterEach(async () => {
    await engine.close();
    await database.drop();
  });

  let platformId = 100;
  const addBot = async (settings: Record<string, unknown> = {}) => {
    platformId += 1;
    const token = `${platformId}:a-token-of-a-test`;
    const bot = { token, name: 'a bot', source: 'web', platform_id: platformId, ...settings };
    return (await store.bots.insert(bot as never, clock.now())).id;
  };
  const run = (sql: string, parameters: unknown[] = []) => engine.write(() => raw(sql, parameters));
  const forwarding = { proxy_enabled: true, backend_url: 'http://127.0.0.1:9/updates' };

  async function log(botId: number, positions: number): Promise<void> {
    await run(
      'insert into log_heads (bot_id, last_position, trimmed_to, bytes) values ($1, $2, 0, 0)',
      [botId, positions],
    );
    for (let position = 1; position <= positions; position++) {
      await run(
        `insert into log (bot_id, position, update_id, kind, queue, received_at, raw)
         values ($1, $2, $2, 'message', 'c1', $3, '{}')`,
        [botId, position, clock.now()],
      );
    }
  }

  const reader = (botId: number, name: string, position: number, dropped = 0) =>
    run(
      `insert into readers (bot_id, name, position, created_at, updated_at, dropped)
       values ($1, $2, $3, $4, $4, $5)
       on conflict (bot_id, name) do update set position = excluded.position,
         created_at = excluded.created_at, updated_at = excluded.updated_at,
         dropped = excluded.dropped`,
      [botId, name, position, clock.now(), dropped],
    );

  const moved = (botId: number, name: string) =>
    run('update readers set updated_at = $1 where bot_id = $2 and name = $3', [
      clock.now(),
      botId,
      name,
    ]);

  const addRoute = (source_bot_id: number, target_bot_id: number, more: object = {}) =>
    store.routes.insert(
      {
        source_bot_id,
        target_bot_id,
        condition_type: 'all',
        condition_value: '',
        action: 'forward',
        target_chat_id: 0,
        enabled: true,
        description: '',
        priority: 0,
        source_chat_id: 0,
        ...more,
      } as never,
      clock.now(),
    );

  it('names bots whose secret is short enough to guess', async () => {
    const short = await addBot({ secret_token: 'fifteen-letters' });
    await addBot({ secret_token: 'sixteen-letters-' });
    await addBot({ secret_token: '' });
    const off = await addBot({ secret_token: 'x' });
    await store.bots.toggle(off, clock.now());
    expect((await look()).map(({ botId, kind, text }) => [kind, botId, text])).toEqual([
      ['weak_secret', short, ''],
      ['bot_disabled', off, ''],
    ]);
  });

  it('is nothing while all is well', async () => {
    const bot = await addBot(forwarding);
    await log(bot, 3);
    await reader(bot, 'push', 3);
    expect(await look()).toEqual([]);
  });

  it('names a backend that is down with what waits, once', async () => {
    const bot = await addBot(forwarding);
    await log(bot, 331);
    await reader(bot, 'push', 0);
    statuses.set(bot, { backendStatus: 'paused', pendingUpdates: 331 });
    await clock.advance(120_000);
    expect(await look()).toMatchObject([
      { kind: 'backend_down', botId: bot, count: 331, text: forwarding.backend_url },
    ]);
  });

  it('names a backend that a check did not reach, while nothing waits', async () => {
    const bot = await addBot(forwarding);
    const reason = 'connection refused';
    const seenAt = clock.now() - 6_000;
    statuses.set(bot, {
      backendStatus: 'failing',
      backendError: reason,
      backendSeenAt: seenAt,
    });
    const text = forwarding.backend_url;
    expect(await look()).toEqual([
      { kind: 'backend_down', botId: bot, count: 0, since: 0, text, reason, seenAt },
    ]);
  });

  describe('of a backend whose deliveries fail', () => {
    let bot: number;
    beforeEach(async () => {
      bot = await addBot(forwarding);
      statuses.set(bot, { backendStatus: 'failing', pendingUpdates: 2 });
    });

    async function attempt(status: number, queue = 'c1'): Promise<void> {
      const error = packReason(
        status > 0
          ? reason('backend_answered', { status })
          : reason('connection_refused', { address: '127.0.0.1:9' }),
      );
      await clock.advance(1_000);
      await run(
        `insert into delivery_attempts (bot_id, position, update_id, queue, started_at, duration_ms,
           status, error, answer) values ($1, 1, 1, $2, $3, 5, $4, $5, '')`,
        [bot, queue, clock.now() - 5, status, error],
      );
      if (status === 200) return;
      await run(
        `insert into retry_queues (bot_id, queue, attempts, first_failed_at, next_attempt_at, last_error)
         values ($1, $2, 1, $3, $3, $4)
         on conflict (bot_id, reader, queue) do update set attempts = retry_queues.attempts + 1,
           last_error = excluded.last_error`,
        [bot, queue, clock.now(), error],
      );
    }
    async function check(error: string): Promise<void> {
      await clock.advance(1_000);
      await engine.write(() => noteBackendHealth(bot, 'push', error, clock.now()));
      statuses.set(bot, { ...statuses.get(bot), backendError: error });
    }
    const kinds = async () => (await look()).map(({ kind }) => kind);

    it('says that it does not answer, although nobody checked it', async () => {
      await attempt(200);
      await attempt(0);
      expect(await look()).toMatchObject([
        { kind: 'backend_down', count: 2, text: forwarding.backend_url },
      ]);
    });

    it('says that it refuses some chats while it answers others', async () => {
      await attempt(500);
      statuses.set(bot, { ...statuses.get(bot), backendError: 'answered 500', backendSeenAt: 7 });
      expect(await look()).toMatchObject([
        { kind: 'chats_parked', count: 1, reason: 'answered 500', seenAt: 7 },
      ]);
      statuses.set(bot, { backendStatus: 'failing', pendingUpdates: 2 });
      await attempt(0, 'c2');
      expect(await kinds()).toEqual(['chats_parked']);
      await attempt(0);
      expect(await kinds()).toEqual(['backend_down']);
      await attempt(200, 'c3');
      expect(await kinds()).toEqual(['chats_parked']);
    });

    it('goes by what was seen last: a delivery or a check', async () => {
      await check('connection refused');
      await attempt(500);
      expect(await kinds()).toEqual(['chats_parked']);
      await check('connection refused');
      expect(await kinds()).toEqual(['backend_down']);
      await check('');
      expect(await kinds()).toEqual(['chats_parked']);
      await attempt(0);
      expect(await kinds()).toEqual(['backend_down']);
    });
  });

  it('tells a backlog that grew old from one that is just being worked off', async () => {
    const bot = await addBot(forwarding);
    await log(bot, 2);
    await reader(bot, 'push', 1);
    statuses.set(bot, { pendingUpdates: 1 });
    expect(await look()).toEqual([]);
    await clock.advance(61_000);
    expect(await look()).toMatchObject([{ kind: 'backlog', count: 1 }]);
  });

  it('tells of a program that no longer comes for its updates', async () => {
    const bot = await addBot({ long_poll_enabled: true });
    await log(bot, 5);
    await reader(bot, 'pull:', 2);
    await reader(bot, 'pull:audit', 5);
    await reader(bot, 'routing', 0);
    await clock.advance(1_000);
    await moved(bot, 'pull:');
    await clock.advance(5 * 60_000);
    expect(await look()).toEqual([]);
    await clock.advance(6 * 60_000);
    expect(await look()).toMatchObject([{ kind: 'reader_behind', reader: 'pull', count: 3 }]);
  });

  it('tells what keeps a reader from moving on', async () => {
    const bot = await addBot();
    await log(bot, 5);
    await reader(bot, 'export:cold', 2);
    expect(await look()).toEqual([]);
    const fail = (state: string) => run('update readers set state = $1', [state]);
    await fail(failureState('ENOSPC'));
    const since = clock.now();
    expect(await look()).toEqual([
      {
        kind: 'reader_failing',
        botId: bot,
        count: 3,
        since,
        text: 'ENOSPC',
        reader: 'export:cold',
      },
    ]);
    await fail('');
    expect(await look()).toEqual([]);
  });

  it('misses nobody without a name where all programs come by name', async () => {
    const bot = await addBot({ long_poll_enabled: true });
    await log(bot, 5);
    await reader(bot, 'pull:', 0, 2);
    const asked = [
      { kind: 'reader_behind', reader: 'pull', count: 5 },
      { kind: 'updates_dropped', reader: 'pull', count: 2 },
    ];
    const found = async () =>
      (await look()).toSorted((left, right) => left.kind.localeCompare(right.kind));
    await clock.advance(11 * 60_000);
    expect(await found()).toMatchObject(asked);
    await reader(bot, 'pull:audit', 5);
    expect(await look()).toEqual([]);
    // Somebody was given updates, and did not come back to confirm them.
    const state = { shown: { position: 1, updateId: 1 }, wishes: [] };
    const setState = 'update readers set state = $1 where bot_id = $2 and name = $3';
    await run(setState, [JSON.stringify(state), bot, 'pull:']);
    expect(await found()).toMatchObject(asked);
    await run(setState, ['', bot, 'pull:']);
    await moved(bot, 'pull:');
    await clock.advance(11 * 60_000);
    expect(await found()).toMatchObject(asked);
  });

  it('tells of a route whose messages are refused, until one passes or it is changed', async () => {
    const [source, target] = [await addBot(), await addBot()];
    const route = await addRoute(source, target);
    const send = (routeId: number | undefined, state: string, kind = 'carry') =>
      run(
        `insert into outbox (bot_id, chat_id, method, params, origin, priority, state, error, context,
           created_at, updated_at)
         values ($1, 5, 'sendMessage', '{}', 'routed', 0, $2, 'chat not found', $3, $4, $4)`,
        [
          target,
          state,
          routeId === undefined ? '' : JSON.stringify({ kind, routeId }),
          clock.now(),
        ],
      );
    const failing = async () => (await look()).filter(({ kind }) => kind === 'route_failing');
    await clock.advance(1_000);
    // A way back has no route; a change of what was never carried says nothing; others wait.
    await send(0, 'failed');
    await send(undefined, 'failed');
    await send(route?.id, 'failed', 'edit');
    await send(route?.id, 'pending');
    expect(await failing()).toEqual([]);
    const since = clock.now();
    await send(route?.id, 'failed');
    await clock.advance(1_000);
    await send(route?.id, 'failed');
    const found = {
      kind: 'route_failing',
      botId: source,
      targetBotId: target,
      routeId: route?.id,
      count: 2,
      since,
      text: 'chat not found',
    };
    expect(await failing()).toEqual([found]);
    await clock.advance(1_000);
    await run(
      `insert into message_pairs (bot_id, chat_id, message_id, peer_bot_id, peer_chat_id,
         peer_message_id, route_id, style, hops, created_at)
       values ($1, 5, 1, $2, 6, 2, $3, 'copy', 1, $4)`,
      [source, target, route?.id, clock.now()],
    );
    expect(await failing()).toEqual([]);
    await clock.advance(1_000);
    await send(route?.id, 'failed');
    expect(await failing()).toEqual([{ ...found, count: 3 }]);
    // A stopped bot is the cause then.
    await store.bots.update(target, { disabled: true }, clock.now());
    expect((await look()).map(({ kind }) => kind)).toEqual(['bot_disabled']);
    await store.bots.update(target, { disabled: false }, clock.now());
    await clock.advance(1_000);
    await run('update routes set updated_at = $1', [clock.now()]);
    expect(await failing()).toEqual([]);
  });

  it('puts the most urgent first, and shows a key only its own', async () => {
    const [refused, conflict, forwards, off] = [
      await addBot(),
      await addBot(),
      await addBot(forwarding),
      await addBot({ disabled: true }),
    ];
    const now = clock.now();
    await run(
      `insert into bot_runtime (bot_id, state, last_error, last_error_at, previous_webhook)
       values ($1, 'refused', 'The platform refuses this token', $2, 'sealed')`,
      [refused, now],
    );
    statuses.set(refused, { running: false, lastError: 'The platform refuses this token' });
    statuses.set(conflict, {
      running: false,
      lastError: 'Another program polls this bot',
      lastErrorDetail: reason('intake_poll_conflict', { description: 'Conflict' }),
    });
    await reader(forwards, 'push', 0, 7);
    await run(
      `insert into retry_queues (bot_id, queue, attempts, first_failed_at, next_attempt_at, last_error)
       values ($1, 'c1', 2, $2, $2, $3)`,
      [forwards, now, packReason(reason('backend_answered', { status: 500 }))],
    );
    for (const replayedAt of [0, 0, now]) {
      await run(
        `insert into dead_letters (bot_id, position, update_id, kind, queue, raw, reason, attempts,
           received_at, died_at, replayed_at)
         values ($1, 1, 1, 'message', 'c1', '{}', 'no', 3, $2, $2, $3)`,
        [forwards, now, replayedAt],
      );
    }
    await run(
      `insert into outbox (bot_id, chat_id, method, params, origin, priority, state, created_at, updated_at)
       values ($1, 5, 'sendMessage', '{}', 'sent', 0, 'unknown', $2, $2)`,
      [forwards, now],
    );
    const route = await addRoute(forwards, off);
    await addRoute(off, forwards);
    await addRoute(off, off, { action: 'drop' });
    // These do what they did.
    await addRoute(forwards, off, { enabled: false });
    await addRoute(forwards, off, { action: 'drop' });
    const found = await look();
    expect(found.map(({ botId, kind }) => [kind, botId])).toEqual([
      ['bot_refused', refused],
      ['bot_conflict', conflict],
      ['chats_parked', forwards],
      ['dead_letters', forwards],
      ['unknown_sends', forwards],
      ['updates_dropped', forwards],
      ['webhook_moved', refused],
      ['bot_disabled', off],
    ]);
    expect(found.find(({ kind }) => kind === 'dead_letters')?.count).toBe(2);
    expect(found.find(({ kind }) => kind === 'updates_dropped')).toMatchObject({
      count: 7,
      reader: 'push',
    });
    // Named by its cause; only who may not see that is told of the route itself.
    expect(found.find(({ kind }) => kind === 'bot_disabled')?.count).toBe(3);
    const alone = await look({ ...localCaller, scope: 'read', botIds: [off] });
    expect(alone).toMatchObject([{ kind: 'bot_disabled', count: 2 }]);
    const withoutCause = await look({ ...localCaller, scope: 'read', botIds: [forwards] });
    expect(withoutCause.find(({ kind }) => kind === 'route_to_disabled')).toMatchObject({
      routeId: route?.id,
      targetBotId: off,
    });
    const limited = await look({ ...localCaller, scope: 'read', botIds: [conflict] });
    expect(limited.map(({ kind }) => kind)).toEqual(['bot_conflict']);
    await clock.advance(25 * 60 * 60_000);
    expect((await look()).some(({ kind }) => kind === 'unknown_sends')).toBe(false);
  });
});

const well: BotStatus = {
  running: true,
  lastError: '',
  lastErrorDetail: null,
  lastActivity: 0,
  backendStatus: 'ok',
  backendError: '',
  backendErrorDetail: null,
  backendSeenAt: 0,
  pendingUpdates: 0,
};
