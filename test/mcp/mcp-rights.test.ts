import { describe, expect, it } from 'vitest';
import { tools } from '../../src/http/mcp/tool-table.ts';
import { serviceForAllTests } from '../support/whole-service.ts';
import { callTool, connected } from './support.ts';

const secret = 'saidWhereTheKeyHasNoRight';
const actions = Object.entries(tools).flatMap(([tool, { actions: own }]) =>
  Object.entries(own).map(([action, { call }]) => ({
    tool,
    action: Object.keys(own).length > 1 ? { action } : {},
    call,
  })),
);

describe('the rights of a key over MCP', () => {
  const relay = serviceForAllTests('sqlite', { RELAY_RATE_PER_KEY: '100000' });

  /** A chat of a bot in which somebody wrote. */
  async function chatWith(text: string, bot = relay.addBot({ manage_enabled: true })) {
    const { id: bot_id, platformId, token } = await bot;
    const { id: chat_id } = await relay.addPerson(text);
    await relay.say({ id: chat_id }, { id: bot_id, platformId, token }, text);
    const path = `/api/messages?bot_id=${bot_id}&chat_id=${chat_id}`;
    await expect.poll(async () => JSON.stringify(await relay.call(path))).toContain(text);
    return { bot_id, chat_id, path };
  }

  /** Calls every action about the chat, with values for all it may need. */
  async function callAll(key: string, text: string, about: { bot_id: number; chat_id: number }) {
    const client = await connected(relay.service().address, key);
    const outcomes: { call: string; isError: boolean; text: string }[] = [];
    const given: Record<string, unknown> = {
      ...about,
      user_id: about.chat_id,
      user: about.chat_id,
      id: about.chat_id,
      message_id: 1,
      q: secret,
      text,
      state: 'done',
      new_state: 'done',
      assignee: 'none',
      type: 'photo',
      file_id: 'unknown',
      source_bot_id: about.bot_id,
      target_bot_id: about.bot_id,
      route_action: 'drop',
      token: '1:unknown',
    };
    const { tools: listed } = await client.listTools();
    for (const { action, call, tool } of actions) {
      const schema = listed.find(({ name }) => name === tool)?.inputSchema;
      const known = Object.keys(schema?.properties ?? {});
      const fields = Object.entries(given).filter(([name]) => known.includes(name));
      const ask = (drop: readonly string[]) =>
        callTool(client, tool, {
          ...Object.fromEntries(fields.filter(([name]) => !drop.includes(name))),
          ...action,
        });
      let answer = await ask([]).catch((error: Error) => ({
        isError: true,
        json: { code: error.message },
      }));
      const takes = /It takes ([^.]*)\./.exec(String(answer.json.code))?.[1]?.split(', ');
      if (takes) answer = await ask(known.filter((name) => !takes.includes(name)));
      outcomes.push({ call, isError: answer.isError, text: JSON.stringify(answer.json) });
    }
    return outcomes;
  }

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
    const keyOf = async (more: object) =>
      (await relay.call<{ key: string }>('/api/auth/api-keys', { name: 'agent', ...more })).key;

    for (const [name, more] of Object.entries(keys)) {
      const isLimited = !['read', 'send', 'manage'].includes(name);
      const about = name === 'one chat' ? sameBot : foreign;
      for (const { call, isError, text } of await callAll(
        await keyOf(more),
        `with ${name}`,
        about,
      )) {
        if (isLimited) expect(text, `${call} with ${name}`).not.toContain(secret);
        const isChange = !/^GET|simulate|preview/.test(call);
        if (isChange && (isLimited || name === 'read')) {
          expect(isError, `${call} with ${name}: ${text}`).toBe(true);
        }
      }
      const after = JSON.stringify(await relay.call(about.path));
      expect(after.includes(`with ${name}`), name).toBe(['send', 'manage'].includes(name));
    }
  });
});
