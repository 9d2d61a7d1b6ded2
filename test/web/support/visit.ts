import type { Page } from 'playwright-core';
import { patienceMs } from '../../support/patience.ts';

/**
 * Shows an address as a click on a link does, which takes a third of the processor time of loading
 * everything again. Notices are closed before, so that those of another test are not taken for new ones.
 * The page is loaded if it shows nothing of the service yet, this very address, or an open dialog.
 */
export async function visit(page: Page, address: string): Promise<void> {
  const { origin, pathname, search } = new URL(address);
  const shown = new URL(page.url());
  const isSame = shown.pathname === pathname && shown.search === search;
  if (shown.origin === origin && !isSame && (await leaveTidy(page))) {
    await goInside(page, pathname + search);
  } else await page.goto(address);
}

/** Ends once the new page is shown, so that nothing is taken for its part that was of the one before. */
export async function goInside(page: Page, path: string): Promise<void> {
  await page.evaluate(`new Promise((resolve, reject) => {
    const stop = globalThis.__TSR_ROUTER__.subscribe('onResolved', () => {
      stop();
      resolve();
    });
    const tell = () => reject(new Error(${JSON.stringify(`the router did not come to ${path}`)}));
    setTimeout(tell, ${patienceMs});
    history.pushState({}, '', ${JSON.stringify(path)});
    dispatchEvent(new PopStateEvent('popstate'));
  })`);
}

/** Closes the notices; tells whether nothing else is in the way. */
function leaveTidy(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const notices = '[role=status][aria-live=polite] > div:not([aria-live])';
    for (const close of document.querySelectorAll(notices + ' > button:last-child')) close.click();
    return document.querySelector('[role=dialog]') === null;
  })()`);
}
