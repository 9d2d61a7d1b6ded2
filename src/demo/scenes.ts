/*
 * The single things that happen. A scene draws all its chances from the random source it is given,
 * and every scene has one of its own: so what people do depends on the seed alone, never on how fast
 * the bots are.
 */
import { RelayError } from '../errors.ts';
import type { Random } from '../../sandbox/src/index.ts';
import {
  customers,
  neighbours,
  type Person,
  placeMembers,
  publicPlaces,
  staff,
} from './fixtures.ts';
import { payment, reports } from './support-lines.ts';
import * as lines from './lines.ts';
import type { Stage } from './setup.ts';

interface Said {
  username: string;
  chat: number;
  messageId: number;
}

export interface Memory {
  /** The latest that neighbours said in groups, oldest first. */
  said: Said[];
}

export interface Moment {
  stage: Stage;
  memory: Memory;
  random: Random;
}

export type Scene = (moment: Moment) => Promise<void>;

interface WireMessage {
  message_id: number;
  text?: string;
  from?: { is_bot?: boolean };
  reply_to_message?: { message_id: number };
  reply_markup?: { inline_keyboard?: { text: string }[][] };
}

interface Shown {
  message: WireMessage;
}

const remembered = 60;

export function createMemory(): Memory {
  return { said: [] };
}

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[random.integer(0, list.length - 1)] as T;
}

const act = (stage: Stage, action: string, body: Record<string, unknown>) =>
  stage.api.post<WireMessage>(`/api/sandbox/${action}`, { body });

function remember(memory: Memory, username: string, chat: number, message: WireMessage): void {
  memory.said.push({ username, chat, messageId: message.message_id });
  if (memory.said.length > remembered) memory.said.shift();
}

/** Somebody in a group of theirs. */
function speaker({ stage, random }: Moment): { person: Person; chat: number } {
  const name = pick(random, publicPlaces);
  return { person: pick(random, placeMembers(name)), chat: stage.places[name] };
}

export const chat: Scene = async (moment) => {
  const { stage, memory, random } = moment;
  const { person, chat } = speaker(moment);
  const text = pick(random, lines.linesOf(person.language_code));
  remember(
    memory,
    person.username,
    chat,
    await act(stage, 'say', { user: person.username, chat, text }),
  );
};

export const reply: Scene = async (moment) => {
  const { stage, memory, random } = moment;
  const { person, chat } = speaker(moment);
  const text = pick(random, lines.replies);
  const heard = memory.said.findLast((one) => one.chat === chat);
  const reply_to = heard ? { reply_to: heard.messageId } : {};
  const message = await act(stage, 'say', { user: person.username, chat, text, ...reply_to });
  remember(memory, person.username, chat, message);
};

export const photo: Scene = async ({ stage, memory, random }) => {
  const chat = stage.places.photos;
  const user = pick(random, placeMembers('photos')).username;
  const caption = pick(random, lines.captions);
  const message = await act(stage, 'send-media', { user, chat, kind: 'photo', caption });
  remember(memory, user, chat, message);
};

export const sticker: Scene = async (moment) => {
  const { person, chat } = speaker(moment);
  const kind = pick(moment.random, ['sticker', 'sticker', 'voice', 'video', 'document']);
  await act(moment.stage, 'send-media', { user: person.username, chat, kind });
};

export const edit: Scene = async ({ stage, memory, random }) => {
  const text = `${pick(random, lines.replies)} (edited)`;
  const latest = memory.said.at(-1);
  if (!latest) return;
  await act(stage, 'edit', {
    user: latest.username,
    chat: latest.chat,
    message_id: latest.messageId,
    text,
  });
};

export const remove: Scene = async ({ stage, memory }) => {
  const latest = memory.said.pop();
  if (!latest) return;
  const { username: user, chat, messageId } = latest;
  await act(stage, 'delete', { user, chat, message_id: messageId });
};

export const react: Scene = async ({ stage, memory, random }) => {
  const emoji = pick(random, lines.reactions);
  const back = random.integer(1, 8);
  const target = memory.said.at(-back);
  if (!target) return;
  // Greta is in every group of the neighbourhood.
  const user = staff.host.username;
  await act(stage, 'react', { user, chat: target.chat, message_id: target.messageId, emoji });
};

/** Bruno can never decide about the photo club. */
export const comeAndGo: Scene = async ({ stage, random }) => {
  const action = pick(random, ['chats/join', 'chats/leave']);
  await act(stage, action, { user: 'bruno_reis', chat: stage.places.photos });
};

/** A customer writes to the front desk. */
export const ask: Scene = async ({ stage, random }) => {
  const { username: user, language_code } = pick(random, neighbours);
  const { text } = pick(random, lines.questionsOf(language_code));
  await act(stage, 'say', { user, chat: stage.bots.front.platformId, text });
};

export const askWithPhoto: Scene = async ({ stage, random }) => {
  const user = pick(random, neighbours).username;
  const chat = stage.bots.front.platformId;
  await act(stage, 'send-media', { user, chat, kind: 'photo', caption: 'It looks like this now' });
};

export const advertise: Scene = async ({ stage }) => {
  const chat = stage.bots.front.platformId;
  await act(stage, 'say', { user: 'haruki_s', chat, text: lines.spam });
};

type Desk = 'billing' | 'tech';

const teamOf = (stage: Stage, desk: Desk): number =>
  stage.places[desk === 'billing' ? 'billingTeam' : 'techTeam'];

/** The questions that were carried to a team and that nobody there has replied to, oldest first. */
export async function waitingFor(stage: Stage, desk: Desk): Promise<number[]> {
  const shown = await historyOf(stage, staff[desk].username, teamOf(stage, desk));
  const answered = new Set(shown.map(({ message }) => message.reply_to_message?.message_id));
  // What was carried here as a reply are thanks; they need no answer.
  return shown
    .map(({ message }) => message)
    .filter((one) => one.from?.is_bot && !one.reply_to_message && !answered.has(one.message_id))
    .map((one) => one.message_id);
}

/** Nora and Pavel answer the oldest question that waits in their group, by replying to it. */
export const answer: Scene = async ({ stage, random }) => {
  const desk = pick(random, ['billing', 'tech'] as const);
  const text = pick(random, lines.answers[desk]);
  const [reply_to] = await waitingFor(stage, desk);
  if (reply_to === undefined) return;
  const user = staff[desk].username;
  await act(stage, 'say', { user, chat: teamOf(stage, desk), text, reply_to });
};

/** A customer presses a button below what the front desk said last. */
export const press: Scene = async ({ stage, random }) => {
  const user = pick(random, neighbours).username;
  const button = random.integer(0, 1);
  const chat = stage.bots.front.platformId;
  const shown = await historyOf(stage, user, chat);
  const message = shown.map((one) => one.message).findLast((one) => one.reply_markup);
  const text = message?.reply_markup?.inline_keyboard?.[0]?.[button]?.text;
  if (!message || text === undefined) return;
  const pressed = act(stage, 'press', { user, chat, message_id: message.message_id, button: text });
  await pressed.catch((error: unknown) => {
    // The bot may have taken its buttons away since; people press too late at times.
    if (!(error instanceof RelayError)) throw error;
  });
};

/** A customer replies to an answer of the team, which takes the same way back. */
export const thank: Scene = async ({ stage, random }) => {
  const user = pick(random, neighbours).username;
  const text = pick(random, lines.followUps);
  const chat = stage.bots.front.platformId;
  const shown = await historyOf(stage, user, chat);
  const answered = shown.findLast(
    ({ message }) => message.from?.is_bot && message.reply_to_message && !message.reply_markup,
  );
  if (!answered) return;
  await act(stage, 'say', { user, chat, text, reply_to: answered.message.message_id });
};

/** Straight to the billing desk, whose backend has its moods. */
export const pay: Scene = async ({ stage, random }) => {
  const user = pick(random, neighbours).username;
  const text = payment(random);
  await act(stage, 'say', { user, chat: stage.bots.billing.platformId, text });
};

/** Straight to the tech desk, whose program opens tickets. */
export const report: Scene = async ({ stage, random }) => {
  const user = pick(random, customers).username;
  const text = pick(random, reports);
  await act(stage, 'say', { user, chat: stage.bots.tech.platformId, text });
};

/** The one thing the billing backend cannot digest: it is tried for a while and then given up. */
export const sendInvoice: Scene = async ({ stage, random }) => {
  const user = pick(random, neighbours).username;
  const chat = stage.bots.billing.platformId;
  const name = `invoice-${random.integer(1000, 9999)}.txt`;
  await act(stage, 'send-media', { user, chat, kind: 'document', name, caption: 'My invoice' });
};

/** A bot speaks of its own accord, through the API. */
export const announce: Scene = async ({ stage, random }) => {
  const text = pick(random, lines.announcements);
  const chat_id = stage.places[pick(random, ['street', 'market'] as const)];
  await stage.api.post('/api/messages/send', {
    body: { bot_id: stage.bots.community.id, chat_id, text },
  });
};

async function historyOf(stage: Stage, user: string, chat: number): Promise<Shown[]> {
  return stage.api.get<Shown[]>('/api/sandbox/history', { user, chat, limit: 100 });
}
