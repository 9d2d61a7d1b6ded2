import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMeter } from '../../src/core/stats/meter.ts';
import { createRelayMetrics, mostBots } from '../../src/core/stats/relay-metrics.ts';
import { dialects } from '../support/database/engines.ts';
import { serve } from '../support/local-server.ts';
import { readMetrics } from '../support/metrics/read-metrics.ts';
import { serviceForEachTest } from '../support/whole-service.ts';

/** Answers as it is told to. */
async function startBackend() {
  const backend = { url: '', status: 200 };
  const { url, close } = await serve((request, response) => {
    request.resume().on('end', () => response.writeHead(backend.status).end());
  });
  onTestFinished(close);
  backend.url = `${url}/`;
  return backend;
}

const until = (check: () => Promise<unknown>) => vi.waitFor(check, { interval: 20 });

describe.each(dialects)('metrics of the relay, on %s', (dialect) => {
  const { service, ask, addBot, addPerson, addRoute, call, say } = serviceForEachTest(dialect);
  const metrics = () => readMetrics(service());

  it('counts updates, deliveries by outcome and what waits, with their times', async () => {
    const backend = await startBackend();
    const bot = await addBot({ backend_url: backend.url, proxy_enabled: true });
    const before = await metrics();
    expect(before.value('relay_updates_received_total')).toBe(0);
    expect(before.value('relay_deliveries_total', { outcome: 'rejected' })).toBe(0);
    expect(before.value('relay_retry_queues')).toBe(0);
    expect(before.value('relay_dead_letters')).toBe(0);
    expect(before.value('relay_alerts', { kind: 'bot_disabled' })).toBe(0);
    expect(before.value('relay_leases')).toBe(1);
    expect(before.value('relay_nodes')).toBe(1);
    expect(before.value('relay_lease_changes_total', { change: 'taken' })).toBe(1);
    expect(before.value('relay_database_size_bytes')).toBeGreaterThan(100_000);

    const anna = await addPerson('Anna');
    const saidAt = performance.now();
    await say(anna, bot, 'taken');
    await until(async () =>
      expect((await metrics()).value('relay_deliveries_total', { outcome: 'delivered' })).toBe(1),
    );
    const deliveredWithinSeconds = (performance.now() - saidAt) / 1_000;
    backend.status = 500;
    await say(anna, bot, 'refused');
    await say(anna, bot, 'behind it');
    await until(async () => {
      const now = await metrics();
      expect(now.value('relay_retry_queues')).toBe(1);
      expect(now.value('relay_retry_queue_updates')).toBe(2);
    });
    const after = await metrics();
    expect(after.value('relay_updates_received_total')).toBe(3);
    expect(after.value('relay_deliveries_total', { outcome: 'rejected' })).toBeGreaterThan(0);
    expect(after.value('relay_intake_duration_seconds_count')).toBe(3);
    expect(after.value('relay_delivery_duration_seconds_count')).toBe(1);
    expect(after.value('relay_delivery_duration_seconds_sum')).toBeLessThan(
      deliveredWithinSeconds + 1,
    );
    expect(after.value('relay_delivery_attempt_duration_seconds_count')).toBeGreaterThan(1);
    expect(after.value('relay_database_commit_duration_seconds_count')).toBeGreaterThan(0);
    expect(after.series.filter(({ labels }) => 'bot_id' in labels)).toEqual([]);
  });

  it('counts sends, decisions and long polls apart from other requests', async () => {
    const [source, target] = [await addBot({ long_poll_enabled: true }), await addBot()];
    const anna = await addPerson('Anna');
    await say(anna, target, 'hello');
    // What arrives before there is a route is not decided on.
    await until(async () =>
      expect((await metrics()).value('relay_updates_received_total')).toBe(1),
    );
    await addRoute(source, target, {
      condition_type: 'keyword',
      condition_value: 'money',
      target_chat_id: anna.id,
    });
    await say(anna, source, 'about money');
    await say(anna, source, 'about the weather');
    await until(async () => {
      const now = await metrics();
      expect(now.value('relay_routing_decisions_total', { outcome: 'routed' })).toBe(1);
      expect(now.value('relay_routing_decisions_total', { outcome: 'none' })).toBe(1);
      expect(now.value('relay_sends_total', { state: 'sent' })).toBe(1);
    });
    await call('/api/messages/send', { bot_id: target.id, chat_id: anna.id, text: 'one' });
    await ask(`/bot${target.token}/sendMessage`, { chat_id: anna.id, text: 'two' });
    await ask('/api/messages/send', { bot_id: target.id, chat_id: 4_004, text: 'refused' });
    await ask(`/bot${source.token}/getUpdates`);
    await until(async () => {
      const now = await metrics();
      expect(now.value('relay_sends_total', { state: 'sent' })).toBe(3);
      expect(now.value('relay_sends_total', { state: 'failed' })).toBe(1);
      expect(now.value('relay_send_wait_seconds_count')).toBe(3);
      expect(now.value('relay_outbox_sends', { state: 'queued' })).toBe(0);
    });
    const requests = (await metrics()).series.filter(
      ({ name, labels }) =>
        name === 'relay_http_request_duration_seconds_count' && labels['route'] === '/bot*',
    );
    expect(requests.map(({ labels, value }) => [labels['long_poll'], value])).toEqual([
      [undefined, 1],
      ['true', 1],
    ]);
  });
});

describe('metrics per bot', () => {
  const { service, addBot, addPerson, say } = serviceForEachTest('sqlite', {
    RELAY_METRICS_BOTS: 'on',
  });

  it('have the label bot_id, also of what waits', async () => {
    const [first, second] = [await addBot({ long_poll_enabled: true }), await addBot()];
    const anna = await addPerson('Anna');
    await say(anna, first, 'one');
    await say(anna, first, 'two');
    await say(anna, second, 'three');
    await until(async () => {
      const now = await readMetrics(service());
      const of = (id: number) => ({ bot_id: String(id) });
      expect(now.value('relay_updates_received_total', of(first.id))).toBe(2);
      expect(now.value('relay_updates_received_total', of(second.id))).toBe(1);
      expect(now.value('relay_bot_reader_behind_updates', { ...of(first.id), kind: 'pull' })).toBe(
        2,
      );
    });
  });

  it('stop at a number of bots: the others share a label', () => {
    const meter = createMeter();
    const metrics = createRelayMetrics(meter, { bots: true });
    for (let botId = 1; botId <= mostBots + 5; botId++) metrics.received(botId, 2, 1);
    metrics.received(1, 1, 1);
    const [received] = meter.families;
    const cells = (received?.cells ?? []) as { labels: object; value: number }[];
    expect(cells).toHaveLength(mostBots + 1);
    expect(cells[0]).toEqual({ labels: { bot_id: '1' }, value: 3 });
    expect(cells.at(-1)).toEqual({ labels: { bot_id: 'other' }, value: 10 });
    expect(metrics.botLabel(mostBots + 5)).toBe('other');
  });
});
