import type { Browser } from 'playwright-core';
import { afterAll } from 'vitest';
import { sharedBrowser } from './browser.ts';
import { type PageService, startPageService } from './page-service.ts';
import { addFirstAccount, openPage, type Visitor } from './visitor.ts';

export interface WebUi extends Visitor {
  browser: Browser;
  service: PageService;
}

type Options = Parameters<typeof startPageService>[0] & {
  isSignedIn?: boolean;
  width?: number;
};

/**
 * Call this in `describe`, and the function it returns in `beforeAll`: that starts a service and opens an
 * empty page, signed in as Anna. The service and all pages are closed after the tests, also when
 * `beforeAll` fails.
 */
export function prepareWebUi(): (options?: Options) => Promise<WebUi> {
  let browser: Browser | undefined;
  let service: PageService | undefined;
  afterAll(async () => {
    await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
    await service?.close();
  });
  return async ({ isSignedIn = true, width, ...own } = {}) => {
    browser = await sharedBrowser();
    service = await startPageService(own);
    const visitor = await openPage(browser, width === undefined ? {} : { width });
    if (isSignedIn) await addFirstAccount(visitor.context, service);
    return { browser, service, ...visitor };
  };
}
