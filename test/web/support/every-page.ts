/* Every page of the web UI, of a service where each of them has something to show. */
import type { Locator, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { axeProblems } from './axe.ts';
import { addPracticeBot, type PageService } from './page-service.ts';
import { goInside } from './visit.ts';

export const pages: { path: string; heading: string; tab?: string }[] = [
  { path: '/', heading: 'Overview' },
  { path: '/alerts', heading: 'Alerts' },
  { path: '/bots', heading: 'Bots' },
  { path: '/bots/1', heading: 'Front desk', tab: 'Settings' },
  { path: '/bots/1?tab=apps', heading: 'Front desk', tab: 'Apps' },
  { path: '/bots/1?tab=deliveries', heading: 'Front desk', tab: 'Deliveries' },
  { path: '/bots/1?tab=sends', heading: 'Front desk', tab: 'Outbox' },
  { path: '/bots/1?tab=log', heading: 'Front desk', tab: 'Update log' },
  { path: '/bots/1?tab=danger', heading: 'Front desk', tab: 'Disable or delete' },
  { path: '/routes', heading: 'Routes' },
  { path: '/desks', heading: 'Support desks' },
  { path: '/phones', heading: 'Sandbox' },
  { path: '/chats/1/980000000001', heading: 'Chats' },
  { path: '/broadcasts', heading: 'Broadcasts' },
  { path: '/statistics', heading: 'Statistics' },
  { path: '/audit', heading: 'Audit log' },
  { path: '/access', heading: 'Users and keys' },
  { path: '/settings', heading: 'Settings and health' },
  { path: '/welcome', heading: 'Get started' },
];

/** However many there are: waiting for one locator to be detached allows only one. */
export async function gone(all: Locator): Promise<void> {
  await vi.waitFor(async () => expect(await all.count()).toBe(0));
}

export async function show(page: Page, path: string, heading: string): Promise<void> {
  await goInside(page, path);
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  await gone(page.locator('[aria-busy=true]'));
}

export async function complaintsOfAxe(
  page: Page,
  path: string,
  rules?: string[],
): Promise<string[]> {
  const found = await axeProblems(page, rules ? { rules } : {});
  return found.map((problem) => `${path}: ${problem}`);
}

export async function makeWorld(service: PageService): Promise<void> {
  const desk = await addPracticeBot(service, 'Front desk', { manage_enabled: true });
  const till = await addPracticeBot(service, 'Till');
  const person = await service.post<{ id: number }>('/api/sandbox/users/create', {
    first_name: 'Boris',
  });
  await service.post('/api/routes/add', {
    source_bot_id: desk.id,
    target_bot_id: till.id,
    action: 'forward',
    condition_type: 'keyword',
    condition_value: 'refund',
  });
  const say = (text: string) =>
    service.post('/api/sandbox/say', { user: person.id, chat: desk.platform_id, text });
  await say('Hello');
  await say('Is the shop open today?');
  await service.post('/api/tags/add', { chat_id: person.id, user_id: person.id, tag: 'regular' });
}
