export interface Gathered {
  ask(): void;
  stop(): void;
}

/**
 * Combines many calls into one run a little later. The next run waits until that one has ended: reads
 * that overlap would cancel each other as long as events keep coming.
 */
export function gather(run: () => Promise<unknown>, waitMs: number): Gathered {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsked = false;
  let isRunning = false;
  let isStopped = false;

  async function go(): Promise<void> {
    timer = undefined;
    isAsked = false;
    isRunning = true;
    try {
      await run();
    } catch {
      // A failure keeps the shown data; the next call tries again.
    }
    isRunning = false;
    if (isAsked) ask();
  }

  function ask(): void {
    isAsked = true;
    if (!isRunning && !isStopped) timer ??= setTimeout(() => void go(), waitMs);
  }

  return {
    ask,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
