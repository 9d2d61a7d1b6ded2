import type { Browser } from 'playwright-core';
import { afterAll } from 'vitest';
import { launchBrowser } from './browser.ts';
import { type PageService, startPageService } from './page-service.ts';
import { createFirstAccount, openPage, type Visitor } from './visitor.ts';

export interface WebUi extends Visitor {
  browser: Browser;
  service: PageService;
}

type Options = Parameters<typeof startPageService>[0] & {
  isSignedIn?: boolean;
  width?: number;
};

/**
 * Call this in `describe`, and the function it returns in `beforeAll`: that starts a service and a browser with a
 * signed-in page. Both are closed after the tests, also when `beforeAll` fails.
 */
export function prepareWebUi(): (options?: Options) => Promise<WebUi> {
  let browser: Browser | undefined;
  let service: PageService | undefined;
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });
  return async ({ isSignedIn = true, width, ...own } = {}) => {
    [browser, service] = await Promise.all([launchBrowser(), startPageService(own)]);
    const visitor = await openPage(browser, width === undefined ? {} : { width });
    if (isSignedIn) await createFirstAccount(visitor.page, service);
    return { browser, service, ...visitor };
  };
}
