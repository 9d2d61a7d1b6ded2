import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { addAppMetrics, addReaderMetrics } from '../../src/http/reader-metrics.ts';

describe('a scrape', () => {
  it('measures readers by kind in one query, and keeps the other metrics when that fails', async () => {
    const registry = new Registry();
    let looks = 0;
    let fails = false;
    addReaderMetrics(registry, async () => {
      looks++;
      if (fails) throw new Error('the database is away');
      return [{ kind: 'pull', readers: 3, behind: 40, dropped: 7 }];
    });
    const lines = async () =>
      (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(await lines()).toEqual([
      'relay_readers{kind="pull"} 3',
      'relay_reader_behind_updates{kind="pull"} 40',
      'relay_reader_dropped_updates{kind="pull"} 7',
    ]);
    expect(looks).toBe(1);
    fails = true;
    expect(await lines()).toEqual([]);
  });

  it('measures each app', async () => {
    const registry = new Registry();
    const app = {
      botId: 3,
      app: 'shop',
      behind: 4,
      dropped: 0,
      deadLetters: 1,
      sent: 9,
      rateLimited: 7,
    };
    addAppMetrics(registry, async () => [app]);
    const text = await registry.metrics();
    expect(text.split('\n').filter((line) => line.startsWith('relay_app'))).toEqual([
      'relay_app_behind_updates{bot_id="3",app="shop"} 4',
      'relay_app_dropped_updates{bot_id="3",app="shop"} 0',
      'relay_app_dead_letters{bot_id="3",app="shop"} 1',
      'relay_app_sent_messages{bot_id="3",app="shop"} 9',
      'relay_app_rate_limited_calls{bot_id="3",app="shop"} 7',
    ]);
  });
});
