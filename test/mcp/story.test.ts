import { describe, expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { serviceForAllTests } from '../support/whole-service.ts';
import {
  type Caller,
  callTool,
  connected,
  connectedBySdk,
  connectedByStdio,
  eras,
} from './support.ts';

interface Shown {
  message_id: number;
  text?: string;
}

interface Entry {
  action: string;
  actor: { id: number; name: string };
  input: { tool?: string };
}

type Connect = (address: string, key: string) => Promise<Caller>;

const clients: { who: string; way: string; connect: Connect }[] = eras.flatMap((era) => [
  { who: era, way: 'HTTP', connect: (address, key) => connected(address, key, era) },
  { who: era, way: 'stdio', connect: (address, key) => connectedByStdio(address, key, era) },
]);
for (const way of ['HTTP', 'stdio'] as const) {
  const connect: Connect = (address, key) => connectedBySdk(address, key, way);
  clients.push({ who: '2025 SDK', way, connect });
}

describe.each(dialects)('an agent on %s', (dialect) => {
  const relay = serviceForAllTests(dialect, { RELAY_RATE_PER_KEY: '100000' });

  const ofEngine = dialect === 'sqlite' ? clients : clients.slice(0, 1);
  it.each(ofEngine)(
    'answers a customer with the approval of a person, as a $who client over $way',
    async ({ connect, way, who }) => {
      const shop = await relay.addBot({ manage_enabled: true, name: 'Shop' });
      const team = await relay.addBot({ manage_enabled: true, name: 'Team' });
      const [ann, boss] = [await relay.addPerson('Ann'), await relay.addPerson('Boss')];
      await relay.say(boss, team, '/start');
      await relay.say(ann, shop, 'I want a refund');
      const body = { name: 'agent', scope: 'manage' };
      const { id: keyId, key } = await relay.call<{ id: number; key: string }>(
        '/api/auth/api-keys',
        body,
      );
      const client = await connect(relay.service().address, key);
      const use = async <T = unknown>(tool: string, given: Record<string, unknown>) => {
        const { isError, json } = await callTool<T>(client, tool, given);
        expect(isError, JSON.stringify(json)).toBe(false);
        return json.result;
      };
      const phone = async (bot: { platformId: number }, person: { id: number }, text: string) => {
        const find = async () =>
          (await relay.seen<Shown>(person, bot.platformId)).find((one) => one.text === text);
        await expect.poll(find, { message: text }).toBeDefined();
        return (await find())?.message_id;
      };

      // It finds who waits.
      const unanswered = () =>
        use<{ items?: { chat_id: number }[] } | []>('unanswered', { bot_id: shop.id });
      await expect.poll(unanswered).toMatchObject({ items: [{ chat_id: ann.id }] });
      const about = { bot_id: shop.id, chat_id: ann.id };

      // No route takes the message, so it adds one, which does.
      const message = { bot_id: shop.id, text: 'I want a refund', user_id: ann.id };
      expect(await use('simulate_route', message)).toMatchObject({ outcome: 'none' });
      const route = await use<{ id: number }>('routes', {
        action: 'add',
        source_bot_id: shop.id,
        target_bot_id: team.id,
        target_chat_id: boss.id,
        route_action: 'copy',
        condition_type: 'keyword',
        condition_value: 'refund',
      });
      expect(await use('simulate_route', message)).toMatchObject({ target_bot_id: team.id });

      // It asks for approval, which the boss gives on the phone.
      const { id } = await use<{ id: number }>('ask_person', {
        action: 'ask',
        bot_id: team.id,
        chat_id: boss.id,
        user_ids: [boss.id],
        text: 'Refund 40 € to Ann?',
        options: ['Approve', 'Reject'],
      });
      const button = await phone(team, boss, 'Refund 40 € to Ann?');
      const waits = use('ask_person', { action: 'wait', id });
      const pressed = { user: boss.id, chat: team.platformId, message_id: button };
      await relay.call('/api/sandbox/press', { ...pressed, button: 'Approve' });
      expect(await waits).toMatchObject({
        state: 'answered',
        answer: 'Approve',
        answered_by: boss.id,
      });

      // It answers the customer, who waits no longer.
      const answer = { action: 'text', ...about, text: 'You get **40 €** back.' };
      expect(await use('send', answer)).toMatchObject({ text: 'You get 40 € back.' });
      await phone(shop, ann, 'You get 40 € back.');
      await expect.poll(unanswered).toEqual([]);

      // The next message takes the route, and the agent can tell why.
      await relay.say(ann, shop, 'Another refund');
      await phone(team, boss, 'Another refund');
      const decisions = () => use('why_routed', about);
      await expect.poll(async () => JSON.stringify(await decisions())).toContain('refund');
      await use('routes', { action: 'delete', id: route.id });

      // All of it is in the audit log, with the names of key and client.
      const log = await relay.call<Entry[]>('/api/adminlog?limit=200');
      const entries = log.filter(({ actor }) => actor.id === keyId).toReversed();
      expect(entries.map(({ action }) => action).filter((one) => one !== 'mcp.call')).toEqual([
        'routes.add',
        'ask',
        'messages.send',
        'routes.delete',
      ]);
      const looks = entries.flatMap(({ action, input }) =>
        action === 'mcp.call' ? String(input.tool) : [],
      );
      const reading = ['unanswered', 'simulate_route', 'ask_person', 'why_routed'];
      expect(looks).toEqual(expect.arrayContaining(reading));
      // Clients of 2025 name themselves only when they connect, and each request stands alone.
      const name = who !== 'modern' && way === 'HTTP' ? 'node' : 'Story teller';
      expect(new Set(entries.map(({ actor }) => actor.name))).toEqual(
        new Set([`agent (MCP: ${name})`]),
      );
    },
  );
});
