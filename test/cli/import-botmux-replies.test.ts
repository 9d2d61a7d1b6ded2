import { describe, expect, it, vi } from 'vitest';
import type { BotmuxReport } from '../../src/manage/import/import-botmux.ts';
import { writeBotmuxFile } from '../support/botmux-file.ts';
import { dialects } from '../support/database/engines.ts';
import { counts, machineWithBotmux } from '../support/rigs/botmux-machine.ts';

describe.each(dialects)('messages that botmux forwarded, on %s', (dialect) => {
  it('are answered: a reply goes back to its author, who sees it as a reply', async () => {
    const { machine, file, shop, desk, ann } = await machineWithBotmux(dialect);
    const { sandbox } = machine;
    const bob = sandbox.createUser({ first_name: 'Bob' });
    const team = sandbox.createChat({ title: 'Team', owner: bob, members: [desk] });
    sandbox.say(ann.id, 'old_shop_bot', '/start');
    const asked = sandbox.say(ann.id, 'old_shop_bot', 'Where is my refund?');
    // botmux sent it on before it was stopped.
    const sent = (await sandbox.call(desk.token, 'sendMessage', {
      chat_id: team.id,
      text: 'Where is my refund?',
    })) as { message_id: number };
    const mapping = {
      source_bot_id: 1,
      source_chat_id: ann.id,
      source_msg_id: asked.message_id,
      target_bot_id: 2,
      target_chat_id: team.id,
      target_msg_id: sent.message_id,
    };
    writeBotmuxFile(file, {
      bots: [
        { name: 'Shop', token: shop.token, manage_enabled: 1 },
        { name: 'Desk', token: desk.token, manage_enabled: 1 },
      ],
      // Its route is gone, and it is older than the relay keeps what it routed itself.
      route_mappings: [{ ...mapping, route_id: 7, created_at: '2020-01-01 10:00:00' }],
    });
    expect(await machine.json<BotmuxReport>(['import', 'botmux', file])).toMatchObject({
      pairs: counts(1),
    });
    // Its start deletes what is too old.
    await machine.startService();
    sandbox.say(bob, team, 'On its way.', { replyTo: sent.message_id });
    await vi.waitFor(() => {
      const last = sandbox.history(ann.id, 'old_shop_bot').at(-1);
      expect(last?.message).toMatchObject({
        text: 'On its way.',
        reply_to_message: { message_id: asked.message_id },
      });
    });
  });
});
