/* Fault 3: the wall clock is set forward and back by an hour. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { FaultOptions, FaultResult, Mark } from './result.ts';
import { heldAgain, underLoad } from './under-load.ts';

const hourMs = 3_600_000;
const goesOnMs = 15_000;
const preload = new URL('../invariants/support/shifted-clock.mjs', import.meta.url).href;

export function runClock(options: FaultOptions): Promise<FaultResult> {
  const file = path.join(options.database.dataDir, 'clock-shift');
  writeFileSync(file, '0');
  return underLoad(options, {
    fault: '3: clock set forward and back by an hour',
    env: { NODE_OPTIONS: `--import ${preload}`, CLOCK_SHIFT_FILE: file },
    maxDelayMs: goesOnMs,
    async during({ recover }) {
      const marks: Mark[] = [];
      for (const [name, shiftMs] of Object.entries({
        'forward by an hour': hourMs,
        'back by two hours': -hourMs,
        'to the right time': 0,
      })) {
        writeFileSync(file, String(shiftMs));
        while (readFileSync(`${file}.seen`, { encoding: 'utf8', flag: 'a+' }) !== String(shiftMs)) {
          await pause(10);
        }
        const mark = heldAgain(await recover(goesOnMs), goesOnMs);
        marks.push({ ...mark, name: `set ${name}: ${mark.name}` });
        // Longer than the limit: what one shift holds up, the next one may free.
        await pause((goesOnMs + 5_000) * options.pace);
      }
      return marks;
    },
  });
}
