import type { Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { addPracticeBot, type PageService } from './page-service.ts';

export interface PracticeChat {
  service: PageService;
  page: Page;
  bot: { id: number; platform_id: number };
  anna: { id: number };
}

/** Opens the chat of a practice bot with Anna, who said hello. */
export async function openPracticeChat(
  opened: Promise<Pick<PracticeChat, 'page' | 'service'>>,
): Promise<PracticeChat> {
  const { page, service } = await opened;
  const bot = await addPracticeBot(service, 'Keeper', { manage_enabled: true });
  const anna = await service.post<{ id: number }>('/api/sandbox/users/create', {
    first_name: 'Anna',
  });
  const hello = { user: anna.id, chat: bot.platform_id, text: 'Hello' };
  await service.post('/api/sandbox/say', hello);
  await vi.waitFor(async () => {
    const query = `bot_id=${bot.id}&chat_id=${anna.id}`;
    expect(await service.get<unknown[]>(`/api/messages?${query}`)).toHaveLength(1);
  });
  await page.goto(`${service.address}/chats/${bot.id}/${anna.id}`);
  return { service, page, bot, anna };
}
