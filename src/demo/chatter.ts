/* Small talk of the neighbours: many messages, sent to the sandbox in batches. */
import { createRandom, type Random } from '../../sandbox/src/index.ts';
import { pastMoments, todaysMoments } from './calendar.ts';
import { chatMembers, publicChats } from './fixtures.ts';
import * as lines from './lines.ts';
import { pick } from './scenes.ts';
import type { DemoSetup } from './setup.ts';

export interface Line {
  at: number;
  user: string;
  chat: number;
  text: string;
  reply: boolean;
  message_thread_id?: number;
}

const linesADay = 90;
/** The past ends this long before now. */
const untilSeconds = 300;
/** Shares of the public chats: the street talks most, the photo club posts pictures instead. */
const shares: Record<(typeof publicChats)[number], number> = { street: 4, market: 3, photos: 1 };
const chatsDrawn = publicChats.flatMap((name) => Array.from({ length: shares[name] }, () => name));

export function chatter(
  setup: DemoSetup,
  options: { seed: number; nowSeconds: number; days: number },
): Line[] {
  const { seed, nowSeconds, days } = options;
  const random = createRandom(seed ^ 0xc4a7);
  const past = pastMoments(random, { nowSeconds, days, count: linesADay * days });
  const pastLines = past.map((at) => lineAt(setup, random, at));
  // Today comes last, because its number of lines depends on the time of day at which the demo
  // starts.
  const today = todaysMoments(random, { nowSeconds: nowSeconds - untilSeconds, count: linesADay });
  return [...pastLines, ...today.map((at) => lineAt(setup, random, at))];
}

function lineAt(setup: DemoSetup, random: Random, at: number): Line {
  const chatName = pick(random, chatsDrawn);
  const person = pick(random, chatMembers(chatName));
  const reply = random.next() < 0.3;
  const text = pick(random, reply ? lines.replies : lines.linesOf(person.language_code));
  return { at, user: person.username, chat: setup.chats[chatName], text, reply };
}

const maxAtOnce = 500;

/** Sends all messages, each at its time. */
export async function tell({ api }: DemoSetup, spoken: readonly Line[]): Promise<void> {
  for (let from = 0; from < spoken.length; from += maxAtOnce) {
    const part = spoken.slice(from, from + maxAtOnce);
    const first = part[0] as Line;
    await api.post('/api/sandbox/time/set', { body: { now: first.at } });
    let before = first.at;
    const lines = part.map(({ at, ...line }) => {
      const after_seconds = at - before;
      before = at;
      return { ...line, after_seconds };
    });
    await api.post('/api/sandbox/talk', { body: { lines } });
  }
}
