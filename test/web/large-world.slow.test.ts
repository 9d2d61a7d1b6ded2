import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { raw } from '../../src/store/engine.ts';
import type { Store } from '../../src/store/store.ts';
import { archived } from '../support/database/store.ts';
import { askAll } from './support/elements.ts';
import { idleWork, longestTask, reportFrames, scrollThrough } from './support/frames.ts';
import type { PageService } from './support/page-service.ts';
import { prepareWebUi } from './support/web-ui.ts';

const chatCount = 10_000;
/** The first chats are with one person each, who waits for an answer. */
const waitingCount = 200;
const longChat = -1_000_000_000_500;
const longCount = 100_000;
const botPlatformId = 7_000_001;
const start = 1_760_000_000;
const firstPerson = 900_000;
const peopleCount = 40;
const words = `'${'and more '.repeat(12).trim()}'`;
/** Of the page's main thread for a frame, however busy the machine is. */
const maxWorkMs = 25;
const idleMs = 10_000;

describe('a hundred thousand messages', () => {
  let service: PageService;
  let page: Page;
  const openWebUi = prepareWebUi();
  beforeAll(async () => {
    ({ page, service } = await openWebUi({ seed: fill }));
  }, 120_000);

  it('scrolls a long history without stumbling', async () => {
    await page.goto(`${service.address}/chats/1/${longChat}`);
    const log = page.getByRole('log');
    await log.getByText(`Message ${longCount}`, { exact: true }).waitFor();
    const frames = await scrollThrough(page, '[role=log]', { by: -350, count: 240 });
    reportFrames('a history of 100,000 messages', frames);
    const shown = await shownIn(log);
    expect(Math.max(...shown)).toBeLessThan(longCount - 400);
    expect(shown.length).toBeLessThan(120);
    expect(frames.work).toBeLessThan(maxWorkMs);
  }, 60_000);

  it('opens a message from long ago where it stood, and goes on from there', async () => {
    await page.goto(`${service.address}/chats/1/${longChat}?message=4321`);
    const log = page.getByRole('log');
    await log.getByText('Message 4321', { exact: true }).waitFor();
    await scrollThrough(page, '[role=log]', { by: 400, count: 40 });
    expect(Math.max(...(await shownIn(log)))).toBeGreaterThan(4_380);
    await page.getByRole('button', { name: 'Jump to newest' }).click();
    await log.getByText(`Message ${longCount}`, { exact: true }).waitFor();
  }, 60_000);

  it('scrolls ten thousand chats without stumbling, and rests when nothing happens', async () => {
    await page.goto(`${service.address}/chats`);
    const chats = page.getByRole('region', { name: 'Chats' });
    await chats.getByRole('link', { name: /Long talk/ }).waitFor();
    const list = 'section[aria-label=Chats] > div:last-child';
    const frames = await scrollThrough(page, list, { by: 300, count: 200 });
    reportFrames('10,000 chats', frames);
    expect(await chats.getByRole('link').count()).toBeLessThan(60);
    expect(frames.work).toBeLessThan(maxWorkMs);
    const longest = await longestTask(page, list, { by: 60, forMs: 5_000 });
    const idle = await idleWork(page, idleMs);
    process.stdout.write(
      `the longest task in 5 s of scrolling took ${longest.toFixed(1)} ms, an idle page ${idle.toFixed(0)} ms in 10 s\n`,
    );
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThan(50);
    expect(idle).toBeLessThan(300);
    await page.getByLabel('Search chats and messages').fill('Room 1234');
    await chats.getByRole('link', { name: /Room 1234/ }).waitFor();
  }, 60_000);

  it('scrolls two hundred that wait, the oldest first', async () => {
    await page.goto(`${service.address}/chats?inbox=waiting`);
    const chats = page.getByRole('region', { name: 'Chats' });
    await chats.getByRole('link', { name: 'Customer 0', exact: false }).first().waitFor();
    await page.getByRole('img', { name: `${waitingCount} waiting` }).waitFor();
    const list = 'section[aria-label=Chats] > div:last-child';
    const frames = await scrollThrough(page, list, { by: 60, count: 200 });
    reportFrames('200 conversations that wait', frames);
    await chats.getByRole('link', { name: `Customer ${waitingCount - 1}` }).waitFor();
    const longest = await longestTask(page, list, { by: -60, forMs: 5_000 });
    expect(frames.work).toBeLessThan(maxWorkMs);
    expect(longest).toBeLessThan(50);
  }, 60_000);
});

/** The numbers of the messages that are drawn. */
function shownIn(log: Locator): Promise<number[]> {
  return askAll(log.locator('[data-message]'), (all) =>
    all.map((one) => Number(one.getAttribute('data-message'))),
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
  const person = (index: number) => ({
    id: firstPerson + (index % peopleCount),
    is_bot: false,
    first_name: `Person ${index % peopleCount}`,
  });
  const rooms = Array.from({ length: chatCount }, (_, index) =>
    archived(bot.id, {
      message_id: 1,
      date: start + index,
      chat:
        index < waitingCount
          ? { id: firstPerson + 100 + index, type: 'private', first_name: `Customer ${index}` }
          : { id: -1_000_000_001_000 - index, type: 'supergroup', title: `Room ${index}` },
      from: person(index),
      text: `Word ${index}`,
    }),
  );
  // The newest one is stored as any other is; the past behind it is written in one statement.
  const newest = archived(bot.id, {
    message_id: longCount,
    date: start + chatCount + longCount * 20,
    chat: { id: longChat, type: 'supergroup', title: 'Long talk' },
    from: person(longCount),
    text: `Message ${longCount}`,
  });
  await store.messages.archive([...rooms, newest], now);
  await store.engine.write(() =>
    raw('update chats set unanswered_since = $1 + chat_id where chat_id > 0', [now]),
  );
  await store.engine.write(() =>
    raw(
      `with recursive past (id) as (
         select 1 union all select id + 1 from past where id < ${longCount - 1}
       )
       insert into messages (bot_id, chat_id, id, user_id, username, first_name, last_name, text,
         date, origin, reply_to_message_id, edited_at)
       select ${bot.id}, ${longChat}, id, ${firstPerson} + (id / 3) % ${peopleCount}, '',
         'Person ' || (id / 3) % ${peopleCount}, '',
         'Message ' || id || case when id % 7 = 0 then char(10) || ${words} else '' end,
         ${start + chatCount} + id * 20, 'received',
         case when id % 11 = 0 then id - 5 end, case when id % 40 = 0 then ${start} + id * 20 end
       from past`,
    ),
  );
}
