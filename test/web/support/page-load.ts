import type { Browser, BrowserContext, Page } from 'playwright-core';

type Storage = Awaited<ReturnType<BrowserContext['storageState']>>;

/** Put into a page before anything of it runs: adds up how much it moved by itself. */
export const watchShifts = `
  globalThis.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (!entry.hadRecentInput) globalThis.shifted += entry.value;
    }
  }).observe({ type: 'layout-shift', buffered: true });
`;

export function shiftsOf(page: Page): Promise<number> {
  return page.evaluate('globalThis.shifted') as Promise<number>;
}

export interface PageLoad {
  /**
   * From the start of the navigation until what the page is for can be used: `ready` holds, and a
   * task queued after the frame that shows it has run, so a click would be answered.
   */
  usableMs: number;
  /** Processor time of the main thread until then: comparable on a busy machine. */
  workMs: number;
  /** When the largest text or picture was painted; layout and code of the page are done then. */
  largestMs: number;
}

const largestPaint = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
    .observe({ type: 'largest-contentful-paint', buffered: true });
})`;

/** Opens an address with nothing in any cache, as often as asked; gives the quickest of each. */
export async function timeToUse(
  browser: Browser,
  options: { url: string; ready: string; storageState?: Storage; times?: number },
): Promise<PageLoad> {
  const loads: PageLoad[] = [];
  for (let time = 0; time < (options.times ?? 3); time++) {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      locale: 'en-US',
      ...(options.storageState ? { storageState: options.storageState } : {}),
    });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.addInitScript(`
      globalThis.usableAt = new Promise((resolve) => {
        function look() {
          if (${options.ready}) setTimeout(() => resolve(performance.now()));
          else requestAnimationFrame(look);
        }
        requestAnimationFrame(look);
      });
    `);
    await page.goto(options.url, { waitUntil: 'commit' });
    const usableMs = (await page.evaluate('globalThis.usableAt')) as number;
    const { metrics } = await session.send('Performance.getMetrics');
    const work = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
    const largestMs = (await page.evaluate(largestPaint)) as number;
    loads.push({ usableMs, workMs: work * 1_000, largestMs });
    await context.close();
  }
  const least = (name: keyof PageLoad) => Math.min(...loads.map((load) => load[name]));
  return { usableMs: least('usableMs'), workMs: least('workMs'), largestMs: least('largestMs') };
}
