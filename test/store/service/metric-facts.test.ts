import { describe, expect, it } from 'vitest';
import { dialects } from '../../support/database/engines.ts';
import { openStore } from '../../support/database/store.ts';

describe.each(dialects)('open alerts for metrics, on %s', (dialect) => {
  it('are counted by kind until they are resolved', async () => {
    const store = await openStore(dialect);
    const { metricFacts } = store;
    const disk = { kind: 'disk_low', botId: 0, subject: '', params: {} } as const;
    const lost = (subject: string) =>
      ({ kind: 'node_lost', botId: 0, subject, params: {} }) as const;
    expect(await metricFacts.openAlerts()).toEqual([]);
    await store.alertLog.settle([disk, lost('a'), lost('b')], 1_000);
    const counted = (await metricFacts.openAlerts()).sort((a, b) => a.kind.localeCompare(b.kind));
    expect(counted).toEqual([
      { kind: 'disk_low', count: 1 },
      { kind: 'node_lost', count: 2 },
    ]);
    await store.alertLog.settle([disk], 2_000);
    expect(await metricFacts.openAlerts()).toEqual([{ kind: 'disk_low', count: 1 }]);
  });
});
