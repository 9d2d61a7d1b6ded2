import { readFileSync } from 'node:fs';

export interface ProcessorTime {
  /** The share of the time in which the processors worked, for whatever process. */
  busy: number;
  /** The share that other machines of the same host took. */
  stolen: number;
}

/** From now until it is asked; undefined where the system does not tell. */
export function watchProcessors(): () => ProcessorTime | undefined {
  const before = readTimes();
  return () => {
    const after = readTimes();
    if (!before || !after) return;
    const all = Math.max(1, after.all - before.all);
    return {
      busy: (after.busy - before.busy) / all,
      stolen: (after.stolen - before.stolen) / all,
    };
  };
}

function readTimes(): { all: number; busy: number; stolen: number } | undefined {
  try {
    const [, ...times] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').split(/\s+/);
    // user, nice, system, idle, iowait, irq, softirq, steal; what follows is part of user.
    const counts = times.slice(0, 8).map(Number);
    const all = counts.reduce((sum, one) => sum + one, 0);
    const [, , , idle = 0, iowait = 0, , , stolen = 0] = counts;
    return { all, busy: all - idle - iowait - stolen, stolen };
  } catch {
    // Only Linux tells.
  }
}
