import type { Page } from 'playwright-core';

export interface Held {
  /** Settles once the service has answered and the answer is being kept back. */
  isHeld: Promise<void>;
  /** How many were asked for. */
  count: () => number;
  /** Releases the held answers, and all later ones. */
  release: () => void;
}

/** Requests to such addresses reach the service once they are let through. */
export async function holdRequests(
  page: Page,
  address: RegExp,
): Promise<{ letThrough: () => void }> {
  const gate = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    await gate.promise;
    // The page may have cancelled it.
    await route.continue().catch(() => undefined);
  });
  return { letThrough: gate.resolve };
}

/**
 * A slow network: the service answers at once, and the page hears of it later; with `most`, only
 * so many answers are kept back, and with `method`, only those to such requests.
 */
export async function hold(
  page: Page,
  address: RegExp,
  most = Infinity,
  method?: string,
): Promise<Held> {
  const gate = Promise.withResolvers<void>();
  const first = Promise.withResolvers<void>();
  let count = 0;
  await page.route(address, async (route) => {
    if (method !== undefined && route.request().method() !== method) return route.fallback();
    count += 1;
    const isKept = count <= most;
    const response = await route.fetch();
    first.resolve();
    if (isKept) await gate.promise;
    // The page may have cancelled it.
    await route.fulfill({ response }).catch(() => undefined);
  });
  return { isHeld: first.promise, count: () => count, release: gate.resolve };
}
