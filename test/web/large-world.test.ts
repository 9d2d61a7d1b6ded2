import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { archived } from '../support/store.ts';
import { launchBrowser } from './support/browser.ts';
import { type PageService, startPageService } from './support/page-service.ts';
import { createFirstAccount, openPage } from './support/visitor.ts';

const chatCount = 2_000;
const perChat = 10;
const longChat = -1_000_000_000_500;
const longCount = 80_000;
const botPlatformId = 7_000_001;
const portion = 10_000;
const start = 1_760_000_000;

describe('a hundred thousand messages', () => {
  let browser: Browser;
  let service: PageService;
  let page: Page;
  beforeAll(async () => {
    [browser, service] = await Promise.all([launchBrowser(), startPageService(fill)]);
    ({ page } = await openPage(browser));
    await createFirstAccount(page, service);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  it('scrolls a long history without stumbling', async () => {
    await page.goto(`${service.address}/chats/1/${longChat}`);
    const log = page.getByRole('log');
    await log.getByText(`Message ${longCount}`, { exact: true }).waitFor();
    const frames = await scroll(page, '[role=log]', -350, 240);
    report('history', frames);
    const shown = await shownIn(log);
    expect(Math.max(...shown)).toBeLessThan(longCount - 400);
    expect(shown.length).toBeLessThan(120);
    expect(frames.median).toBeLessThan(50);
  }, 60_000);

  it('opens a message from long ago where it stood, and goes on from there', async () => {
    await page.goto(`${service.address}/chats/1/${longChat}?message=4321`);
    const log = page.getByRole('log');
    await log.getByText('Message 4321', { exact: true }).waitFor();
    await scroll(page, '[role=log]', 400, 40);
    expect(Math.max(...(await shownIn(log)))).toBeGreaterThan(4_380);
    await page.getByRole('button', { name: 'To the newest' }).click();
    await log.getByText(`Message ${longCount}`, { exact: true }).waitFor();
  }, 60_000);

  it('scrolls two thousand chats without stumbling', async () => {
    await page.goto(`${service.address}/chats`);
    const chats = page.getByRole('region', { name: 'Chats' });
    await chats.getByRole('link', { name: /Long talk/ }).waitFor();
    const frames = await scroll(page, 'section[aria-label=Chats] > div:last-child', 300, 200);
    report('chats', frames);
    expect(await chats.getByRole('link').count()).toBeLessThan(60);
    expect(frames.median).toBeLessThan(50);
    await page.getByLabel('Search chats and messages').fill('Room 1234');
    await chats.getByRole('link', { name: /Room 1234/ }).waitFor();
  }, 60_000);
});

/** The numbers of the messages that are drawn. */
function shownIn(log: Locator): Promise<number[]> {
  return log
    .locator('[data-message]')
    .evaluateAll((all) => all.map((one) => Number(one.getAttribute('data-message'))));
}

interface Frames {
  median: number;
  p95: number;
  longest: number;
}

/** Scrolls by the same distance in every frame, and takes the time of each. */
async function scroll(page: Page, selector: string, by: number, count: number): Promise<Frames> {
  const times = (await page.evaluate(`new Promise((resolve) => {
    const element = document.querySelector(${JSON.stringify(selector)});
    const times = [];
    let last = performance.now();
    function step(now) {
      times.push(now - last);
      last = now;
      element.scrollTop += ${by};
      if (times.length < ${count}) requestAnimationFrame(step);
      else resolve(times.slice(1));
    }
    requestAnimationFrame(step);
  })`)) as number[];
  const sorted = times.toSorted((left, right) => left - right);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { median: at(0.5), p95: at(0.95), longest: at(1) };
}

function report(what: string, { longest, median, p95 }: Frames): void {
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  process.stdout.write(
    `frames of ${what}: median ${ms(median)}, 95 % ${ms(p95)}, longest ${ms(longest)}\n`,
  );
}

async function fill(store: Store): Promise<void> {
  const now = start * 1_000;
  const bot = await store.bots.insert(
    {
      token: `${botPlatformId}:not-a-real-token`,
      name: 'Archive',
      source: 'web',
      manage_enabled: true,
      platform_id: botPlatformId,
      // It only has a past: nothing is to be fetched for it.
      disabled: true,
    },
    now,
  );
  const people = Array.from({ length: 40 }, (_, index) => ({
    id: 900_000 + index,
    is_bot: false,
    first_name: `Person ${index}`,
  }));
  const write = async (count: number, message: (index: number) => Record<string, unknown>) => {
    for (let from = 0; from < count; from += portion) {
      const size = Math.min(portion, count - from);
      const entries = Array.from({ length: size }, (_, index) =>
        archived(bot.id, message(from + index)),
      );
      await store.messages.archive(entries, now);
    }
  };
  await write(chatCount * perChat, (index) => {
    const room = 1 + Math.floor(index / perChat);
    return {
      message_id: 1 + (index % perChat),
      date: start + index,
      chat: { id: -1_000_000_001_000 - room, type: 'supergroup', title: `Room ${room}` },
      from: people[index % people.length],
      text: `Word ${index}`,
    };
  });
  await write(longCount, (index) => ({
    message_id: index + 1,
    date: start + chatCount * perChat + index * 20,
    chat: { id: longChat, type: 'supergroup', title: 'Long talk' },
    from: people[Math.floor(index / 3) % people.length],
    text:
      index % 7 === 0 ? `Message ${index + 1}\n${'and more '.repeat(12)}` : `Message ${index + 1}`,
  }));
}
