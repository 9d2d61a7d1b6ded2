import { describe, expect, it, vi } from 'vitest';
import { eitherDialect } from '../support/database/engines.ts';
import { createJumpingClock } from '../support/rigs/jumping-clock.ts';
import { addUserTo } from '../support/signed-in-user.ts';
import { serviceForEachTest } from '../support/whole-service.ts';

interface Handled {
  alert_id: number;
  id: number;
  kind: string;
  severity: string;
  bot_id: number;
  acknowledged_by: string;
  muted_until: string;
  muted_by: string;
  action: string;
  action_by: string;
  action_at: string;
  occurrences: number;
}

describe.each(eitherDialect)('taking care of an alert on %s', (dialect) => {
  const clock = createJumpingClock();
  const whole = serviceForEachTest(dialect, {}, { clock });
  const { addBot, call } = whole;
  const addUser = addUserTo(whole);

  /** Moves time until it is so; in between, requests get a moment, and the node keeps its leases. */
  const soon = <T>(check: () => Promise<T>) =>
    vi.waitFor(
      () => {
        clock.jump(1_000);
        return check();
      },
      { interval: 150 },
    );
  const open = () => call<Handled[]>('/api/attention');
  const recorded = (botId: number) =>
    soon(async () => {
      const alert = (await open()).find((one) => one.bot_id === botId && one.alert_id > 0);
      expect(alert).toBeDefined();
      return alert as Handled;
    });
  const toggle = (id: number) => call(`/api/bots/toggle-disabled?id=${id}`, {});

  it('shows everybody who acknowledged and who muted it, until it comes back', async () => {
    const bot = await addBot();
    const bob = await addUser('bob', { role: 'manager', bot_ids: [bot.id] });
    const ann = await addUser('ann', { role: 'admin' });
    await toggle(bot.id);
    const { alert_id: id } = await recorded(bot.id);

    const mine = await bob.ask('/api/alerts/acknowledge', { id });
    expect(mine).toMatchObject({ status: 200, json: { id, acknowledged_by: 'bob', channels: [] } });
    expect((await ann.ask('/api/alerts/acknowledge', { id })).json).toMatchObject({
      acknowledged_by: 'bob',
    });
    const until = Date.parse(
      ((await ann.ask('/api/alerts/mute', { id, minutes: 30 })).json as Handled).muted_until,
    );
    expect(Math.abs(until - clock.now() - 30 * 60_000)).toBeLessThan(60_000);
    for (const seen of [await open(), (await bob.ask('/api/attention')).json as Handled[]]) {
      expect(seen).toMatchObject([{ acknowledged_by: 'bob', muted_by: 'ann' }]);
    }
    await ann.ask('/api/alerts/mute', { id, minutes: 0 });
    await ann.ask('/api/alerts/acknowledge', { id, acknowledged: false });
    expect(await open()).toMatchObject([{ acknowledged_by: '', muted_by: '', muted_until: '' }]);

    await bob.ask('/api/alerts/acknowledge', { id });
    await bob.ask(`/api/bots/toggle-disabled?id=${bot.id}`, {});
    await soon(async () => {
      const [resolved] = await call<Handled[]>('/api/alerts?state=resolved');
      expect(resolved).toMatchObject({ id, action: 'enable_bot', action_by: 'bob' });
    });
    const late = await bob.ask('/api/alerts/mute', { id });
    expect(late).toMatchObject({ status: 404, json: { code: 'not_found' } });
    await toggle(bot.id);
    await soon(async () => {
      const [again] = await call<Handled[]>('/api/alerts?state=open');
      expect(again).toMatchObject({ id, occurrences: 2, acknowledged_by: '', action: '' });
    });
  });

  it('is for those who manage the bot', async () => {
    const [bot, other] = [await addBot(), await addBot()];
    const agent = await addUser('agent', { role: 'agent', bot_ids: [bot.id] });
    const viewer = await addUser('viewer', { role: 'viewer', bot_ids: [bot.id] });
    const manager = await addUser('manager', { role: 'manager', bot_ids: [other.id] });
    await toggle(bot.id);
    const { alert_id: id } = await recorded(bot.id);
    for (const path of ['/api/alerts/acknowledge', '/api/alerts/mute']) {
      expect((await agent.ask(path, { id })).status).toBe(403);
      expect((await viewer.ask(path, { id })).status).toBe(403);
      expect(await manager.ask(path, { id })).toMatchObject({
        status: 403,
        json: { code: 'bot_not_allowed' },
      });
    }
    expect(await open()).toMatchObject([{ acknowledged_by: '', muted_until: '' }]);
  });
});
