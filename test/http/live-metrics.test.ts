import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createLiveMetrics,
  bucketMs,
  type LiveMetrics,
} from '../../src/core/stats/live-metrics.ts';
import { liveMetricsEndpoints } from '../../src/http/api/stats/live-metrics.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

interface Answer {
  slice_seconds: number;
  slices: { at: number; received: number; p50_ms?: number }[];
}

describe('live metrics over HTTP', () => {
  let test: TestApp;
  let metrics: LiveMetrics;
  let nowMs: number;
  beforeEach(async () => {
    nowMs = 1_700_000_000_000;
    metrics = createLiveMetrics({ now: () => nowMs, singleNode: true });
    test = await startTestApp({
      liveMetrics: metrics,
      endpoints: liveMetricsEndpoints({ liveMetrics: metrics }),
    });
  });
  afterEach(() => test.close());

  function turn(): void {
    nowMs += bucketMs;
    metrics.endBucket();
  }

  async function get(headers: Record<string, string>, query = '') {
    const answer = await test.app.inject({ url: `/api/live-metrics${query}`, headers });
    return { status: answer.statusCode, body: answer.json<Answer>() };
  }

  it('shows a key the bots it may see, and no other', async () => {
    const mine = await test.addBot();
    const theirs = await test.addBot();
    metrics.received(mine, 2);
    metrics.received(theirs, 5);
    metrics.delivered(theirs, 30);
    turn();
    const all = await test.key('read');
    const limited = await test.key('read', [mine]);
    const { body } = await get(all.headers);
    expect(body.slice_seconds).toBe(2);
    expect(body.slices).toMatchObject([{ at: 1_700_000_000, received: 7 }]);
    expect(body.slices[0]?.p50_ms).toBeGreaterThan(0);
    const [part] = (await get(limited.headers)).body.slices;
    expect(part).toMatchObject({ received: 2 });
    expect(part).not.toHaveProperty('p50_ms');
    expect((await get(all.headers, `?bot_id=${theirs}`)).body.slices[0]?.received).toBe(5);
    expect((await get(limited.headers, `?bot_id=${theirs}`)).status).toBe(403);
  });

  it('does not answer at the path of before 1.0', async () => {
    const { headers } = await test.key('read');
    const answer = await test.app.inject({ url: '/api/vitals', headers });
    expect(answer.statusCode).toBe(404);
  });

  it('gives what came since, for those who were away', async () => {
    const { headers } = await test.key('read');
    for (const count of [1, 2, 3]) {
      metrics.received(1, count);
      turn();
    }
    const { body } = await get(headers, '?since=1700000000');
    expect(body.slices.map(({ received }) => received)).toEqual([2, 3]);
  });

  it('sends each time bucket once to event streams that ask for it', async () => {
    const mine = await test.addBot();
    nowMs = test.clock.now();
    metrics = createLiveMetrics({ now: () => nowMs, singleNode: true });
    await test.close();
    test = await startTestApp({ liveMetrics: metrics });
    const bot = await test.addBot();
    expect(bot).toBe(mine);
    const address = await test.app.listen({ host: '127.0.0.1', port: 0 });
    const { headers } = await test.key('read', [bot]);
    const abort = new AbortController();
    const open = (query: string) =>
      fetch(`${address}/api/events${query}`, { headers, signal: abort.signal });
    const [asked, silent] = await Promise.all([open('?live_metrics=true'), open('')]);
    metrics.received(bot, 2);
    metrics.received(bot + 1, 40);
    turn();
    metrics.received(bot, 3);
    turn();
    const text = await readUntil(asked, '"received":3');
    expect(text.match(/event: live_metrics/g)).toHaveLength(2);
    expect(text).toContain('"received":2');
    test.events.publish('bot', bot, {} as never);
    expect(await readUntil(silent, 'event: bot')).not.toContain('live_metrics');
    abort.abort();
  });
});

async function readUntil(response: Response, wanted: string): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (!text.includes(wanted)) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  return text;
}
