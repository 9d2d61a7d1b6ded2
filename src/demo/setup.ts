/*
 * Sets up the world of the demo before the first message. Only missing parts are created, so that
 * an existing world continues and an incomplete one is completed.
 */
import type { SandboxWorld } from '../../sandbox/src/answers.ts';
import type { ApiClient } from '../api.ts';
import type { BotsAddRequest } from '../api-types.ts';
import type { Backends } from './backends.ts';
import {
  type BotPart,
  type BotRole,
  bots as botParts,
  colleagues,
  customers,
  neighbours,
  type Person,
  type ChatName,
  chats as placeParts,
  staff,
} from './fixtures.ts';

export interface DemoBot {
  /** Its id in the relay. */
  id: number;
  /** Its id on the platform. */
  platformId: number;
  token: string;
  secret: string;
}

export interface DemoSetup {
  api: ApiClient;
  address: string;
  bots: Record<BotRole, DemoBot>;
  /** Ids by username. */
  people: ReadonlyMap<string, number>;
  /** Chat ids. */
  chats: Record<ChatName, number>;
  /** The topics of the forum: their ids by name. */
  topics: ReadonlyMap<string, number>;
}

export async function setUpDemo(
  api: ApiClient,
  address: string,
  backends: Backends,
): Promise<DemoSetup> {
  const known = await api.get('/api/sandbox/snapshot');
  const people = new Map<string, number>();
  for (const person of [...neighbours, ...Object.values(staff)]) {
    people.set(person.username, await findOrAddPerson(api, known, person, { hasPhoto: true }));
  }
  for (const person of [...Object.values(colleagues).flat(), ...customers]) {
    people.set(person.username, await findOrAddPerson(api, known, person, { hasPhoto: false }));
  }
  const registered = await api.get('/api/bots');
  const bots = {} as Record<BotRole, DemoBot>;
  for (const role of Object.keys(botParts) as BotRole[]) {
    const practice = await findOrIssueBot(api, known, botParts[role]);
    const added =
      registered.find((bot) => bot.username === practice.username) ??
      (await api.post('/api/bots/add', {
        body: { token: practice.token, ...settingsOf(role) },
      }));
    await api.post('/api/bots/update', { body: { id: added.id, ...forwardingOf(role, backends) } });
    bots[role] = {
      id: added.id,
      platformId: practice.id,
      token: practice.token,
      secret: added.secret_token,
    };
    if (role === 'old' && !added.disabled) {
      await api.post('/api/bots/toggle-disabled', { query: { id: added.id } });
    }
  }
  const chats = {} as Record<ChatName, number>;
  for (const name of Object.keys(placeParts) as ChatName[]) {
    chats[name] = await findOrOpenChat(api, known, name, bots);
  }
  const topics = await findOrCreateTopics(api, chats.forum);
  return { api, address, bots, people, chats, topics };
}

async function findOrAddPerson(
  api: ApiClient,
  known: SandboxWorld,
  person: Person,
  { hasPhoto }: { hasPhoto: boolean },
): Promise<number> {
  const found = known.users.find((user) => user.username === person.username);
  if (found) return found.id;
  const { id } = await api.post('/api/sandbox/users/create', {
    body: { ...person },
  });
  if (hasPhoto) await api.post('/api/sandbox/users/photo', { body: { user: id } });
  return id;
}

async function findOrIssueBot(api: ApiClient, known: SandboxWorld, part: BotPart) {
  const found = known.bots.find((bot) => bot.username === part.username);
  if (found) return found;
  return api.post('/api/sandbox/bots', {
    // They manage groups, so they receive every message there.
    body: { username: part.username, first_name: part.name, privacy_mode: false },
  });
}

function settingsOf(role: BotRole): Partial<BotsAddRequest> {
  const { name, description } = botParts[role];
  return {
    name,
    description,
    manage_enabled: role !== 'old',
    long_poll_enabled: role === 'tech',
    llm_routing_enabled: role === 'front',
    secret_token: role === 'front' ? 'a-secret-of-the-demo' : '',
  };
}

/** The backends have other ports in each run. */
function forwardingOf(role: BotRole, backends: Backends): Partial<BotsAddRequest> {
  const urls: Partial<Record<BotRole, string>> = {
    front: backends.echoUrl,
    billing: backends.ledgerUrl,
    community: backends.deadUrl,
  };
  const backend_url = urls[role];
  return backend_url === undefined ? {} : { backend_url, proxy_enabled: true };
}

async function findOrOpenChat(
  api: ApiClient,
  known: SandboxWorld,
  name: ChatName,
  bots: Record<BotRole, DemoBot>,
): Promise<number> {
  const { bot, neighbours: count, colleagues: team = [], topics, ...chatFields } = placeParts[name];
  const found = known.chats.find((chat) => chat.title === chatFields.title);
  if (found) return found.id;
  const { id } = await api.post('/api/sandbox/chats/create', {
    body: {
      ...chatFields,
      is_forum: topics !== undefined,
      members: [...neighbours.slice(0, count), ...team].map((person) => person.username),
    },
  });
  await api.post('/api/sandbox/chats/promote', {
    body: { user: bots[bot].platformId, chat: id, by: chatFields.owner, rights: {} },
  });
  return id;
}

async function findOrCreateTopics(api: ApiClient, chat: number): Promise<Map<string, number>> {
  const { owner: user, topics = [] } = placeParts.forum;
  const known = await api.get('/api/sandbox/topics', { user, chat });
  const ids = new Map(known.map((topic) => [topic.name, topic.message_thread_id]));
  for (const { name, icon_color } of topics) {
    if (ids.has(name)) continue;
    const body = { user, chat, name, icon_color };
    const { message_thread_id } = await api.post('/api/sandbox/topics/create', { body });
    ids.set(name, message_thread_id);
  }
  return ids;
}
