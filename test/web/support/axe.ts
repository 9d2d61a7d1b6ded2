import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const require = createRequire(import.meta.url);
const ofBuilder = createRequire(require.resolve('@axe-core/playwright'));
const source = readFileSync(ofBuilder.resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe finds, in all of the page or within an element, by all rules or by some. Axe is loaded once
 * for each load of the page, and only what it finds leaves the page: both take less processor time than
 * the builder of its package.
 */
export async function axeProblems(
  page: Page,
  { within, rules }: { within?: string; rules?: string[] } = {},
): Promise<string[]> {
  if (within !== undefined) await page.locator(within).first().waitFor();
  await haveFaded(page);
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(source);
  const context = within === undefined ? 'document' : JSON.stringify({ include: [[within]] });
  // The page has no frames and loads its styles itself, so axe need not look for either.
  const options = {
    iframes: false,
    preload: false,
    resultTypes: ['violations'],
    ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}),
  };
  return page.evaluate<string[]>(`axe.run(${context}, ${JSON.stringify(options)}).then(
    ({ violations }) => violations.map(({ id, nodes }) =>
      id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')))`);
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
