import { readFileSync } from 'node:fs';

/** Starts to watch how much of the processor time others on the same host take; a share, or undefined where the system does not tell. */
export function watchStolenTime(): () => number | undefined {
  const before = readTimes();
  return () => {
    const after = readTimes();
    if (!before || !after) return;
    return (after.stolen - before.stolen) / Math.max(1, after.all - before.all);
  };
}

function readTimes(): { stolen: number; all: number } | undefined {
  try {
    const [, ...times] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').split(/\s+/);
    // user, nice, system, idle, iowait, irq, softirq, steal; what follows is part of user.
    const counts = times.slice(0, 8).map(Number);
    return { stolen: counts[7] ?? 0, all: counts.reduce((sum, one) => sum + one, 0) };
  } catch {
    // Only Linux tells.
  }
}
