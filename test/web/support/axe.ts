import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** What axe finds, in all of the page or within an element, by all rules or by some. */
export async function axeProblems(
  page: Page,
  { within, rules }: { within?: string; rules?: string[] } = {},
): Promise<string[]> {
  await haveFaded(page);
  // The page has no frames and loads its styles itself, so axe need not look for either.
  const axe = new AxeBuilder({ page })
    .setLegacyMode(true)
    .options({ preload: false, resultTypes: ['violations'] });
  if (within) axe.include(within);
  if (rules) axe.withRules(rules);
  const { violations } = await axe.analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  );
}

/** What fades in, or to other colours, has too little contrast meanwhile. */
async function haveFaded(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const ends = ({ effect, playState }) =>
      playState === 'running' && effect?.getComputedTiming().endTime !== Infinity;
    function look() {
      let one = document.querySelector('[role=dialog]');
      while (one && getComputedStyle(one).opacity === '1') one = one.parentElement;
      if (one || document.getAnimations().some(ends)) requestAnimationFrame(look);
      else resolve();
    }
    look();
  })`);
}
