import type { Page } from 'playwright-core';

/**
 * Notices stay until they are closed, as they do under the pointer: a slow test would come too late
 * for them. What is below them can be pressed, so no such test sees a notice in the way. Takes effect with the next address that is opened.
 */
export async function keepNotices(page: Page): Promise<void> {
  await page.addInitScript(`
    new MutationObserver((changes) => {
      for (const added of changes.flatMap((change) => [...change.addedNodes])) {
        if (!added.parentElement?.matches('[role=status][aria-live=polite]')) continue;
        added.style.pointerEvents = 'none';
        for (const button of added.querySelectorAll('button')) button.style.pointerEvents = 'auto';
        added.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
      }
    }).observe(document, { childList: true, subtree: true });
  `);
}
