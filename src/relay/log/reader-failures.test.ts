import { expect, it } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { outage } from '../../store/outage.ts';
import { logReaderFailures } from './reader-failures.ts';

it('a node logs a database that fails once for all bots, and what is wrong with one bot each time', async () => {
  const clock = createManualClock();
  const lines: string[] = [];
  const line = (level: string) => (about: object, text: string) => {
    const { bots, bot_id: bot } = about as { bots?: number; bot_id?: number };
    lines.push(`${level}: ${text} (${bots ?? `bot ${bot}`})`);
  };
  const failed = logReaderFailures({ error: line('error'), warn: line('warn') } as never, clock);
  const away = outage('unreachable', new Error('gone'));
  for (const bot of [1, 2, 3, 2]) failed(away, bot);
  failed(new Error('odd'), 3);
  failed(new Error('odd'), 3);
  await clock.advance(10_000);
  failed(away, 1);
  failed(away, 2);
  // Another outage, which affects only one bot.
  await clock.advance(3_600_000);
  failed(away, 4);
  expect(lines).toEqual([
    'warn: bots wait for the database (bot 1)',
    'error: reader failed (bot 3)',
    'error: reader failed (bot 3)',
    'warn: bots wait for the database (3)',
    'warn: bots wait for the database (bot 4)',
  ]);
});
