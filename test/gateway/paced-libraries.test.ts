import { Bot } from 'grammy';
import { expect, it, onTestFinished } from 'vitest';
import { runAction } from '../../sandbox/src/index.ts';
import { startRelayOnSandbox } from '../libraries/relay-on-sandbox.ts';

it('grammY streams an answer through a paced app, and meets no 429', async () => {
  const relay = await startRelayOnSandbox('sqlite');
  onTestFinished(relay.close);
  const { sandbox, bot, botId } = relay;
  const owner = sandbox.createUser({ first_name: 'Ann' });
  const group = sandbox.createChat({ title: 'Agents', owner, members: [bot.id] });
  const settings = { bot_id: botId, name: 'agent', mode: 'send', pacing: 'on' };
  const app = await relay.call<{ token: string }>('/api/bots/apps/add', settings);
  const { api } = new Bot(app.token, { client: { apiRoot: relay.address } });
  runAction(sandbox, 'flood-limits', { counting: 'together', group_seconds: 2 });

  const { message_id } = await api.sendMessage(group.id, 'Let me see …');
  for (let words = 1; words <= 22; words++) {
    await api.sendChatAction(group.id, 'typing');
    await api.editMessageText(group.id, message_id, 'word '.repeat(words));
  }
  await api.editMessageText(group.id, message_id, 'Done.');

  const shown = sandbox.history(owner, group.id).find(({ message }) => message.text === 'Done.');
  expect(shown?.message.message_id).toBe(message_id);
  const apps = await relay.call<{ name: string; rate_limited: number }[]>(
    `/api/bots/apps?bot_id=${botId}`,
  );
  // The relay met one, and repeated the edit.
  expect(apps).toContainEqual(expect.objectContaining({ name: 'agent', rate_limited: 1 }));
});
