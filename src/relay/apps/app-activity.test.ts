import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import type { SeenApp } from '../../store/apps/app-activity.ts';
import { createAppActivity } from './app-activity.ts';

function setUp() {
  const clock = createManualClock(1_000);
  const stored: (readonly SeenApp[])[] = [];
  let isAway = false;
  const activity = createAppActivity({
    clock,
    onError: () => {},
    apps: {
      async recordActivity(seen) {
        if (isAway) throw new Error('away');
        stored.push(seen);
      },
    },
  });
  return { clock, stored, activity, setAway: (away: boolean) => (isAway = away) };
}

describe('activity of apps', () => {
  it('is stored every few seconds, added up', async () => {
    const { clock, stored, activity } = setUp();
    activity.seen(1, 0);
    activity.sent(1, 0, 2);
    activity.sent(1, 7, 1);
    await clock.advance(1_000);
    activity.sent(1, 7, 1);
    expect(stored).toEqual([]);
    await clock.advance(2_000);
    expect(stored).toEqual([
      [
        { botId: 1, appId: 0, at: 1_000, sent: 2 },
        { botId: 1, appId: 7, at: 0, sent: 2 },
      ],
    ]);
    await clock.advance(60_000);
    expect(stored).toHaveLength(1);
  });

  it('adds up refusals, and names their chat where it is one', async () => {
    const { clock, stored, activity } = setUp();
    activity.rateLimited(1, 7, { chatId: -5, retryAfterSeconds: 30 });
    activity.rateLimited(1, 8, { chatId: -5, retryAfterSeconds: 3 });
    await clock.advance(1_000);
    activity.rateLimited(1, 7, { chatId: -5, retryAfterSeconds: 29 });
    activity.rateLimited(1, 8, { chatId: 9, retryAfterSeconds: 2 });
    await clock.advance(2_000);
    const refused = stored.flat().map(({ rateLimited }) => rateLimited);
    expect(refused).toEqual([
      { count: 2, at: 2_000, chatId: -5, retryAfterSeconds: 29 },
      { count: 2, at: 2_000, chatId: 0, retryAfterSeconds: 2 },
    ]);
  });

  it('is kept while the database is away, and stored at the end', async () => {
    const { clock, stored, activity, setAway } = setUp();
    setAway(true);
    activity.seen(1, 7);
    activity.sent(1, 7, 1);
    await clock.advance(3_000);
    setAway(false);
    activity.sent(1, 7, 1);
    await activity.close();
    expect(stored).toEqual([[{ botId: 1, appId: 7, at: 1_000, sent: 2 }]]);
  });
});
