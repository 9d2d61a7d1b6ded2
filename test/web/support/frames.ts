import type { CDPSession, Page } from 'playwright-core';

/** How a page kept up while it was scrolled. */
export interface Frames {
  count: number;
  /** Time between frames, in milliseconds: what a person sees; worse on a busy machine. */
  median: number;
  p95: number;
  longest: number;
  /** Processor time of the page's main thread per frame: the cost of the page itself. */
  work: number;
  /** Of that: scripts, styles and layout. */
  script: number;
  style: number;
  layout: number;
}

/**
 * Scrolls by the same distance in every frame, and takes the time of each; then goes on with the
 * processor's clock, whose reading slows frames down.
 */
export async function scrollThrough(
  page: Page,
  selector: string,
  options: { by: number; count: number },
): Promise<Frames> {
  const times = await scroll(page, selector, options);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await durations(session);
  const counted = await scroll(page, selector, { ...options, count: options.count / 2 });
  const after = await durations(session);
  await session.detach();
  const sorted = times.toSorted((left, right) => left - right);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  const perFrame = (name: string) =>
    (((after.get(name) ?? 0) - (before.get(name) ?? 0)) * 1_000) / counted.length;
  return {
    count: times.length,
    median: at(0.5),
    p95: at(0.95),
    longest: at(1),
    work: perFrame('TaskDuration'),
    script: perFrame('ScriptDuration'),
    style: perFrame('RecalcStyleDuration'),
    layout: perFrame('LayoutDuration'),
  };
}

async function scroll(
  page: Page,
  selector: string,
  { by, count }: { by: number; count: number },
): Promise<number[]> {
  return (await page.evaluate(`new Promise((resolve) => {
    const element = document.querySelector(${JSON.stringify(selector)});
    const times = [];
    let last = performance.now();
    function step(now) {
      times.push(now - last);
      last = now;
      element.scrollTop += ${by};
      if (times.length <= ${count}) requestAnimationFrame(step);
      else resolve(times.slice(1));
    }
    requestAnimationFrame(step);
  })`)) as number[];
}

async function durations(session: CDPSession): Promise<Map<string, number>> {
  const { metrics } = await session.send('Performance.getMetrics');
  return new Map(metrics.map(({ name, value }) => [name, value]));
}

export function reportFrames(what: string, frames: Frames): void {
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  process.stdout.write(
    `frames of ${what} (${frames.count}): median ${ms(frames.median)}, 95 % ${ms(frames.p95)}, longest ${ms(frames.longest)}; ` +
      `processor time for each ${ms(frames.work)} (scripts ${ms(frames.script)}, styles ${ms(frames.style)}, layout ${ms(frames.layout)})\n`,
  );
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Processor time, in microseconds. */
  tdur?: number;
  args?: { name?: string };
}

/** Scrolls for so long, and returns the processor time of the longest task on the page's main thread. */
export async function longestTask(
  page: Page,
  selector: string,
  options: { by: number; forMs: number },
): Promise<number> {
  const browser = page.context().browser();
  await browser?.startTracing(page, { categories: ['toplevel', '__metadata'] });
  await page.evaluate(`new Promise((resolve) => {
    const element = document.querySelector(${JSON.stringify(selector)});
    const end = performance.now() + ${options.forMs};
    function step(now) {
      element.scrollTop += ${options.by};
      if (now < end) requestAnimationFrame(step);
      else resolve();
    }
    requestAnimationFrame(step);
  })`);
  const trace = (await browser?.stopTracing())?.toString() ?? '{}';
  const { traceEvents = [] } = JSON.parse(trace) as { traceEvents?: TraceEvent[] };
  const mainThreads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ pid, tid, tdur }) => tdur !== undefined && mainThreads.has(`${pid} ${tid}`),
  );
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}

/** The processor time that a page takes by itself within so long, in milliseconds. */
export async function idleWork(page: Page, forMs: number): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await durations(session);
  await page.waitForTimeout(forMs);
  const after = await durations(session);
  await session.detach();
  return ((after.get('TaskDuration') ?? 0) - (before.get('TaskDuration') ?? 0)) * 1_000;
}
