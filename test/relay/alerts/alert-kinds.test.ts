import { beforeEach, describe, expect, it } from 'vitest';
import { deskDefaults } from '../../../src/core/desks/desk.ts';
import { localCaller } from '../../../src/core/access/access.ts';
import { everyPrivateChat } from '../../../src/core/messages/broadcast.ts';
import { authorOf } from '../../../src/core/messages/author.ts';
import { newAppToken, defaultAppSettings } from '../../../src/core/apps/app.ts';
import { type AlertKind, alertKindNames, alertText } from '../../../src/core/alerts/alerts.ts';
import type { Question } from '../../../src/core/questions/question.ts';
import { reason, verbatim } from '../../../src/core/reasons/reason.ts';
import { packReason } from '../../../src/core/reasons/stored.ts';
import { createPatternTimes, type PatternOwner } from '../../../src/core/search/pattern-time.ts';
import { createLogger } from '../../../src/logger.ts';
import { FloodWaits } from '../../../src/relay/pacing/flood-waits.ts';
import { recordLongWaits } from '../../../src/relay/pacing/long-waits.ts';
import { tellUndecided } from '../../../src/relay/search/undecided-patterns.ts';
import { createBackground } from '../../../src/relay/async/background.ts';
import { createAlertWatch } from '../../../src/relay/alerts/alert-watch.ts';
import { failureState } from '../../../src/core/log/reader-failure.ts';
import { channelDefaults } from '../../../src/core/alerts/alert-channel.ts';
import { raw, type Step } from '../../../src/store/engine.ts';
import { dialects } from '../../support/database/engines.ts';
import { createTestEvents } from '../../support/rigs/test-events.ts';
import { alertRig, forwarding } from '../../support/rigs/alert-rig.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const secretUrl = 'https://backend.example/secret-path';

type Mend = () => Promise<unknown> | void;

/** What a customer wrote waits in each topic. */
function* holdUpDesks(): Step<void> {
  yield* raw("update desk_topics set problem = 'no rights'");
  yield* raw(
    `insert into desk_items (topic_id, rank, key, call)
     select id, 1, 'item ' || id, '{"isOfCustomer":true}' from desk_topics
     where id not in (select topic_id from desk_items)`,
  );
}

describe.each(dialects)('each kind of alert is opened and resolved once (%s)', (dialect) => {
  const rig = alertRig(dialect);
  const { addBot, addRoute, clock, log, moved, outside, reader, run, statuses, store } = rig;
  let events: string[];
  let look: () => Promise<boolean>;

  beforeEach(() => {
    events = [];
    const watch = createAlertWatch({
      clock: clock(),
      log: store().alertLog,
      conditions: rig.find,
      sender: { round: async () => false },
      lead: undefined,
      node: () => 'n',
      publish: (type, { kind }) => events.push(`${type} ${kind}`),
      onError() {},
    });
    look = watch.look;
  });

  const status = (bot: number, told: object): Mend => {
    statuses().set(bot, told);
    return () => void statuses().delete(bot);
  };
  const send = (bot: number, state: string, origin = 'sent', context = '') =>
    run(
      `insert into outbox (bot_id, chat_id, method, params, origin, priority, state, context,
         error, created_at, updated_at)
       values ($1, 5, 'sendMessage', '{}', $2, 0, $3, $4, 'no', $5, $5)`,
      [bot, origin, state, context, clock().now()],
    );
  /** A topic that is gone since then; 0 for one that is not. */
  const topic = (bot: number, chatId: number, threadId: number, goneAt: number) =>
    run(
      `insert into topics (bot_id, chat_id, thread_id, gone_at, last_message_at)
       values ($1, $2, $3, $4, 0)
       on conflict (bot_id, chat_id, thread_id) do update set gone_at = excluded.gone_at`,
      [bot, chatId, threadId, goneAt],
    );
  const later =
    (ms: number): Mend =>
    () =>
      clock().advance(ms);
  const retrying = (bot: number, why: Parameters<typeof packReason>[0]) =>
    run(
      `insert into retry_queues (bot_id, queue, attempts, first_failed_at, next_attempt_at, last_error)
       values ($1, 'c1', 2, $2, $2, $3)`,
      [bot, clock().now(), packReason(why)],
    );

  /** As a running service notes it when the time of the app's pattern is over. */
  const undecided = async (bot: number, owner?: PatternOwner) => {
    const { live } = createPatternTimes();
    const background = createBackground();
    tellUndecided(live, {
      clock: clock(),
      logger: createLogger({ level: 'silent' }),
      metrics: { patternUndecided() {} },
      conditions: store().alertConditions,
      background,
      signal: new AbortController().signal,
    });
    const [app] = await store().apps.list(bot);
    live.undecided(bot, owner ?? { appId: app?.id ?? 0 });
    await clock().advance(1_000);
    await background.end();
  };

  /** Makes it so that the kind is there; gives the way to make it well. */
  const provoke: Record<Exclude<AlertKind, 'database_unreachable'>, () => Promise<Mend>> = {
    async bot_refused() {
      const bot = await addBot();
      await run(`insert into bot_runtime (bot_id, state) values ($1, 'refused')`, [bot]);
      return status(bot, { running: false, lastError: 'Unauthorized' });
    },
    async bot_conflict() {
      const lastErrorDetail = reason('intake_poll_conflict', { description: 'Conflict' });
      return status(await addBot(), { lastError: 'Another client', lastErrorDetail });
    },
    bot_trouble: async () => status(await addBot(), { lastError: 'network' }),
    async backend_down() {
      const bot = await addBot({ ...forwarding, backend_url: secretUrl });
      return status(bot, { backendStatus: 'paused', backendError: 'connection refused' });
    },
    async chats_in_retry() {
      const bot = await addBot({ ...forwarding, backend_url: secretUrl });
      await retrying(bot, reason('backend_answered', { status: 500 }));
      return () => run('delete from retry_queues');
    },
    async backlog() {
      const bot = await addBot(forwarding);
      await log(bot, 2);
      await reader(bot, 'push', 1);
      statuses().set(bot, { pendingUpdates: 1 });
      await clock().advance(2 * minuteMs);
      return () => reader(bot, 'push', 2);
    },
    async dead_letters() {
      const bot = await addBot();
      await run(
        `insert into dead_letters (bot_id, position, update_id, kind, queue, raw, reason, attempts,
           received_at, died_at) values ($1, 1, 1, 'message', 'c1', '{}', 'no', 3, 1, 1)`,
        [bot],
      );
      return () => run('delete from dead_letters');
    },
    async reader_failing() {
      const bot = await addBot();
      await log(bot, 5);
      await reader(bot, 'export:cold', 2);
      await run('update readers set state = $1', [failureState('ENOSPC')]);
      return () => run(`update readers set state = ''`);
    },
    async polling_stopped() {
      const bot = await addBot({ long_poll_enabled: true });
      await log(bot, 5);
      await reader(bot, 'pull:', 2);
      await clock().advance(1);
      await moved(bot, 'pull:');
      await clock().advance(11 * minuteMs);
      return () => moved(bot, 'pull:');
    },
    async unknown_sends() {
      await send(await addBot(), 'unknown');
      return later(dayMs + minuteMs);
    },
    async updates_dropped() {
      await reader(await addBot(), 'push', 0, 7);
      return later(dayMs + minuteMs);
    },
    async route_failing() {
      const [source, target] = [await addBot(), await addBot()];
      const route = await addRoute(source, target);
      await clock().advance(1_000);
      await send(target, 'failed', 'routed', JSON.stringify({ kind: 'carry', routeId: route?.id }));
      return later(dayMs + minuteMs);
    },
    async route_topic_gone() {
      const [source, target] = [await addBot(), await addBot()];
      const to = { target_chat_id: -5, target_thread_id: 7 };
      const route = await addRoute(source, target, { source_thread_id: 0, ...to });
      await topic(target, -5, 7, clock().now());
      await clock().advance(1_000);
      // The send that showed it is no second alert.
      await send(target, 'failed', 'routed', JSON.stringify({ kind: 'carry', routeId: route?.id }));
      return () => topic(target, -5, 7, 0).then(later(dayMs + minuteMs));
    },
    async route_to_disabled() {
      const [source, target] = [await addBot(), await addBot({ disabled: true })];
      await addRoute(source, target);
      return () => store().bots.toggle(target, clock().now());
    },
    async weak_secret() {
      const bot = await addBot({ secret_token: 'short' });
      return () => store().bots.update(bot, { secret_token: '' }, clock().now());
    },
    async webhook_moved() {
      const bot = await addBot();
      await run(
        `insert into bot_runtime (bot_id, state, previous_webhook) values ($1, 'polling', 'sealed')`,
        [bot],
      );
      return () => run(`update bot_runtime set previous_webhook = ''`);
    },
    async bot_disabled() {
      const bot = await addBot({ disabled: true });
      return () => store().bots.toggle(bot, clock().now());
    },
    async app_not_seen() {
      const bot = await addBot();
      const token = newAppToken('1');
      const settings = { ...defaultAppSettings, mode: 'poll' as const };
      const app = { botId: bot, name: 'shop', token, settings, patch: {} };
      const { id } = await store().apps.insert(app, clock().now());
      const seen = () =>
        store().apps.recordActivity([{ botId: bot, appId: id, at: clock().now(), sent: 0 }]);
      await seen();
      await clock().advance(31 * minuteMs);
      return seen;
    },
    async app_rate_limited() {
      const bot = await addBot();
      const refused = (chatId: number, count: number) =>
        store().apps.recordActivity([
          {
            botId: bot,
            appId: 0,
            at: 0,
            sent: 0,
            rateLimited: { count, at: clock().now(), chatId, retryAfterSeconds: 3 },
          },
        ]);
      // An earlier spell does not count.
      await refused(-5, 4);
      await clock().advance(6 * minuteMs);
      await refused(-7, 3);
      await clock().advance(minuteMs);
      await refused(-7, 2);
      return later(6 * minuteMs);
    },
    async pattern_undecided() {
      const bot = await addBot();
      await undecided(bot);
      return later(6 * minuteMs);
    },
    async reader_lag() {
      const bot = await addBot();
      await log(bot, 102);
      await reader(bot, 'routing', 1);
      return () => reader(bot, 'routing', 2);
    },
    async failed_sends() {
      const bot = await addBot();
      for (let count = 0; count < 5; count++) await send(bot, 'failed');
      return later(61 * minuteMs);
    },
    async broadcast_paused() {
      const bot = await addBot();
      const id = await store().broadcasts.add(
        {
          botId: bot,
          name: 'News',
          message: { request: {}, method: 'sendMessage', params: {} },
          audience: everyPrivateChat,
          options: {
            opt_out_button: '',
            opt_out_word: '',
            opt_out_reply: '',
            stop_at_blocked_percent: 0,
            allow_paid_broadcast: false,
          },
          author: authorOf(localCaller),
          recipients: 0,
        },
        clock().now(),
      );
      await store().broadcasts.run(id, ['draft'], clock().now());
      const why = reason('too_many_blocked', { percent: 10 });
      await store().broadcasts.halt(id, 'paused', clock().now(), why);
      return async () => {
        await store().broadcasts.halt(id, 'canceled', clock().now());
      };
    },
    async question_call_failed() {
      const bot = await addBot();
      const now = clock().now();
      const asked = await store().questions.ask(
        {
          botId: bot,
          chatId: 7,
          threadId: 0,
          text: 'Refund?',
          options: [],
          userIds: [],
          askedBy: authorOf(localCaller),
          nonce: 'n'.repeat(16),
          expiresAt: now + minuteMs,
          callbackUrl: 'https://example.com/answers',
        },
        undefined,
        now,
      );
      const { id } = asked as Question;
      await store().questions.end({ id, state: 'cancelled', nowMs: now });
      const [taken] = await store().questions.takeCalls(now, now + minuteMs, {
        limit: 1,
        ofBot: 1,
        busy: [],
      });
      const error = packReason(verbatim('no'));
      await store().questions.called(taken as Question, { state: 'failed', nextAt: 0, error });
      return later(dayMs + minuteMs);
    },
    async scheduled_held() {
      const bot = await addBot();
      const author = authorOf(localCaller);
      const send = { botId: bot, chatId: 7, origin: 'sent', intentKey: null, author } as const;
      const content = {
        sendAt: clock().now() + minuteMs,
        request: '{}',
        method: 'sendMessage',
        params: {},
        following: [],
        fileIds: [],
      };
      const sends = store().scheduledSends;
      const held = { ...send, priority: 'interactive' } as const;
      const id = await sends.add(held, content, 100, clock().now());
      await clock().advance(dayMs + minuteMs);
      expect((await sends.release(clock().now())).botIds).toEqual([]);
      return async () => {
        expect(await sends.cancel(id ?? 0)).toBe(true);
      };
    },
    async desk_waiting() {
      const bot = await addBot();
      const { desks, engine } = store();
      const desk = { ...deskDefaults, desk_bot_id: bot, chat_id: -1006, bot_ids: [bot] };
      const customer = { botId: bot, chatId: 7, connection: '', fromThreadId: 0, name: 'Anna' };
      await engine.write(function* () {
        const deskId = yield* desks.saveStep(undefined, desk, 1);
        yield* desks.take(deskId, customer, [], 1, () => {});
        yield* holdUpDesks();
      });
      return () => engine.write(() => raw("update desk_topics set problem = ''")).then(() => {});
    },
    async desk_unanswered() {
      const bot = await addBot();
      const { desks, engine } = store();
      const desk = { name: 'Help', desk_bot_id: bot, chat_id: -1007, bot_ids: [bot] };
      const now = clock().now();
      const waitingSince = (at: number) =>
        engine.write(function* () {
          yield* raw(
            `insert into chats (bot_id, chat_id, type, title, updated_at, unanswered_since)
             values ($1, 8, 'private', 'Ben', 1, $2)
             on conflict (bot_id, chat_id) do update set unanswered_since = $2`,
            [bot, at],
          );
        });
      await engine.write(() => desks.saveStep(undefined, desk, 1));
      await waitingSince(now - 31 * minuteMs);
      return () => waitingSince(now);
    },
    async chat_flood_wait() {
      const bot = await addBot();
      const events = createTestEvents(clock());
      const background = createBackground();
      const { alertConditions: conditions } = store();
      const onError = (error: unknown) => expect.unreachable(String(error));
      recordLongWaits({ clock: clock(), events, conditions, background, onError });
      const floodWaits = new FloodWaits(clock().monotonic);
      const wait = (chat: string, seconds: number) => {
        floodWaits.accepted({ botId: bot, chat }, 'edit', { app: 'agent', isPaced: false });
        const refused = floodWaits.refused({ botId: bot, chat }, 'edit', seconds * 1_000);
        events.publish('floodWait', bot, refused);
      };
      wait('-1004', 60);
      wait('-1005', 90);
      await background.end();
      return later(91_000);
    },
    async certificate_expiring() {
      await addBot({ ...forwarding, backend_url: secretUrl });
      outside().certificateEndsAt = clock().now() + 5.9 * dayMs;
      return async () => {
        outside().certificateEndsAt += 90 * dayMs;
        await clock().advance(13 * 60 * minuteMs);
      };
    },
    async disk_low() {
      outside().disk.freeBytes = 4e8;
      return () => void (outside().disk.freeBytes = 5e10);
    },
    async node_lost() {
      await store().leases.enter('n-2', 'i', clock().now());
      outside().dead = ['n-2'];
      return () => void (outside().dead = []);
    },
    async model_budget() {
      outside().isBudgetUsed = true;
      return () => void (outside().isBudgetUsed = false);
    },
    async backup_old() {
      outside().backup = { days: 9 };
      return () => void (outside().backup = undefined);
    },
    async channel_failing() {
      const settings = { ...channelDefaults, url: secretUrl };
      const { id } = await store().alertChannels.add('webhook', settings, '', clock().now());
      const note = (why: string) => store().alertChannels.noteError(id, why, clock().now());
      await note(packReason(reason('backend_answered', { status: 500 })));
      return () => note('');
    },
  };

  const looked = alertKindNames.filter((kind) => kind !== 'database_unreachable');
  it.each(looked)('%s', async (kind) => {
    const mend = await provoke[kind as keyof typeof provoke]();
    await look();
    await look();
    // The disabled bot that a route leads to has an alert as well.
    const others = kind === 'route_to_disabled' ? ['bot_disabled'] : [];
    const all = [...others, kind].toSorted();
    expect(events.toSorted()).toEqual(all.map((one) => `alert.opened ${one}`));
    const open = await store().alertLog.list({ botIds: null, state: 'open', limit: 5 });
    const alert = open.find((one) => one.kind === kind);
    expect(alert).toMatchObject({ kind, resolvedAt: 0 });
    const text = alert ? alertText(alert) : '';
    expect(text).toMatch(/^(a bot: )?[A-Z0-9].+\.$/);
    expect(text).not.toMatch(/undefined|secret-path/);
    expect(JSON.stringify(alert?.params)).not.toContain('secret-path');
    await mend();
    await look();
    await look();
    expect(events.slice(all.length).toSorted()).toEqual(all.map((one) => `alert.resolved ${one}`));
    expect(await store().alertLog.list({ botIds: null, state: 'open', limit: 5 })).toEqual([]);
    const [over] = await store().alertLog.list({ botIds: null, state: 'resolved', limit: 5 });
    const past = over ? alertText(over) : '';
    expect(past).toMatch(/^(a bot: )?[A-Z0-9].+\.$/);
    expect(past).not.toMatch(/undefined| is | are | has | waiting/);
  });

  it('a backend or channel that refuses connections is named once', async () => {
    const bot = await addBot({ ...forwarding, backend_url: secretUrl });
    const { host } = new URL(secretUrl);
    const refused = reason('connection_refused', { address: host });
    const backend = { backendError: 'connection refused', backendErrorDetail: refused };
    statuses().set(bot, { backendStatus: 'paused', pendingUpdates: 1, ...backend });
    const settings = { ...channelDefaults, url: secretUrl };
    const { id } = await store().alertChannels.add('webhook', settings, '', clock().now());
    await store().alertChannels.noteError(id, packReason(refused), clock().now());
    await look();
    const alerts = await store().alertLog.list({ botIds: null, state: 'open', limit: 5 });
    expect(alerts.map(alertText).toSorted()).toEqual([
      `Alert channel ${id} (${host}) fails: connection refused.`,
      `a bot: Backend ${host} is down: connection refused. 1 update waiting.`,
    ]);
  });

  it('a backend that is down has one start, in its alert and in what needs attention', async () => {
    const bot = await addBot({ ...forwarding, backend_url: secretUrl });
    statuses().set(bot, { backendStatus: 'failing', backendError: 'connection refused' });
    await look();
    const began = clock().now();
    await clock().advance(5 * minuteMs);
    await retrying(bot, reason('backend_answered', { status: 500 }));
    statuses().set(bot, { backendStatus: 'paused', backendError: 'answered 500' });
    await look();
    expect(await rig.look()).toMatchObject([{ kind: 'backend_down', since: began }]);
    const [alert] = await store().alertLog.list({ botIds: null, state: 'open', limit: 5 });
    expect(alert).toMatchObject({ kind: 'backend_down', openedAt: began });
  });

  it('an app that stopped polling has one start: that of the oldest update that waits', async () => {
    const mend = await provoke.polling_stopped();
    await look();
    const [found] = await rig.look();
    const [alert] = await store().alertLog.list({ botIds: null, state: 'open', limit: 5 });
    expect(alert?.openedAt).toBe(found?.since);
    expect(clock().now() - (found?.since ?? 0)).toBeGreaterThan(10 * minuteMs);
    await mend();
    await look();
    // It continues its alert, which begins again.
    await clock().advance(11 * minuteMs);
    await look();
    const [again] = await rig.look();
    expect(again?.since).toBe(clock().now());
  });

  it('two desks of one bot that cannot write have an alert each', async () => {
    await provoke.desk_waiting();
    const { desks, engine } = store();
    const [first] = await desks.list();
    if (!first) throw new Error('no desk');
    const bot = await addBot();
    const customer = { botId: bot, chatId: 7, connection: '', fromThreadId: 0, name: 'Anna' };
    const settings = { ...deskDefaults, desk_bot_id: first.desk_bot_id, chat_id: -1009 };
    await engine.write(function* () {
      const id = yield* desks.saveStep(undefined, { ...settings, bot_ids: [bot] }, 1);
      yield* desks.take(id, customer, [], 1, () => {});
      yield* holdUpDesks();
    });
    await look();
    expect(events).toEqual(['alert.opened desk_waiting', 'alert.opened desk_waiting']);
  });

  it('an app that never called has none, however much waits for it', async () => {
    const bot = await addBot();
    const token = newAppToken('1');
    const settings = { ...defaultAppSettings, mode: 'poll' as const };
    const app = { botId: bot, name: 'n8n', token, settings, patch: {} };
    const { id } = await store().apps.insert(app, clock().now());
    await log(bot, 200);
    await reader(bot, 'pull:n8n', 0);
    await clock().advance(31 * minuteMs);
    await look();
    expect(events).toEqual([]);
    await store().apps.recordActivity([{ botId: bot, appId: id, at: clock().now(), sent: 0 }]);
    await clock().advance(31 * minuteMs);
    await look();
    expect(events.toSorted()).toEqual([
      'alert.opened app_not_seen',
      'alert.opened polling_stopped',
    ]);
  });

  it('an app that is rate limited in one chat is named with it', async () => {
    await provoke.app_rate_limited();
    await look();
    const [alert] = await store().alertLog.list({ botIds: null, state: 'open', limit: 5 });
    expect(alert && alertText(alert)).toContain(
      'App default is being rate limited by Telegram in chat -7.',
    );
  });

  it('a pattern that was left undecided is named with its app or route, each once', async () => {
    const bot = await addBot();
    const id = (await addRoute(bot, bot))?.id ?? 0;
    for (const owner of [undefined, { routeId: id }, undefined, { appId: 999 }]) {
      await undecided(bot, owner);
    }
    // The bot may be gone when it is stored.
    await undecided(bot + 999);
    await look();
    const alerts = await store().alertLog.list({ botIds: null, state: 'open', limit: 5 });
    expect(alerts.map(alertText).toSorted()).toEqual([
      expect.stringContaining('The pattern of app default takes too long for some messages'),
      expect.stringContaining(`The pattern of route ${id} takes too long for some messages`),
    ]);
  });

  it('a topic that a route reads is gone until someone writes in it, or the route names another', async () => {
    const [source, target] = [await addBot(), await addBot({ disabled: true })];
    const from = { source_chat_id: -5, source_thread_id: 7, target_thread_id: 0, action: 'drop' };
    const route = await addRoute(source, target, from);
    await topic(source, -5, 7, clock().now());
    const kinds = async () => (await rig.look()).map(({ kind }) => kind);
    const words = async () => {
      const [alert] = await store().alertLog.list({ botIds: [source], state: 'open', limit: 1 });
      return alert && alertText(alert);
    };
    await look();
    expect(await words()).toBe(
      `a bot: Topic 7 of chat -5 in route ${route?.id} is gone: it was deleted, or topics were switched off.`,
    );
    // Bots cannot write into an old topic whose first message is gone, but people can.
    await run('update topics set last_message_at = $1', [clock().now()]);
    expect(await kinds()).toEqual(['bot_disabled']);
    await run('update topics set last_message_at = 0');
    expect(await kinds()).toEqual(['route_topic_gone', 'bot_disabled']);
    await run('update routes set source_thread_id = 8');
    expect(await kinds()).toEqual(['bot_disabled']);
  });

  it('what only the watching node finds is shown from its alert, to callers who may see it', async () => {
    const [shop, desk] = [await addBot(), await addBot()];
    await log(shop, 102);
    await reader(shop, 'routing', 1);
    outside().disk.freeBytes = 4e8;
    expect(await rig.look()).toEqual([]);
    await look();
    const kinds = async (...botIds: number[]) => {
      const caller = { ...localCaller, botIds: botIds.length === 0 ? null : botIds };
      return (await rig.look(caller)).map(({ kind }) => kind);
    };
    expect(await kinds()).toEqual(['disk_low', 'reader_lag']);
    expect(await kinds(shop)).toEqual(['reader_lag']);
    expect(await kinds(desk)).toEqual([]);
    expect(await rig.look()).toMatchObject([{ since: clock().now() }, { reader: 'routing' }]);
    // An alert that says why takes its place.
    await run('update readers set state = $1', [failureState('ENOSPC')]);
    outside().disk.freeBytes = 5e10;
    await look();
    expect(await kinds()).toEqual(['reader_failing']);
  });

  it('a reader whose backend is down is one alert', async () => {
    const bot = await addBot(forwarding);
    await log(bot, 150);
    await reader(bot, 'push', 0);
    statuses().set(bot, { backendStatus: 'paused', pendingUpdates: 150 });
    await look();
    expect(events).toEqual(['alert.opened backend_down']);
  });
});
