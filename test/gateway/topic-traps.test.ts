import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RelayOnSandbox, startRelayOnSandbox } from '../libraries/relay-on-sandbox.ts';
import { eitherDialect } from '../support/database/engines.ts';
import { telegramLimits } from '../support/telegram-limits.ts';

interface Answer {
  ok: boolean;
  error_code?: number;
  parameters?: { retry_after: number };
  result: Record<string, unknown>;
}

/* Where programs that write into topics break on Telegram, through the relay. */
describe.each(eitherDialect)('topics behind the relay on %s', (dialect) => {
  let relay: RelayOnSandbox;
  let ann: { id: number };
  let botId: number;
  let [first, second] = [0, 0];

  beforeAll(async () => {
    relay = await startRelayOnSandbox(dialect, { manage_enabled: true, long_poll_enabled: true });
    const { bot, sandbox } = relay;
    botId = relay.botId;
    ann = sandbox.createUser({ first_name: 'Ann' });
    sandbox.say(ann.id, bot.id, '/start');
    first = sandbox.createTopic(ann.id, bot.id, { name: 'First' });
    second = sandbox.createTopic(ann.id, bot.id, { name: 'Second' });
  });
  afterAll(() => relay.close());

  /** A call of the bot's program. */
  async function call(method: string, params: object): Promise<Answer> {
    const answer = await fetch(`${relay.address}/bot${relay.bot.token}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    return (await answer.json()) as Answer;
  }
  const send = (message_thread_id: number, text: string) =>
    relay.call('/api/messages/send', { bot_id: botId, chat_id: ann.id, message_thread_id, text });
  const textsIn = (topicId: number) =>
    relay.sandbox.history(ann.id, relay.bot.id, { topicId }).map(({ message }) => message.text);

  it('a topic of direct messages is none of a private chat', async () => {
    const params = { chat_id: ann.id, text: 'outside', direct_messages_topic_id: first };
    const { result } = await call('sendMessage', params);
    expect(result).not.toHaveProperty('message_thread_id');
    expect(textsIn(first)).not.toContain('outside');
    const list = `/api/messages?bot_id=${botId}&chat_id=${ann.id}`;
    await vi.waitFor(async () => {
      const [newest] = await relay.call<object[]>(list);
      expect(newest).toMatchObject({ text: 'outside' });
      expect(newest).not.toHaveProperty('message_thread_id');
    });
  });

  it('all topics of a chat share one budget: after a refusal in one, the relay waits in all', async () => {
    relay.sandbox.flood.set(telegramLimits);
    const isTaken = () =>
      send(first, 'again').then(
        () => true,
        () => false,
      );
    while (await isTaken());
    await send(second, 'in time');
    expect(textsIn(second)).toContain('in time');
    relay.sandbox.flood.set(undefined);
  });

  it('a program that creates more than 20 topics a minute is told to wait', async () => {
    const { bot, sandbox } = relay;
    const forum = sandbox.createChat({ title: 'Help', owner: ann.id, isForum: true });
    sandbox.promote(ann.id, forum.id, bot.id);
    sandbox.flood.set({ ...telegramLimits, perSecond: 100, perChatPerSecond: 100 });
    for (let at = 0; at <= 20; at += 1) {
      const { error_code, parameters } = await call('createForumTopic', {
        chat_id: forum.id,
        name: `Topic ${at}`,
      });
      expect(error_code).toBe(at < 20 ? undefined : 429);
      if (error_code !== undefined) expect(parameters?.retry_after).toBeGreaterThan(0);
    }
    sandbox.flood.set(undefined);
    // The relay learns the names from the answers.
    const list = `/api/chats/topics?bot_id=${botId}&chat_id=${forum.id}&q=topic`;
    await vi.waitFor(async () => expect(await relay.call<object[]>(list)).toHaveLength(20));
  });

  it('a stop names the topic whose message is being written', async () => {
    const draft = { chat_id: ann.id, message_thread_id: second, draft_id: 7, can_stop: true };
    await call('sendMessageDraft', { ...draft, text: 'Once upon' });
    relay.sandbox.stopDraft(ann.id, relay.bot.id, second);
    await vi.waitFor(async () => {
      const { result } = await call('getUpdates', { offset: -1 });
      expect(result).toMatchObject([
        { stopped_message_generation: { draft_id: 7, message_thread_id: second } },
      ]);
    });
  });
});
