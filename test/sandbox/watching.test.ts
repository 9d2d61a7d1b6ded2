import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../sandbox/src/clock.ts';
import { pending, scene } from './helpers.ts';

describe('watching', () => {
  test('onChange tells of messages, edits, deletions, members and typing', async () => {
    const { api, sandbox, bot } = await scene();
    const seen: string[] = [];
    const stop = sandbox.onChange((change) => seen.push(change.type));
    const ann = sandbox.createUser();
    const { message_id } = sandbox.say(ann, bot, 'one');
    sandbox.edit(ann, bot, message_id, 'two');
    await api.ok('sendChatAction', { chat_id: ann.id, action: 'typing' });
    sandbox.react(ann, bot, message_id, '👍');
    sandbox.delete(ann, bot, message_id);
    sandbox.blockBot(ann, bot);
    stop();
    sandbox.say(ann, bot, 'unseen');
    expect(seen).toEqual([
      'user_added',
      'message_added',
      'message_edited',
      'chat_action',
      'reaction_changed',
      'message_deleted',
      'member_changed',
    ]);
  });

  test('history pages backwards and is bounded', async () => {
    const { sandbox, bot } = await scene({ limits: { messagesPerChat: 10 } });
    const ann = sandbox.createUser();
    for (let n = 1; n <= 25; n++) sandbox.say(ann, bot, `m${n}`);
    const page = (options: object): (string | undefined)[] =>
      sandbox.history(ann, bot, options).map((shown) => shown.message.text);
    expect(page({ limit: 2 })).toEqual(['m24', 'm25']);
    expect(page({ limit: 2, before: 24 })).toEqual(['m22', 'm23']);
    expect(page({})).toHaveLength(10);
    const snapshot = sandbox.snapshot();
    expect(snapshot.bots[0]).toMatchObject({
      username: 'scene_bot',
      token: bot.token,
      pendingUpdates: 25,
    });
  });

  test('reactions reach a bot that asked for them, with what was before', async () => {
    const { api, sandbox, bot } = await scene();
    const ann = sandbox.createUser();
    await pending(api, { allowed_updates: ['message_reaction'] });
    const { message_id } = sandbox.say(ann, bot, 'nice');
    sandbox.react(ann, bot, message_id, '👍');
    sandbox.react(ann, bot, message_id, '🔥');
    sandbox.react(ann, bot, message_id, '');
    const changes = (await pending(api)).flatMap(({ message_reaction: one }) =>
      one
        ? [
            [one.old_reaction, one.new_reaction].map((list) =>
              list.map((type) => 'emoji' in type && type.emoji),
            ),
          ]
        : [],
    );
    expect(changes).toEqual([
      [[], ['👍']],
      [['👍'], ['🔥']],
      [['🔥'], []],
    ]);
    await api.ok('setMessageReaction', {
      chat_id: ann.id,
      message_id,
      reaction: [{ type: 'emoji', emoji: '🎉' }],
    });
    expect(sandbox.history(ann, bot)[0]?.reactions).toEqual({
      [bot.id]: [{ type: 'emoji', emoji: '🎉' }],
    });
    expect(
      await api.refused('setMessageReaction', {
        chat_id: ann.id,
        message_id,
        reaction: [{ type: 'emoji', emoji: '🧽' }],
      }),
    ).toBe('Bad Request: REACTION_INVALID');
  });

  test('polls: votes, answers, quizzes and closing by time', async () => {
    const clock = createManualClock();
    const { api, sandbox, bot } = await scene({ clock });
    const [ann, ben] = [sandbox.createUser(), sandbox.createUser()];
    const group = sandbox.createChat({ title: 'G', owner: ann, members: [ben, bot] });
    const sent = await api.ok('sendPoll', {
      chat_id: group.id,
      question: 'Tea?',
      options: ['yes', { text: 'no' }],
      is_anonymous: false,
      open_period: 60,
    });
    sandbox.vote(ann, group, sent.message_id, [0]);
    sandbox.vote(ben, group, sent.message_id, [1]);
    sandbox.vote(ben, group, sent.message_id, [0]);
    clock.advance(60_000);
    expect(() => sandbox.vote(ann, group, sent.message_id, [1])).toThrow('closed');
    const updates = await pending(api);
    const answers = updates.flatMap((update) =>
      update.poll_answer ? [update.poll_answer.option_ids] : [],
    );
    expect(answers).toEqual([[0], [1], [0]]);
    const last = updates.findLast((update) => update.poll)?.poll;
    expect(last).toMatchObject({ id: sent.poll?.id, is_closed: true, total_voter_count: 2 });
    expect(last?.options.map((option) => option.voter_count)).toEqual([2, 0]);
    expect(await api.refused('stopPoll', { chat_id: group.id, message_id: sent.message_id })).toBe(
      'Bad Request: poll has already been closed',
    );
    const quiz = { chat_id: group.id, question: '2+2', options: ['3', '4'], type: 'quiz' };
    expect(await api.refused('sendPoll', quiz)).toBe(
      'Bad Request: there is no correct option specified for the quiz',
    );
    const good = await api.ok('sendPoll', { ...quiz, correct_option_ids: [1] });
    const stopped = await api.ok<{ is_closed: boolean }>('stopPoll', {
      chat_id: group.id,
      message_id: good.message_id,
    });
    expect(stopped.is_closed).toBe(true);
  });
});
