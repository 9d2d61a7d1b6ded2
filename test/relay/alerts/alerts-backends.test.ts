import { beforeEach, describe, expect, it } from 'vitest';
import { reason } from '../../../src/core/reasons/reason.ts';
import { packReason } from '../../../src/core/reasons/stored.ts';
import { noteBackendHealth } from '../../../src/store/delivery/backend-health.ts';
import { dialects } from '../../support/database/engines.ts';
import { alertRig, forwarding } from '../../support/rigs/alert-rig.ts';

describe.each(dialects)('backends that need attention (%s)', (dialect) => {
  const { engine, clock, statuses, look, addBot, log, reader, run } = alertRig(dialect);

  it('names a backend that is down with what waits, once', async () => {
    const bot = await addBot(forwarding);
    await log(bot, 331);
    await reader(bot, 'push', 0);
    statuses().set(bot, { backendStatus: 'paused', pendingUpdates: 331 });
    await clock().advance(120_000);
    expect(await look()).toMatchObject([
      { kind: 'backend_down', botId: bot, count: 331, text: forwarding.backend_url },
    ]);
  });

  it('names a backend that a check did not reach, while nothing waits', async () => {
    const bot = await addBot(forwarding);
    const reason = 'connection refused';
    const seenAt = clock().now() - 6_000;
    statuses().set(bot, {
      backendStatus: 'failing',
      backendError: reason,
      backendSeenAt: seenAt,
    });
    const text = forwarding.backend_url;
    expect(await look()).toEqual([
      { kind: 'backend_down', botId: bot, count: 0, since: 0, text, reason, seenAt },
    ]);
  });

  it('names a backend that refuses updates once, by its dead letters if there are any', async () => {
    const bot = await addBot(forwarding);
    statuses().set(bot, {
      backendStatus: 'failing',
      backendError: 'answered 500',
      backendErrorDetail: reason('backend_answered', { status: 500 }),
    });
    const kinds = async () => (await look()).map(({ kind }) => kind);
    expect(await kinds()).toEqual(['backend_down']);
    await run(
      `insert into dead_letters (bot_id, position, update_id, kind, queue, raw, reason, attempts,
         received_at, died_at) values ($1, 1, 1, 'message', 'c1', '{}', '', 9, 1, 1)`,
      [bot],
    );
    expect(await kinds()).toEqual(['dead_letters']);
    statuses().set(bot, { backendStatus: 'failing', backendError: 'connection refused' });
    expect(await kinds()).toEqual(['backend_down', 'dead_letters']);
  });

  describe('of a backend whose deliveries fail', () => {
    let bot: number;
    beforeEach(async () => {
      bot = await addBot(forwarding);
      statuses().set(bot, { backendStatus: 'failing', pendingUpdates: 2 });
    });

    const refused = reason('connection_refused', { address: '127.0.0.1:9' });
    async function attempt(
      status: number,
      queue = 'c1',
      unanswered = refused,
      tookMs = 5,
    ): Promise<void> {
      const error = packReason(status > 0 ? reason('backend_answered', { status }) : unanswered);
      await clock().advance(1_000);
      await run(
        `insert into delivery_attempts (bot_id, position, update_id, queue, started_at, duration_ms,
           status, error, answer) values ($1, 1, 1, $2, $3, $6, $4, $5, '')`,
        [bot, queue, clock().now() - tookMs, status, error, tookMs],
      );
      if (status === 200) return;
      await run(
        `insert into retry_queues (bot_id, queue, attempts, first_failed_at, next_attempt_at, last_error)
         values ($1, $2, 1, $3, $3, $4)
         on conflict (bot_id, reader, queue) do update set attempts = retry_queues.attempts + 1,
           last_error = excluded.last_error`,
        [bot, queue, clock().now(), error],
      );
    }
    async function check(error: string, refused?: string): Promise<void> {
      await clock().advance(1_000);
      const note = { error, refused };
      await engine().write(() => noteBackendHealth(bot, 'push', note, clock().now()));
      statuses().set(bot, { ...statuses().get(bot), backendError: error || (refused ?? '') });
    }
    const kinds = async () => (await look()).map(({ kind }) => kind);

    it('says that it does not answer, although no check ran', async () => {
      await attempt(200);
      await attempt(0);
      expect(await look()).toMatchObject([
        { kind: 'backend_down', count: 2, text: forwarding.backend_url },
      ]);
    });

    it('says that it refuses some chats while it answers others', async () => {
      await attempt(500);
      statuses().set(bot, {
        ...statuses().get(bot),
        backendError: 'answered 500',
        backendSeenAt: 7,
      });
      expect(await look()).toMatchObject([
        { kind: 'chats_in_retry', count: 1, reason: 'answered 500', seenAt: 7 },
      ]);
      statuses().set(bot, { backendStatus: 'failing', pendingUpdates: 2 });
      await attempt(0, 'c2');
      expect(await kinds()).toEqual(['chats_in_retry']);
      await attempt(0);
      expect(await kinds()).toEqual(['backend_down']);
      await attempt(200, 'c3');
      expect(await kinds()).toEqual(['chats_in_retry']);
    });

    it('says that it is down after it answered with errors at first', async () => {
      await attempt(500);
      await attempt(500);
      for (let tries = 0; tries < 3; tries++) await attempt(0);
      expect(await kinds()).toEqual(['backend_down']);
    });

    it('says nothing once a check reached it, until the chats are tried again', async () => {
      await attempt(0);
      expect(await kinds()).toEqual(['backend_down']);
      await check('');
      expect(await kinds()).toEqual([]);
      await attempt(0);
      expect(await kinds()).toEqual(['backend_down']);
    });

    it('says that chats wait where a check is answered and updates are not', async () => {
      const late = reason('backend_timeout', { seconds: 30 });
      await attempt(0, 'c1', late);
      expect(await kinds()).toEqual(['backend_down']);
      await check('');
      expect(await kinds()).toEqual(['chats_in_retry']);
      await attempt(0, 'c1', late);
      expect(await kinds()).toEqual(['backend_down']);
    });

    it('says the same of a check with an update that is refused as of refused updates', async () => {
      await attempt(500);
      expect(await kinds()).toEqual(['chats_in_retry']);
      await check('', packReason(reason('backend_answered', { status: 500 })));
      expect(await kinds()).toEqual(['chats_in_retry']);
      await attempt(0);
      expect(await kinds()).toEqual(['backend_down']);
    });

    it('believes an attempt that ended after a check, though it began before', async () => {
      await check('');
      await attempt(0, 'c1', refused, 2_000);
      expect(await kinds()).toEqual(['backend_down']);
    });

    it('goes by what was seen last: a delivery or a check', async () => {
      await check('connection refused');
      await attempt(500);
      expect(await kinds()).toEqual(['chats_in_retry']);
      await check('connection refused');
      expect(await kinds()).toEqual(['backend_down']);
      await check('');
      expect(await kinds()).toEqual(['chats_in_retry']);
      await attempt(0);
      expect(await kinds()).toEqual(['backend_down']);
    });
  });
});
