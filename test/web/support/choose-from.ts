import type { Locator } from 'playwright-core';
import { vi } from 'vitest';

/**
 * Opens a menu and chooses from it. What it stands in may move just then, as something arrives or a
 * field closes: the menu is opened until the item can be pressed. The press itself is made once, as it
 * may take effect and still be slow to return.
 */
export async function chooseFrom(button: Locator, name: string): Promise<void> {
  const item = button.page().getByRole('menuitem', { name, exact: true });
  await vi.waitFor(async () => {
    if (!(await item.isVisible())) await button.click();
    await item.click({ trial: true, timeout: 3_000 });
  });
  await item.click();
}
