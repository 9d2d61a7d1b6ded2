/*
 * The past of the desks: customers write to them a few at a time, programs answer, teams talk. The
 * relay sends no faster than Telegram allows, also here, so answers come in small portions over the
 * whole of the past, and each customer gets only a few.
 */
import { createRandom, type Random } from '../../sandbox/src/index.ts';
import { pastMoments } from './calendar.ts';
import { colleagues, customers, neighbours, type Person, staff } from './fixtures.ts';
import type { Line } from './chatter.ts';
import { payment, reports, teamTalk } from './support-lines.ts';
import * as lines from './lines.ts';
import { pick } from './scenes.ts';
import type { Stage } from './setup.ts';

type Desk = 'front' | 'billing' | 'tech';

interface Asked {
  person: Person;
  desk: Desk;
}

/** Who comes to the desks, some at a time. */
export interface Visits {
  /** A few people write. */
  next(): Promise<void>;
  /** Whether the last one at each desk has its answer. */
  areAnswered(): Promise<boolean>;
}

const visitsAtOnce: Record<Desk, readonly [least: number, most: number]> = {
  front: [3, 5],
  billing: [1, 2],
  tech: [1, 2],
};
const mostSecondsBetween = 20;

export function createVisits(stage: Stage, seed: number): Visits {
  const random = createRandom(seed ^ 0xde5c);
  const people = [...neighbours, ...customers];
  const textFor: Record<Desk, (person: Person) => string> = {
    front: (person) => pick(random, lines.smallTalkOf(person.language_code)).text,
    billing: () => payment(random),
    tech: () => pick(random, reports),
  };
  let turn = 0;
  let asked: Asked[] = [];

  const line = ({ person, desk }: Asked, text: string) => ({
    user: person.username,
    chat: stage.bots[desk].platformId,
    text,
    after_seconds: random.integer(1, mostSecondsBetween),
  });

  return {
    async next() {
      asked = (Object.keys(visitsAtOnce) as Desk[]).flatMap((desk) =>
        Array.from({ length: random.integer(...visitsAtOnce[desk]) }, () => ({
          person: people[turn++ % people.length] as Person,
          desk,
        })),
      );
      const said = asked.map((one) => line(one, textFor[one.desk](one.person)));
      await stage.api.post('/api/sandbox/talk', { body: { lines: said } });
    },
    async areAnswered() {
      const last = new Map(asked.map((one) => [one.desk, one]));
      for (const one of last.values()) if (!(await isAnswered(stage, one))) return false;
      return true;
    },
  };
}

async function isAnswered({ api, bots }: Stage, { person, desk }: Asked): Promise<boolean> {
  const query = { user: person.username, chat: bots[desk].platformId, limit: 1 };
  const [shown] = await api.get<{ message: { from?: { is_bot?: boolean } } }[]>(
    '/api/sandbox/history',
    query,
  );
  return shown?.message.from?.is_bot === true;
}

const teamLinesADay = 7;

/** What the teams say among themselves; never as replies, which would go to customers. */
export function teamChatter(
  stage: Stage,
  options: { seed: number; nowSeconds: number; days: number },
): Line[] {
  const { nowSeconds, days } = options;
  return (['billing', 'tech'] as const).flatMap((desk, index) => {
    const random: Random = createRandom(options.seed ^ (0x7ea3 + index));
    const members = [staff[desk], ...colleagues[desk]];
    const chat = stage.places[desk === 'billing' ? 'billingTeam' : 'techTeam'];
    const moments = pastMoments(random, { nowSeconds, days, count: teamLinesADay * days });
    return moments.map((at, place) => ({
      at,
      user: pick(random, members).username,
      chat,
      text: teamTalk[desk][place % teamTalk[desk].length] ?? '',
      reply: false,
    }));
  });
}
