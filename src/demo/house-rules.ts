import type { ApiClient } from '../api.ts';
import type { AuthApiKeysRequest, RoutesAddRequest } from '../api-types.ts';
import type { BotRole, ChatName } from './fixtures.ts';
import type { DemoSetup } from './setup.ts';

interface RouteSketch {
  to: BotRole;
  action: 'forward' | 'copy' | 'drop';
  condition: [type: RoutesAddRequest['condition_type'] & string, value: string];
  chat?: ChatName;
  description: string;
  enabled?: false;
}

// Routes from the reception, in the order in which they apply.
const routes: readonly RouteSketch[] = [
  {
    to: 'front',
    action: 'drop',
    condition: ['regex', '(?i)casino|crypto|click here'],
    description: 'Advertising goes nowhere',
  },
  {
    to: 'billing',
    action: 'forward',
    condition: ['keyword', 'refund'],
    chat: 'billingTeam',
    description: 'Refunds go to the billing team',
  },
  {
    to: 'tech',
    action: 'forward',
    condition: ['media', 'photo'],
    chat: 'techTeam',
    description: 'Photos of broken things go to the tech team',
  },
  {
    to: 'billing',
    action: 'forward',
    condition: ['llm', ''],
    chat: 'billingTeam',
    description: 'Whatever is about money',
  },
  {
    to: 'tech',
    action: 'forward',
    condition: ['llm', ''],
    chat: 'techTeam',
    description: 'Whatever is about devices',
  },
  {
    to: 'old',
    action: 'copy',
    condition: ['command', '/legacy'],
    description: 'Left over: its bot is disabled',
  },
  {
    to: 'tech',
    action: 'copy',
    condition: ['keyword', 'urgent'],
    chat: 'techTeam',
    description: 'Switched off for now',
    enabled: false,
  },
];

/** Routes, tags and keys. */
export async function setDemoSettings(setup: DemoSetup): Promise<void> {
  const { api, bots, chats } = setup;
  const existing = await api.get('/api/routes', { bot_id: bots.front.id });
  for (const [index, route] of routes.entries()) {
    if (existing.length > 0) break;
    const [condition_type, condition_value] = route.condition;
    await api.post('/api/routes/add', {
      body: {
        source_bot_id: bots.front.id,
        target_bot_id: bots[route.to].id,
        action: route.action,
        condition_type,
        condition_value,
        target_chat_id: route.chat ? chats[route.chat] : 0,
        description: route.description,
        enabled: route.enabled ?? true,
        priority: (index + 1) * 10,
      },
    });
  }
  await addTags(setup);
  await addKeys(api, setup);
}

async function addTags({ api, bots, people, chats }: DemoSetup): Promise<void> {
  const tag = async (
    username: string,
    chatId: number,
    role: BotRole,
    name: string,
    color: string,
  ) =>
    api.post('/api/tags/add', {
      body: {
        chat_id: chatId,
        user_id: people.get(username) as number,
        bot_id: bots[role].id,
        username,
        tag: name,
        color,
      },
    });
  await tag('anna_lind', chats.street, 'community', 'organiser', '#2f9e44');
  await tag('ivan_sokolov', chats.street, 'community', 'newcomer', '#1c7ed6');
  await tag('tomokelly', chats.street, 'community', 'talks a lot', 'orange');
  await tag('meilin88', chats.photos, 'community', 'best photos', 'gold');
  await tag('camille_d', chats.market, 'community', 'trusted seller', 'teal');
  const customers = ['anna_lind', 'lucia_mora', 'jonas_weber'];
  for (const username of customers) {
    await tag(username, people.get(username) ?? 0, 'front', 'VIP', '#f59f00');
  }
  await tag('camille_d', people.get('camille_d') ?? 0, 'front', 'waiting for us', 'crimson');
}

async function addKeys(api: ApiClient, { bots }: DemoSetup): Promise<void> {
  const existing = await api.get('/api/auth/api-keys');
  const wanted: AuthApiKeysRequest[] = [
    { name: 'dashboard', scope: 'read' },
    { name: 'billing backend', scope: 'send', bot_ids: [bots.billing.id] },
    { name: 'deploy script', scope: 'manage', expires_at: '2035-01-31T12:00:00Z' },
  ];
  for (const key of wanted) {
    if (existing.some(({ name }) => name === key.name)) continue;
    await api.post('/api/auth/api-keys', { body: key });
  }
}

/** Simulated faults of Telegram. They last as long as the process, so they are set at each start. */
export async function addFaults({ api, bots }: DemoSetup): Promise<void> {
  const tech = { bot: bots.tech.platformId, method: 'sendMessage' };
  await api.post('/api/sandbox/faults/add', {
    body: { ...tech, kind: 'slow', delayMs: 400, probability: 0.3 },
  });
  await api.post('/api/sandbox/faults/add', {
    body: { ...tech, kind: 'server_error', status: 502, probability: 0.1 },
  });
}
