/* Requests of the web UI whose cost could grow with the database, one at a time. */
import { adminKey, median } from '../relay/parts.ts';
import { chatOf, chatsPerBot } from './fill.ts';

export interface ReadTime {
  name: string;
  ms: number;
}

const warmUps = 20;
const rounds = 100;

/** `middle` is a number in the middle of the messages of each bot. */
export function messageReads(managed: readonly number[], middle: number) {
  const bot = (round: number) => managed[round % managed.length] as number;
  // Each round has other parameters, so that no response is cached.
  const limit = (round: number) => 50 - (round % 20);
  const chat = (round: number) =>
    `bot_id=${bot(round)}&chat_id=${chatOf(bot(round), round * 7)}&limit=${limit(round)}`;
  const search = (round: number, words: string) =>
    `/api/messages/search?bot_id=${bot(round)}&q=${words}&limit=${limit(round)}`;
  return {
    'chats of a bot': (round: number) => `/api/chats?bot_id=${bot(round)}&limit=${limit(round)}`,
    'messages of a chat': (round: number) => `/api/messages?${chat(round)}`,
    'older messages of a chat': (round: number) =>
      `/api/messages?${chat(round)}&before_id=${middle - (middle % chatsPerBot) + ((round * 7) % chatsPerBot)}`,
    'search, a rare word': (round: number) => search(round, `order${1_000 + round * 31}`),
    'search, a common word': (round: number) => search(round, 'quick'),
    'people of a bot': (round: number) =>
      `/api/users/list?bot_id=${bot(round)}&limit=${limit(round)}`,
    'statistics of a bot': (round: number) =>
      `/api/stats?bot_id=${bot(round)}&from=${daysAgo(30 + (round % 7))}`,
  };
}

export const botReads = {
  'all bots': () => '/api/bots',
  'needs attention': () => '/api/attention',
  'live metrics': () => '/api/live-metrics',
};

/** The response contains all bots, so its time must grow with them. */
export const allBots: keyof typeof botReads = 'all bots';

/** Returns the median of each request, in milliseconds. */
export async function timeReads(
  address: string,
  reads: Record<string, (round: number) => string>,
): Promise<ReadTime[]> {
  const headers = { authorization: `Bearer ${adminKey}` };
  const times: ReadTime[] = [];
  for (const [name, pathOf] of Object.entries(reads)) {
    const all: number[] = [];
    for (let round = 0; round < warmUps + rounds; round++) {
      const startedAt = performance.now();
      const response = await fetch(address + pathOf(round), { headers });
      const text = await response.text();
      if (!response.ok) throw new Error(`${pathOf(round)}: ${text}`);
      if (round >= warmUps) all.push(performance.now() - startedAt);
    }
    times.push({ name, ms: Math.round(median(all) * 100) / 100 });
  }
  return times;
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}
