/** Processor time of this process in milliseconds: unlike a clock, it does not run while others do. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The processor time of the longest turn of the event loop meanwhile, in milliseconds. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const computed = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let longest = 0;
  let last = computed();
  let next: NodeJS.Immediate;
  const turn = () => {
    const now = computed();
    longest = Math.max(longest, now - last);
    last = now;
    next = setImmediate(turn);
  };
  next = setImmediate(turn);
  try {
    await work();
  } finally {
    clearImmediate(next);
  }
  return longest;
}
