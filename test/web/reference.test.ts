import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from './support/browser.ts';
import { type PageService, startPageService } from './support/page-service.ts';

/** What scrolls and cannot be reached with the keyboard. */
const stuck = `[...document.querySelectorAll('body *')].filter((one) => {
  const { overflowX, overflowY } = getComputedStyle(one);
  const scrolls = (way, size, room) => /auto|scroll/.test(way) && size > room;
  if (!scrolls(overflowX, one.scrollWidth, one.clientWidth) &&
    !scrolls(overflowY, one.scrollHeight, one.clientHeight)) return false;
  return one.tabIndex < 0 && !one.querySelector('a[href], button, input, [tabindex="0"]');
}).map((one) => one.tagName)`;

describe('the reference at /docs', () => {
  let browser: Browser;
  let service: PageService;
  beforeAll(async () => {
    [browser, service] = await Promise.all([launchBrowser(), startPageService()]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  it.each([1280, 360])('has nothing at %i px that only a mouse could scroll', async (width) => {
    const context = await browser.newContext({ viewport: { width, height: 800 } });
    const page = await context.newPage();
    await page.goto(`${service.address}/docs`);
    expect(await page.evaluate(stuck)).toEqual([]);
    const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(wider).toBeLessThanOrEqual(0);
    await context.close();
  });
});
