import { describe, expect, it, vi } from 'vitest';
import { createMachine } from '../support/command.ts';

describe('the command', () => {
  it('lists the topics of a chat with their state', async () => {
    const machine = await createMachine();
    const { json, run, sandbox, token } = machine;
    await machine.startService();
    await json(['bots', 'add', '--name', 'Shop', '--token-stdin'], `${token}\n`);
    const olga = sandbox.createUser({ first_name: 'Olga' });
    const forum = sandbox.createChat({ title: 'Team', owner: olga.id, isForum: true });
    sandbox.addMember(olga.id, forum.id, 'shop_bot');
    const refunds = sandbox.createTopic(olga.id, forum.id, { name: 'Refunds' });
    sandbox.createTopic(olga.id, forum.id, { name: 'Parcels' });
    sandbox.changeTopic(olga.id, forum.id, refunds, { isClosed: true });
    const list = ['chats', 'topics', '1', String(forum.id)];
    expect((await run(list)).stderr).toContain('bots update 1 --manage on');
    await json(['bots', 'update', '1', '--manage', 'on']);
    const closed = { message_thread_id: refunds, closed: true };
    await vi.waitFor(
      async () => expect(await json(list)).toContainEqual(expect.objectContaining(closed)),
      { interval: 20 },
    );
    const [titles, ...rows] = (await run(list)).stdout.split('\n');
    expect(titles).toMatch(/^TOPIC +NAME +STATE +LAST MESSAGE$/);
    expect(rows.join('\n')).toMatch(new RegExp(`^${refunds} +Refunds +closed +2`, 'm'));
    expect(await json([...list, '--search', 'parc', '--limit', '1'])).toMatchObject([
      { name: 'Parcels', closed: false },
    ]);
    expect((await run([...list, '--search', 'tea'])).stdout).toBe('No topic matches.\n');
    expect((await run(['chats', 'topics', '1', '77'])).stderr).toBe(
      'bot-relay: Bot 1 has no chat 77. Chats appear with their first message.\n',
    );
  });
});
