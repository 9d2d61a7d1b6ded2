/*
 * The scenes. Each draws its random numbers from its own source, so what people do depends only on
 * the seed, never on how fast the bots are.
 */
import { RelayError } from '../errors.ts';
import type { SandboxMessage, SandboxShownMessage } from '../../sandbox/src/answers.ts';
import type { Random } from '../../sandbox/src/index.ts';
import { customers, neighbours, type Person, chatMembers, publicChats, staff } from './fixtures.ts';
import { forumTopics, payment, reports } from './support-lines.ts';
import * as lines from './lines.ts';
import type { DemoSetup } from './setup.ts';

interface Said {
  username: string;
  chat: number;
  messageId: number;
}

export interface Memory {
  /** The latest messages of neighbours in groups, oldest first. */
  messages: Said[];
}

export interface Moment {
  setup: DemoSetup;
  memory: Memory;
  random: Random;
}

export type Scene = (moment: Moment) => Promise<void>;

const remembered = 60;
const generalId = 1;

export function createMemory(): Memory {
  return { messages: [] };
}

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[random.integer(0, list.length - 1)] as T;
}

function remember(memory: Memory, username: string, chat: number, message: SandboxMessage): void {
  memory.messages.push({ username, chat, messageId: message.message_id });
  if (memory.messages.length > remembered) memory.messages.shift();
}

/** A member in one of their groups. */
function speaker({ setup, random }: Moment): { person: Person; chat: number } {
  const name = pick(random, publicChats);
  return { person: pick(random, chatMembers(name)), chat: setup.chats[name] };
}

export const chat: Scene = async (moment) => {
  const { setup, memory, random } = moment;
  const { person, chat } = speaker(moment);
  const text = pick(random, lines.linesOf(person.language_code));
  remember(
    memory,
    person.username,
    chat,
    await setup.api.post('/api/sandbox/say', { body: { user: person.username, chat, text } }),
  );
};

export const reply: Scene = async (moment) => {
  const { setup, memory, random } = moment;
  const { person, chat } = speaker(moment);
  const text = pick(random, lines.replies);
  const last = memory.messages.findLast((one) => one.chat === chat);
  const reply_to = last ? { reply_to: last.messageId } : {};
  const message = await setup.api.post('/api/sandbox/say', {
    body: { user: person.username, chat, text, ...reply_to },
  });
  remember(memory, person.username, chat, message);
};

export const photo: Scene = async ({ setup, memory, random }) => {
  const chat = setup.chats.photos;
  const user = pick(random, chatMembers('photos')).username;
  const caption = pick(random, lines.captions);
  const message = await setup.api.post('/api/sandbox/send-media', {
    body: { user, chat, kind: 'photo', caption },
  });
  remember(memory, user, chat, message);
};

export const sticker: Scene = async (moment) => {
  const { person, chat } = speaker(moment);
  const kind = pick(moment.random, ['sticker', 'sticker', 'voice', 'video', 'document']);
  await moment.setup.api.post('/api/sandbox/send-media', {
    body: { user: person.username, chat, kind },
  });
};

export const edit: Scene = async ({ setup, memory, random }) => {
  const text = `${pick(random, lines.replies)} (edited)`;
  const latest = memory.messages.at(-1);
  if (!latest) return;
  await setup.api.post('/api/sandbox/edit', {
    body: {
      user: latest.username,
      chat: latest.chat,
      message_id: latest.messageId,
      text,
    },
  });
};

export const remove: Scene = async ({ setup, memory }) => {
  const latest = memory.messages.pop();
  if (!latest) return;
  const { username: user, chat, messageId } = latest;
  await setup.api.post('/api/sandbox/delete', { body: { user, chat, message_id: messageId } });
};

export const react: Scene = async ({ setup, memory, random }) => {
  const emoji = pick(random, lines.reactions);
  const back = random.integer(1, 8);
  const target = memory.messages.at(-back);
  if (!target) return;
  // Greta is in every group of the neighbourhood.
  const user = staff.host.username;
  await setup.api.post('/api/sandbox/react', {
    body: { user, chat: target.chat, message_id: target.messageId, emoji },
  });
};

/** Bruno joins and leaves the photo club again and again. */
export const comeAndGo: Scene = async ({ setup, random }) => {
  const action = pick(random, ['chats/join', 'chats/leave'] as const);
  await setup.api.post(`/api/sandbox/${action}`, {
    body: { user: 'bruno_reis', chat: setup.chats.photos },
  });
};

/** A line of somebody in one of the topics. */
export function forumLine({ chats, topics }: DemoSetup, random: Random) {
  const topic = pick(random, forumTopics);
  return {
    user: pick(random, [...chatMembers('forum'), staff.tech]).username,
    chat: chats.forum,
    message_thread_id: topics.get(topic.name) ?? generalId,
    text: pick(random, topic.lines),
  };
}

/** Somebody writes in a topic of the forum. */
export const discuss: Scene = async ({ setup, random }) => {
  await setup.api.post('/api/sandbox/say', { body: forumLine(setup, random) });
};

/** A customer writes to the reception. */
export const ask: Scene = async ({ setup, random }) => {
  const { username: user, language_code } = pick(random, neighbours);
  const { text } = pick(random, lines.questionsOf(language_code));
  await setup.api.post('/api/sandbox/say', {
    body: { user, chat: setup.bots.front.platformId, text },
  });
};

export const askWithPhoto: Scene = async ({ setup, random }) => {
  const user = pick(random, neighbours).username;
  const chat = setup.bots.front.platformId;
  await setup.api.post('/api/sandbox/send-media', {
    body: { user, chat, kind: 'photo', caption: 'It looks like this now' },
  });
};

export const advertise: Scene = async ({ setup }) => {
  const chat = setup.bots.front.platformId;
  await setup.api.post('/api/sandbox/say', { body: { user: 'haruki_s', chat, text: lines.spam } });
};

type SupportRole = 'billing' | 'tech';

const teamOf = (setup: DemoSetup, role: SupportRole): number =>
  setup.chats[role === 'billing' ? 'billingTeam' : 'techTeam'];

/** Questions routed to a team that have no reply yet, oldest first. */
export async function waitingFor(setup: DemoSetup, role: SupportRole): Promise<number[]> {
  const shown = await historyOf(setup, staff[role].username, teamOf(setup, role));
  const answered = new Set(shown.map(({ message }) => message.reply_to_message?.message_id));
  // A routed reply is a thank-you and needs no answer.
  return shown
    .map(({ message }) => message)
    .filter((one) => one.from?.is_bot && !one.reply_to_message && !answered.has(one.message_id))
    .map((one) => one.message_id);
}

/** Nora and Pavel answer the oldest question in their group by replying to it. */
export const answer: Scene = async ({ setup, random }) => {
  const role = pick(random, ['billing', 'tech'] as const);
  const text = pick(random, lines.answers[role]);
  const [reply_to] = await waitingFor(setup, role);
  if (reply_to === undefined) return;
  const user = staff[role].username;
  await setup.api.post('/api/sandbox/say', {
    body: { user, chat: teamOf(setup, role), text, reply_to },
  });
};

/** A customer presses a button of the reception's last message. */
export const press: Scene = async ({ setup, random }) => {
  const user = pick(random, neighbours).username;
  const button = random.integer(0, 1);
  const chat = setup.bots.front.platformId;
  const shown = await historyOf(setup, user, chat);
  const message = shown.map((one) => one.message).findLast((one) => one.reply_markup);
  const text = message?.reply_markup?.inline_keyboard?.[0]?.[button]?.text;
  if (!message || text === undefined) return;
  const pressed = setup.api.post('/api/sandbox/press', {
    body: { user, chat, message_id: message.message_id, button: text },
  });
  await pressed.catch((error: unknown) => {
    // The bot may have removed its buttons; people sometimes press too late.
    if (!(error instanceof RelayError)) throw error;
  });
};

/** A customer replies to the team's answer, over the same return path. */
export const thank: Scene = async ({ setup, random }) => {
  const user = pick(random, neighbours).username;
  const text = pick(random, lines.followUps);
  const chat = setup.bots.front.platformId;
  const shown = await historyOf(setup, user, chat);
  const answered = shown.findLast(
    ({ message }) => message.from?.is_bot && message.reply_to_message && !message.reply_markup,
  );
  if (!answered) return;
  await setup.api.post('/api/sandbox/say', {
    body: { user, chat, text, reply_to: answered.message.message_id },
  });
};

/** A customer writes directly to the billing bot, whose backend fails at times. */
export const pay: Scene = async ({ setup, random }) => {
  const user = pick(random, neighbours).username;
  const text = payment(random);
  await setup.api.post('/api/sandbox/say', {
    body: { user, chat: setup.bots.billing.platformId, text },
  });
};

/** A customer writes directly to the tech bot, whose app opens tickets. */
export const report: Scene = async ({ setup, random }) => {
  const user = pick(random, customers).username;
  const text = pick(random, reports);
  await setup.api.post('/api/sandbox/say', {
    body: { user, chat: setup.bots.tech.platformId, text },
  });
};

/** The billing backend always fails on documents: after its retries, this becomes a dead letter. */
export const sendInvoice: Scene = async ({ setup, random }) => {
  const user = pick(random, neighbours).username;
  const chat = setup.bots.billing.platformId;
  const name = `invoice-${random.integer(1000, 9999)}.txt`;
  await setup.api.post('/api/sandbox/send-media', {
    body: { user, chat, kind: 'document', name, caption: 'My invoice' },
  });
};

/** A bot sends a message through the API. */
export const announce: Scene = async ({ setup, random }) => {
  const text = pick(random, lines.announcements);
  const chat_id = setup.chats[pick(random, ['street', 'market'] as const)];
  await setup.api.post('/api/messages/send', {
    body: { bot_id: setup.bots.community.id, chat_id, text },
  });
};

async function historyOf(
  setup: DemoSetup,
  user: string,
  chat: number,
): Promise<SandboxShownMessage[]> {
  return setup.api.get('/api/sandbox/history', { user, chat, limit: 100 });
}
