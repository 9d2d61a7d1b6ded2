import type { BusinessConnection, BusinessMessagesDeleted, Update } from '@grammyjs/types';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createManualClock } from '../../sandbox/src/clock.ts';
import { createSandbox } from '../../sandbox/src/sandbox.ts';
import { apiOf } from './helpers.ts';

async function startShop() {
  const clock = createManualClock();
  const sandbox = createSandbox({ seed: 9, clock });
  onTestFinished(() => sandbox.close());
  const { url } = await sandbox.listen();
  const bot = sandbox.createBot({ username: 'shop_bot' });
  const owner = sandbox.createUser({ first_name: 'Olga', username: 'olga' });
  const ann = sandbox.createUser({ first_name: 'Ann', username: 'ann' });
  const api = apiOf(url, bot.token);
  let offset = 0;
  async function receivedUpdates(): Promise<Update[]> {
    const updates = await api.ok<Update[]>('getUpdates', { offset });
    offset = (updates.at(-1)?.update_id ?? offset - 1) + 1;
    return updates;
  }
  const connection = sandbox.connectBusiness(owner, bot);
  return { clock, sandbox, bot, owner, ann, api, receivedUpdates, connection };
}

describe('business accounts of the sandbox', () => {
  it('tell their bot of the connection, of messages, edits and deletions', async () => {
    const { sandbox, owner, ann, receivedUpdates, connection, api } = await startShop();
    const question = sandbox.say(ann, owner.username ?? '', 'Are you open?');
    sandbox.edit(ann, owner, question.message_id, 'Are you open today?');
    sandbox.delete(ann, owner, question.message_id);
    const [connected, written, edited, deleted, ...more] = await receivedUpdates();
    expect(more).toEqual([]);
    expect(connected?.business_connection).toEqual(connection);
    expect(connection).toMatchObject({
      user: { id: owner.id },
      user_chat_id: owner.id,
      is_enabled: true,
      rights: { can_reply: true, can_delete_all_messages: true },
    });
    expect(written?.business_message).toMatchObject({
      business_connection_id: connection.id,
      chat: { id: ann.id, type: 'private', first_name: 'Ann' },
      from: { id: ann.id },
      text: 'Are you open?',
    });
    expect(edited?.edited_business_message?.text).toBe('Are you open today?');
    expect(deleted?.deleted_business_messages).toEqual({
      business_connection_id: connection.id,
      chat: written?.business_message?.chat,
      message_ids: [written?.business_message?.message_id],
    } satisfies Partial<Record<keyof BusinessMessagesDeleted, unknown>>);
    expect(
      await api.ok<BusinessConnection>('getBusinessConnection', {
        business_connection_id: connection.id,
      }),
    ).toEqual(connection);
  });

  it('number their messages apart from the chats of their bot', async () => {
    const { sandbox, owner, ann, bot, receivedUpdates } = await startShop();
    sandbox.say(ann, bot, 'to the bot');
    sandbox.say(ann, owner, 'to the account');
    const [, own, business] = await receivedUpdates();
    expect(own?.message).toMatchObject({ message_id: 1, chat: { id: ann.id } });
    expect(business?.business_message).toMatchObject({ message_id: 1, chat: { id: ann.id } });
    expect(own?.message?.business_connection_id).toBeUndefined();
  });

  it('let their bot answer, edit and delete in their name, and do not tell it of that', async () => {
    const { sandbox, owner, ann, api, receivedUpdates, connection, bot } = await startShop();
    sandbox.say(ann, owner, 'Are you open?');
    const asked = (await receivedUpdates()).at(-1)?.business_message;
    const via = { business_connection_id: connection.id, chat_id: ann.id };
    const answer = await api.ok('sendMessage', {
      ...via,
      text: 'Until six',
      reply_parameters: { message_id: asked?.message_id },
    });
    expect(answer).toMatchObject({
      business_connection_id: connection.id,
      from: { id: owner.id },
      sender_business_bot: { id: bot.id },
      chat: { id: ann.id },
      reply_to_message: { message_id: asked?.message_id, text: 'Are you open?' },
    });
    const { message_id } = answer;
    await api.ok('editMessageText', { ...via, message_id, text: 'Until seven' });
    const onHerPhone = () => sandbox.history(ann, owner).map(({ message }) => message);
    expect(onHerPhone().map((message) => message.text)).toEqual(['Are you open?', 'Until seven']);
    expect(onHerPhone()[1]?.reply_to_message?.text).toBe('Are you open?');
    expect(await api.ok('readBusinessMessage', { ...via, message_id: asked?.message_id })).toBe(
      true,
    );
    await api.ok('deleteBusinessMessages', {
      business_connection_id: connection.id,
      message_ids: [message_id],
    });
    expect(onHerPhone().length).toBe(1);
    expect(await receivedUpdates()).toEqual([]);
    sandbox.say(owner, ann, 'From my own telephone');
    const [own] = await receivedUpdates();
    expect(own?.business_message).toMatchObject({ from: { id: owner.id }, chat: { id: ann.id } });
    expect(own?.business_message?.sender_business_bot).toBeUndefined();
  });

  it('refuse as Telegram does', async () => {
    const { clock, sandbox, owner, ann, bot, api, connection } = await startShop();
    const via = { business_connection_id: connection.id, chat_id: ann.id, text: 'Hello' };
    const send = (more: object) => api.refused('sendMessage', { ...via, ...more });
    expect(await send({ business_connection_id: 'nobody' })).toBe(
      'Bad Request: business connection not found',
    );
    expect(await send({})).toBe('Bad Request: BUSINESS_PEER_INVALID');
    sandbox.say(ann, owner, 'Hello?');
    clock.advance(25 * 3_600_000);
    expect(await send({})).toBe('Bad Request: BUSINESS_PEER_USAGE_MISSING');
    sandbox.say(ann, owner, 'Hello??');
    sandbox.connectBusiness(owner, bot, { can_read_messages: true });
    expect(await send({})).toBe('Bad Request: not enough rights');
    sandbox.disconnectBusiness(owner);
    expect(await send({})).toBe('Bad Request: BUSINESS_CONNECTION_INVALID');
    expect(
      await api.ok<BusinessConnection>('getBusinessConnection', {
        business_connection_id: connection.id,
      }),
    ).toMatchObject({ is_enabled: false });
    // Without the connection it is the bot's own chat, which Ann never opened.
    expect(await api.refused('sendMessage', { chat_id: ann.id, text: 'Hello' })).toBe(
      'Bad Request: chat not found',
    );
  });

  it('have one bot at a time, and hear nothing once they are disconnected', async () => {
    const { sandbox, owner, ann, receivedUpdates, connection } = await startShop();
    const other = sandbox.createBot({ username: 'other_bot' });
    const second = sandbox.connectBusiness(owner, other);
    expect(second.id).not.toBe(connection.id);
    sandbox.say(ann, owner, 'Who is there?');
    const updates = await receivedUpdates();
    expect(updates.map((update) => update.business_connection?.is_enabled)).toEqual([true, false]);
    const kept = createSandbox({ seed: 9 });
    onTestFinished(() => kept.close());
    kept.importState(sandbox.exportState());
    expect(kept.disconnectBusiness(owner.id)).toMatchObject({ id: second.id, is_enabled: false });
  });
});
