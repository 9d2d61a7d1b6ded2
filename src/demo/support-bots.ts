/*
 * The past of the support bots: a few customers at a time write to them, backends answer, teams talk. The
 * relay respects Telegram's sending limits here too, so answers are spread over the
 * whole past, and each customer gets only a few.
 */
import { createRandom, type Random } from '../../sandbox/src/index.ts';
import { pastMoments } from './calendar.ts';
import { colleagues, customers, neighbours, type Person, staff } from './fixtures.ts';
import type { Line } from './chatter.ts';
import { payment, reports, teamTalk } from './support-lines.ts';
import * as lines from './lines.ts';
import { forumLine, pick } from './scenes.ts';
import type { DemoSetup } from './setup.ts';

type SupportRole = 'front' | 'billing' | 'tech';

interface Asked {
  person: Person;
  role: SupportRole;
}

/** The customers who write to the support bots, a few at a time. */
export interface Visits {
  /** A few people write. */
  next(): Promise<void>;
  /** Returns true if the last question to each bot is answered. */
  areAnswered(): Promise<boolean>;
}

const visitsAtOnce: Record<SupportRole, readonly [least: number, most: number]> = {
  front: [3, 5],
  billing: [1, 2],
  tech: [1, 2],
};
const maxSecondsBetween = 20;

export function createVisits(setup: DemoSetup, seed: number): Visits {
  const random = createRandom(seed ^ 0xde5c);
  const people = [...neighbours, ...customers];
  const textFor: Record<SupportRole, (person: Person) => string> = {
    front: (person) => pick(random, lines.smallTalkOf(person.language_code)).text,
    billing: () => payment(random),
    tech: () => pick(random, reports),
  };
  let turn = 0;
  let asked: Asked[] = [];

  const line = ({ person, role }: Asked, text: string) => ({
    user: person.username,
    chat: setup.bots[role].platformId,
    text,
    after_seconds: random.integer(1, maxSecondsBetween),
  });

  return {
    async next() {
      asked = (Object.keys(visitsAtOnce) as SupportRole[]).flatMap((role) =>
        Array.from({ length: random.integer(...visitsAtOnce[role]) }, () => ({
          person: people[turn++ % people.length] as Person,
          role,
        })),
      );
      const requests = asked.map((one) => line(one, textFor[one.role](one.person)));
      await setup.api.post('/api/sandbox/talk', { body: { lines: requests } });
    },
    async areAnswered() {
      const last = new Map(asked.map((one) => [one.role, one]));
      for (const one of last.values()) if (!(await isAnswered(setup, one))) return false;
      return true;
    },
  };
}

async function isAnswered({ api, bots }: DemoSetup, { person, role }: Asked): Promise<boolean> {
  const query = { user: person.username, chat: bots[role].platformId, limit: 1 };
  const [shown] = await api.get('/api/sandbox/history', query);
  return shown?.message.from?.is_bot === true;
}

const forumLinesADay = 6;

/** Customers and the tech team talk in the topics of the forum. */
export function forumChatter(
  setup: DemoSetup,
  options: { seed: number; nowSeconds: number; days: number },
): Line[] {
  const { nowSeconds, days, seed } = options;
  const random = createRandom(seed ^ 0xf0a3);
  const moments = pastMoments(random, { nowSeconds, days, count: forumLinesADay * days });
  return moments.map((at) => ({ at, reply: false, ...forumLine(setup, random) }));
}

const teamLinesADay = 7;

/** Messages within the teams; never replies, which would go to customers. */
export function teamChatter(
  setup: DemoSetup,
  options: { seed: number; nowSeconds: number; days: number },
): Line[] {
  const { nowSeconds, days } = options;
  return (['billing', 'tech'] as const).flatMap((role, index) => {
    const random: Random = createRandom(options.seed ^ (0x7ea3 + index));
    const members = [staff[role], ...colleagues[role]];
    const chat = setup.chats[role === 'billing' ? 'billingTeam' : 'techTeam'];
    const moments = pastMoments(random, { nowSeconds, days, count: teamLinesADay * days });
    return moments.map((at, lineIndex) => ({
      at,
      user: pick(random, members).username,
      chat,
      text: teamTalk[role][lineIndex % teamTalk[role].length] ?? '',
      reply: false,
    }));
  });
}
