import { describe, expect, test } from 'vitest';
import { ask, guarded } from '../support/guarded.ts';

describe('somebody who asks to join', () => {
  test('can be written to for five minutes, by the bot that came first', async () => {
    const made = await guarded();
    const { api, clerk, clock, sandbox, ben, bot, clerkId } = made;
    const chat_id = ben.id;
    expect(await api.refused('sendMessage', { chat_id, text: 'x' })).toBe(
      'Bad Request: chat not found',
    );
    const chat_join_request_query_id = await ask(made);
    expect(await clerk.refused('sendMessage', { chat_id, text: 'x' })).toBe(
      'Bad Request: chat not found',
    );
    const sent = await api.ok('sendMessage', { chat_id, text: 'Why us?' });
    expect(sandbox.history(ben, bot).map(({ message }) => message.text)).toEqual(['Why us?']);
    await api.ok('answerChatJoinRequestQuery', { chat_join_request_query_id, result: 'queue' });
    expect(await clerk.refused('sendMessage', { chat_id, text: 'x' })).toBe(
      'Bad Request: chat not found',
    );
    clock.advance(301_000);
    const { message_id } = sent;
    expect(await api.refused('sendMessage', { chat_id, text: 'Well?' })).toBe(
      "Forbidden: bot can't initiate conversation with a user",
    );
    await api.ok('editMessageText', { chat_id, message_id, text: 'Too late.' });
    sandbox.say(ben, bot, 'Because.');
    await api.ok('sendMessage', { chat_id, text: 'I see.' });
    expect(sandbox.history(ben, clerkId)).toEqual([]);
  });

  test('also where no bot guards', async () => {
    const { clerk, sandbox, owner, club, ben } = await guarded();
    sandbox.setGuardBot(owner, club, {});
    expect(sandbox.join(ben, club)).toBe('requested');
    await clerk.ok('sendMessage', { chat_id: ben.id, text: 'Why us?' });
    await clerk.ok('declineChatJoinRequest', { chat_id: club.id, user_id: ben.id });
    expect(await clerk.refused('sendMessage', { chat_id: ben.id, text: 'Sorry.' })).toBe(
      "Forbidden: bot can't initiate conversation with a user",
    );
  });
});
