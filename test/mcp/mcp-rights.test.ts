import { describe, expect, it } from 'vitest';
import { serviceForAllTests } from '../support/whole-service.ts';
import { restOf } from './rest.ts';
import { allActions, callWith, connected, type Outcome } from './support.ts';

const secret = 'saidWhereTheKeyHasNoRight';
const refusals = /unauthorized|forbidden|not_allowed|Unknown tool|action must be one of/;

describe('the rights of a key over MCP', () => {
  const relay = serviceForAllTests('sqlite', {
    RELAY_RATE_PER_KEY: '100000',
    RELAY_RATE_PER_ADDRESS: '100000',
  });

  /** A chat of a bot in which somebody wrote. */
  async function chatWith(text: string) {
    const bot = await relay.addBot({ manage_enabled: true });
    const person = await relay.addPerson(text);
    await relay.say(person, bot, text);
    const path = `/api/messages?bot_id=${bot.id}&chat_id=${person.id}`;
    await expect.poll(async () => JSON.stringify(await relay.call(path))).toContain(text);
    return { bot_id: bot.id, chat_id: person.id, path };
  }

  /** Values for all that any action may need. */
  const valuesFor = ({ bot_id, chat_id }: { bot_id: number; chat_id: number }, text: string) => ({
    bot_id,
    chat_id,
    user_id: chat_id,
    user: chat_id,
    id: chat_id,
    message_id: 1,
    q: secret,
    text,
    state: 'done',
    new_state: 'done',
    assignee: 'none',
    type: 'photo',
    file_id: 'unknown',
    source_bot_id: bot_id,
    target_bot_id: bot_id,
    route_action: 'drop',
    token: '1:unknown',
  });
  const isRefused = ({ isError, json }: Outcome) =>
    isError && refusals.test(JSON.stringify(json['code'] ?? json));

  it('is that of the same key over REST', async () => {
    const own = await chatWith('ownChat');
    const foreign = await chatWith(secret);
    const sameBot = await chatWith(`${secret}2`);
    const keys = {
      read: { scope: 'read' },
      send: { scope: 'send' },
      'one bot': { scope: 'manage', bot_ids: [own.bot_id] },
      'one chat': { scope: 'send', read_chats: [own.chat_id], write_chats: [own.chat_id] },
      manage: { scope: 'manage' },
    };
    const rest = await restOf(relay.service().address);

    for (const [name, more] of Object.entries(keys)) {
      const isLimited = !['read', 'send', 'manage'].includes(name);
      const about = name === 'one chat' ? sameBot : foreign;
      const body = { name: 'agent', ...more };
      const { key } = await relay.call<{ key: string }>('/api/auth/api-keys', body);
      const client = await connected(relay.service().address, key);
      const given = valuesFor(about, `with ${name}`);
      for (const action of allActions) {
        const overMcp = await callWith(client, action, given);
        const overRest = await rest(action, given, key);
        const what = `${action.call} with ${name}: ${JSON.stringify(overMcp)} ${overRest.text}`;
        // Wrong input is found before some rights are looked at.
        if (overRest.status === 400) expect(overMcp.isError, what).toBe(true);
        else expect([401, 403].includes(overRest.status), what).toBe(isRefused(overMcp));
        if (isLimited) {
          for (const text of [JSON.stringify(overMcp.json), overRest.text]) {
            expect(text, what).not.toContain(secret);
          }
        }
        const isChange = !/^GET|simulate|preview/.test(action.call);
        if (isChange && (isLimited || name === 'read')) expect(overMcp.isError, what).toBe(true);
      }
      const after = JSON.stringify(await relay.call(about.path));
      expect(after.includes(`with ${name}`), name).toBe(['send', 'manage'].includes(name));
    }
    for (const action of allActions) {
      const { status } = await rest(action, valuesFor(own, 'x'), undefined);
      expect(status, action.call).toBe(401);
    }
  });
});
