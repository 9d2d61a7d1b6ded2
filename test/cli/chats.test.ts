import { describe, expect, it, vi } from 'vitest';
import { createMachine } from '../support/command.ts';

describe('the command', () => {
  it('lists who waits, and assigns, snoozes and finishes conversations', async () => {
    const machine = await createMachine();
    const { json, run, sandbox, token } = machine;
    await machine.startService();
    await json(['bots', 'add', '--name', 'Shop', '--manage', 'on', '--token-stdin'], `${token}\n`);
    const olga = sandbox.createUser({ first_name: 'Olga' });
    sandbox.say(olga.id, 'shop_bot', 'Where is my order?');
    const list = ['chats', 'list', '--state', 'waiting'];
    await vi.waitFor(async () => expect(await json(list)).toHaveLength(1), { interval: 20 });
    const [titles, row] = (await run(list)).stdout.split('\n');
    expect(titles).toMatch(/^BOT +CHAT +TITLE +STATE +WAITS SINCE +ASSIGNEE +LAST MESSAGE$/);
    expect(row).toMatch(new RegExp(`^1 +${olga.id} +Olga +waiting +2`));
    const chat = ['1', String(olga.id)];
    expect((await run(['chats', 'counts'])).stdout).toMatch(
      /^1 waiting, 0 snoozed, 0 open; 1 of them unassigned. Waiting since 2/,
    );
    const assigned = await run(['chats', 'assign', ...chat, `person:${olga.id}`]);
    expect(assigned.stdout).toBe('Assigned Olga to Olga.\n');
    const refused = await run(['chats', 'assign', ...chat, 'none']);
    expect(refused.stderr).toContain('Olga has this conversation.');
    const freed = await run(['chats', 'assign', ...chat, 'none', '--take']);
    expect(freed.stdout).toBe('Assigned Olga to nobody.\n');
    expect((await run(['chats', 'snooze', ...chat, '2h'])).stdout).toMatch(/snoozed until 2/);
    expect((await run(['chats', 'snooze', ...chat])).stdout).toBe('Olga is not snoozed.\n');
    expect((await run(['chats', 'state', ...chat, 'done'])).stdout).toBe('Olga is done.\n');
    expect((await run(list)).stdout).toBe('No chats match.\n');
  });

  it('names the topic where topics are conversations', async () => {
    const machine = await createMachine();
    const { json, run, sandbox } = machine;
    await machine.startService();
    const agent = sandbox.createBot({
      first_name: 'Agent',
      username: 'agent_bot',
      hasTopics: true,
    });
    const added = ['bots', 'add', '--name', 'Agent', '--manage', 'on', '--per-topic', 'on'];
    await json([...added, '--token-stdin'], `${agent.token}\n`);
    const olga = sandbox.createUser({ first_name: 'Olga' });
    const topic = sandbox.createTopic(olga.id, agent.id, { name: 'Refunds' });
    sandbox.say(olga.id, 'agent_bot', 'My money?', { topicId: topic });
    const list = ['chats', 'list', '--state', 'waiting', '--topic', String(topic)];
    await vi.waitFor(async () => expect(await json(list)).toHaveLength(1), { interval: 20 });
    const [titles, row] = (await run(list)).stdout.split('\n');
    expect(titles).toMatch(/^BOT +CHAT +TOPIC +TITLE +STATE /);
    expect(row).toMatch(new RegExp(`^1 +${olga.id} +${topic} +Olga / Refunds +waiting +2`));
    const one = ['1', String(olga.id), '--topic', String(topic)];
    const assigned = await run(['chats', 'assign', ...one, `person:${olga.id}`]);
    expect(assigned.stdout).toBe('Assigned Olga / Refunds to Olga.\n');
    expect((await run(['chats', 'snooze', ...one, '2h'])).stdout).toMatch(/Refunds is snoozed/);
    expect((await run(['chats', 'state', ...one, 'done'])).stdout).toBe(
      'Olga / Refunds is done.\n',
    );
    expect((await run(list)).stdout).toBe('No chats match.\n');
  });

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
