/*
 * Plays the weeks before the demo started. The sandbox's clock is set back and moved forward from
 * one event to the next, while the relay fetches the updates: so every message has its date, and
 * none is older than Telegram would keep it.
 */
import type { SandboxMessage } from '../../sandbox/src/answers.ts';
import type { ApiClient } from '../api.ts';
import type { Clock } from '../clock.ts';
import { createRandom, type Random } from '../../sandbox/src/index.ts';
import { beginningOf, dailyMoments, pastMoments } from './calendar.ts';
import { neighbours, chatMembers, staff } from './fixtures.ts';
import { chatter, type Line, tell } from './chatter.ts';
import { createVisits, forumChatter, teamChatter, type Visits } from './support-bots.ts';
import * as lines from './lines.ts';
import { pick, waitingFor } from './scenes.ts';
import type { DemoSetup } from './setup.ts';

export interface PastOptions {
  setup: DemoSetup;
  seed: number;
  clock: Clock;
  signal: AbortSignal;
  /** Plays the next small scene. */
  playSmall(): Promise<void>;
}

const days = 21;
const teamQuestions = 2;
const hostTalks = 4;
const timeoutMs = 3_000;
const lookAgainMs = 20;

const nowSeconds = (clock: Clock): number => Math.floor(clock.now() / 1000);

/** Sets a new world back in time; an existing one stays as it is. */
export async function turnBack(api: ApiClient, clock: Clock): Promise<void> {
  const { users } = await api.get('/api/sandbox/snapshot');
  if (users.length > 0) return;
  await api.post('/api/sandbox/time/set', {
    body: { now: beginningOf(nowSeconds(clock), days) },
  });
}

export const backToNow = (api: ApiClient): Promise<unknown> =>
  api.post('/api/sandbox/time/reset', { body: {} });

type Event = (random: Random) => Promise<void>;

interface Happening {
  at: number;
  event: Event;
}

export async function playPast(options: PastOptions): Promise<void> {
  const { setup, seed } = options;
  // The times have their own random numbers, separate from those of the scenes.
  const random = createRandom(seed ^ 0x7a57);
  const events = gather(options, random);
  const when = { seed, nowSeconds: nowSeconds(options.clock), days };
  const messages = [
    ...chatter(setup, when),
    ...teamChatter(setup, when),
    ...forumChatter(setup, when),
  ];
  const daysOf = Map.groupBy([...events, ...messages], ({ at }) =>
    new Date(at * 1000).toDateString(),
  );
  const inOrder = [...daysOf.values()]
    .map((day) => day.toSorted((left, right) => left.at - right.at))
    .sort((left, right) => (left[0]?.at ?? 0) - (right[0]?.at ?? 0));
  for (const day of inOrder) {
    await playDay(options, random, day);
    await fetched(options);
  }
}

/** Messages between two events are sent in one batch. */
async function playDay(
  { setup, signal }: PastOptions,
  random: Random,
  day: readonly (Happening | Line)[],
): Promise<void> {
  let untold: Line[] = [];
  for (const one of day) {
    signal.throwIfAborted();
    if (!('event' in one)) {
      untold.push(one);
      continue;
    }
    await tell(setup, untold);
    untold = [];
    await setup.api.post('/api/sandbox/time/set', { body: { now: one.at } });
    await one.event(random);
  }
  await tell(setup, untold);
}

/** All events in order of time. */
function gather(options: PastOptions, random: Random): Happening[] {
  const now = nowSeconds(options.clock);
  const events: Happening[] = [];
  const add = (count: number, event: (index: number) => Event) => {
    const moments = pastMoments(random, { nowSeconds: now, days, count });
    for (const [index, at] of moments.entries()) events.push({ at, event: event(index) });
  };
  const visits = createVisits(options.setup, options.seed);
  for (const at of dailyMoments(random, { nowSeconds: now, days })) {
    events.push({ at, event: () => sitting(options, visits) });
  }
  add(hostTalks, (index) => (chance) => hostTalk(options, chance, index));
  for (const role of ['billing', 'tech'] as const) {
    add(teamQuestions, () => (chance) => support(options, chance, role));
  }
  return events;
}

const pass = (setup: DemoSetup, seconds: number): Promise<unknown> =>
  setup.api.post('/api/sandbox/time/advance', { body: { seconds } });

/** Some customers write to the support bots; until they are answered, something small happens elsewhere. */
async function sitting(options: PastOptions, visits: Visits): Promise<void> {
  await visits.next();
  await options.playSmall();
  await until(options, visits.areAnswered);
}

/** The admin of the groups posts something, is asked about it, and answers. */
async function hostTalk(options: PastOptions, random: Random, index: number): Promise<void> {
  const { setup } = options;
  const chatName = index % 2 === 0 ? 'street' : 'market';
  const chat_id = setup.chats[chatName];
  const speak = (text: string) =>
    setup.api.post('/api/messages/send', {
      body: { bot_id: setup.bots.community.id, chat_id, text },
    });
  await speak(pick(random, lines.announcements));
  for (const { question, answer } of lines.hostQuestions) {
    await say(setup, pick(random, chatMembers(chatName)).username, chat_id, question);
    await pass(setup, random.integer(8, 20));
    await speak(answer);
  }
}

/** A question is routed to a team, and somebody there answers after a while. */
async function support(
  options: PastOptions,
  random: Random,
  role: 'billing' | 'tech',
): Promise<void> {
  const { setup } = options;
  const person = pick(random, neighbours);
  const text = pick(random, lines.teamQuestions[role]);
  await say(setup, person.username, setup.bots.front.platformId, text);
  let reply_to: number | undefined;
  await until(options, async () => {
    [reply_to] = await waitingFor(setup, role);
    return reply_to !== undefined;
  });
  if (reply_to === undefined) return;
  await pass(setup, random.integer(240, 2_400));
  const team = setup.chats[role === 'billing' ? 'billingTeam' : 'techTeam'];
  const answer = pick(random, lines.answers[role]);
  await say(setup, staff[role].username, team, answer, { reply_to });
  let answered: SandboxMessage | undefined;
  await until(options, async () => {
    answered = await lastIn(setup, person.username);
    return answered?.from?.is_bot === true && answered.reply_to_message !== undefined;
  });
  if (!answered?.reply_to_message) return;
  await pass(setup, random.integer(30, 900));
  const thanks = pick(random, lines.followUps);
  await say(setup, person.username, setup.bots.front.platformId, thanks, {
    reply_to: answered.message_id,
  });
  // Thanks are routed to the team as well, and need no answer.
  await fetched(options);
}

function say(setup: DemoSetup, user: string, chat: number, text: string, more: object = {}) {
  return setup.api.post('/api/sandbox/say', { body: { user, chat, text, ...more } });
}

async function lastIn(setup: DemoSetup, user: string): Promise<SandboxMessage | undefined> {
  const query = { user, chat: setup.bots.front.platformId, limit: 1 };
  const [shown] = await setup.api.get('/api/sandbox/history', query);
  return shown?.message;
}

/** Waits until the relay has received everything so far. */
async function fetched(options: PastOptions): Promise<void> {
  const { setup } = options;
  const { old: _stopped, ...running } = setup.bots;
  const ids = new Set(Object.values(running).map((bot) => bot.platformId));
  await until(options, async () => {
    const { bots } = await setup.api.get('/api/sandbox/snapshot');
    return bots.every((bot) => !ids.has(bot.id) || bot.pendingUpdates === 0);
  });
}

/** The wait has a timeout: a history without some answers is better than none. */
async function until({ clock, signal }: PastOptions, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = clock.monotonic() + timeoutMs;
  while (!(await isSo()) && clock.monotonic() < giveUpAt) await clock.sleep(lookAgainMs, signal);
}
