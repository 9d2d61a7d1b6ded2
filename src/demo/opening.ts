/* The first events of the demo: one of everything, in order. */
import type { Clock } from '../clock.ts';
import { neighbours, type Person, staff } from './fixtures.ts';
import { questions } from './lines.ts';
import { keepOrder } from './order.ts';
import * as scenes from './scenes.ts';
import type { DemoSetup } from './setup.ts';

export interface OpeningOptions {
  setup: DemoSetup;
  clock: Clock;
  signal: AbortSignal;
  play(scene: scenes.Scene): Promise<void>;
}

const timeoutMs = 15_000;
const lookAgainMs = 30;
/** A bot may send sixteen messages to a group at once; more would have to wait. */
const questionsAtOnce = 12;
const questionsPerTeam = 4;
const answersGiven = 14;

export async function playOpening(options: OpeningOptions): Promise<void> {
  const { setup, play } = options;
  for (const [index, { language, text }] of questions.slice(0, questionsAtOnce).entries()) {
    const able = neighbours.filter((person) => person.language_code === language);
    const { username: user } = able[index % able.length] as Person;
    await setup.api.post('/api/sandbox/say', {
      body: { user, chat: setup.bots.front.platformId, text },
    });
  }
  await play(scenes.askWithPhoto);
  await play(scenes.advertise);
  await play(scenes.sendInvoice);
  for (let count = 0; count < 12; count++) await play(scenes.pay);
  await vote(options);
  await play(scenes.announce);
  await keepOrder(setup);
  await supportRound(options);
}

/** The community bot sends a poll through the gateway, as a bot library would. */
async function vote(options: OpeningOptions): Promise<void> {
  const { setup } = options;
  const { address, api, bots, chats } = setup;
  const response = await fetch(`${address}/bot${bots.community.token}/sendPoll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      chat_id: chats.street,
      question: 'What shall we eat on Saturday?',
      options: ['Dumplings', 'Tortilla', 'Samosas'],
      is_anonymous: false,
    }),
  });
  const { result } = (await response.json()) as { result?: { message_id: number } };
  if (!result) return;
  const { message_id } = result;
  const chat = chats.street;
  for (const [index, { username: user }] of neighbours.slice(0, 7).entries()) {
    await setup.api.post('/api/sandbox/vote', {
      body: { user, chat, message_id, options: [(index * index) % 3] },
    });
  }
  // A message sent through the gateway is stored after its answer; pin it only then.
  const chatKey = { bot_id: bots.community.id, chat_id: chat };
  await until(options, async () => {
    const newest = await api.get('/api/messages', { ...chatKey, limit: 20 });
    return newest.some(({ id }) => id === message_id);
  });
  await setup.api.post('/api/sandbox/pin', {
    body: { user: staff.host.username, chat, message_id },
  });
}

/** Questions were routed to the teams; some are answered, and the answers return to the customers. */
async function supportRound(options: OpeningOptions): Promise<void> {
  const { setup, play } = options;
  await until(options, async () => {
    const teams = ['billing', 'tech'] as const;
    const waiting = await Promise.all(teams.map((role) => scenes.waitingFor(setup, role)));
    return waiting.every((questions) => questions.length >= questionsPerTeam);
  });
  for (let count = 0; count < answersGiven; count++) await play(scenes.answer);
  await until(options, async () => (await returnedBy(setup)) > 0);
  for (let count = 0; count < 10; count++) await play(scenes.press);
  for (let count = 0; count < 10; count++) await play(scenes.thank);
}

async function returnedBy({ api, bots }: DemoSetup): Promise<number> {
  const query = { bot_id: bots.billing.id, outcome: 'returned' } as const;
  return (await api.get('/api/routes/decisions', query)).length;
}

/** The wait has a timeout: a demo that shows a little less is better than none. */
async function until({ clock, signal }: OpeningOptions, isSo: () => Promise<boolean>) {
  const giveUpAt = clock.monotonic() + timeoutMs;
  while (clock.monotonic() < giveUpAt && !(await isSo())) await clock.sleep(lookAgainMs, signal);
}
