import { beforeEach, describe, expect, it } from 'vitest';
import type { Desk } from '../../../src/core/desks/desk.ts';
import { raw } from '../../../src/store/engine.ts';
import { eitherDialect } from '../../support/database/engines.ts';
import { type DeskWorld, openDeskWorld, type Shown } from '../../support/rigs/desk-world.ts';

const twoDays = 48 * 3_600_000;
const kinds = [
  'photo',
  'video',
  'document',
  'audio',
  'voice',
  'sticker',
  'animation',
  'video_note',
] as const;
/** A venue has a location, too, and an animation a document. */
const shownKinds = ['venue', 'animation', ...kinds, 'location', 'contact'];

describe.each(eitherDialect)('what a desk carries on %s', (dialect) => {
  let world: DeskWorld;

  beforeEach(async () => {
    world = await openDeskWorld(dialect);
  });

  const atAnna = () => world.sandbox.history(world.anna.id, world.tea.platformId);
  const inTopic = () => world.sandbox.history(world.rig.agent, world.forum.id);
  const lastInTopic = () => world.shown().at(-1);
  const shownTexts = () => world.shown().flatMap(({ text }) => text ?? []);

  it('has reactions in both directions, and their removal', async () => {
    const { anna, answer, forum, helper, rig, sandbox, say, shown, tea } = world;
    await say('thanks!');
    const reactionOf = (
      messages: ReturnType<typeof atAnna>,
      text: string,
      bot: { platformId: number },
    ) => messages.find(({ message }) => message.text === text)?.reactions?.[bot.platformId];
    const copy = shown().find(({ text }) => text === 'thanks!')?.message_id as number;
    sandbox.react(rig.agent, forum.id, copy, '👍');
    await rig.settle();
    expect(reactionOf(atAnna(), 'thanks!', tea)).toEqual([{ type: 'emoji', emoji: '👍' }]);
    sandbox.react(rig.agent, forum.id, copy, '');
    await rig.settle();
    expect(reactionOf(atAnna(), 'thanks!', tea)).toBeUndefined();

    await answer('you are welcome');
    const got = atAnna().at(-1)?.message.message_id as number;
    sandbox.react(anna.id, tea.platformId, got, '🔥');
    await rig.settle();
    expect(reactionOf(inTopic(), 'you are welcome', helper)).toEqual([
      { type: 'emoji', emoji: '🔥' },
    ]);
  });

  it('has deletions by /del and from the page, and says if the customer keeps the message', async () => {
    const { answer, callFromPage, inForum, say, sendFromPage, shown } = world;
    await say('hello');
    const wrong = await answer('the wrong text');
    await answer('/del', { replyTo: wrong.message_id });
    expect(atAnna().map(({ message }) => message.text)).toEqual(['hello']);
    expect(shown().map(({ text }) => text)).not.toContain('the wrong text');

    const id = await sendFromPage('from the page');
    expect(inForum().at(-1)?.[1]).toBe('↩️ Olga\nfrom the page');
    await callFromPage('deleteMessage', { message_id: id });
    expect(inForum().map(([, text]) => text)).not.toContain('↩️ Olga\nfrom the page');

    await answer('/del');
    expect(inForum().at(-1)?.[1]).toContain('Reply with /del');

    const late = await answer('too late');
    world.sandbox.setAhead(twoDays + 60_000);
    await answer('/del', { replyTo: late.message_id });
    expect(inForum().at(-1)?.[1]).toContain('The customer did not get this');
    expect(atAnna().at(-1)?.message.text).toBe('too late');
  });

  it('reaches nobody who was forgotten, and nobody once the desk is gone', async () => {
    const { anna, answer, clock, deskId, forum, inForum, rig, sandbox, say, store, tea } = world;
    await say('hello');
    const first = world.topics()[0] as number;
    const mine = await answer('secret');
    const album = sandbox.sendAlbum(rig.agent, forum.id, [{ caption: 'a' }, { caption: 'b' }], {
      topicId: first,
    });
    await clock.advance(1_000);
    await rig.settle();
    const seen = () =>
      atAnna().map(({ message, reactions }) => [message.text ?? message.caption, reactions]);
    await store.chats.forget(tea.id, anna.id, clock.now());
    await say('a new start');
    const before = seen();
    const [, part] = album;
    async function change(text: string): Promise<void> {
      sandbox.edit(rig.agent, forum.id, mine.message_id, text);
      sandbox.edit(rig.agent, forum.id, part?.message_id ?? 0, text);
      sandbox.react(rig.agent, forum.id, mine.message_id, '👍');
      await rig.settle();
      expect(seen()).toEqual(before);
    }
    await change('changed');
    expect(inForum().at(-1)?.[1]).toContain('data of this customer was deleted');
    sandbox.setAhead(twoDays + 60_000);
    await change('changed late');
    await store.desks.release(deskId, [tea.id], clock.now());
    await store.engine.write(() => store.desks.removeStep(deskId, clock.now()));
    for (const bot of [tea, world.helper]) await rig.reload(bot);
    await change('without a desk');
  });

  it('shows a late edit as a message of its own, in both directions', async () => {
    const { anna, answer, forum, heardBy, rig, sandbox, say, tea } = world;
    await say('by train');
    const asked = atAnna()[0]?.message.message_id as number;
    const mine = await answer('good');
    world.sandbox.setAhead(twoDays + 60_000);
    sandbox.edit(anna.id, tea.platformId, asked, 'by boat');
    await rig.settle();
    expect(lastInTopic()).toMatchObject({
      text: '✏️ by boat',
      reply_to_message: { text: 'by train' },
    });
    sandbox.edit(rig.agent, forum.id, mine.message_id, 'very good');
    await rig.settle();
    expect(heardBy()).toEqual(['good', '✏️ very good']);
    expect(atAnna().at(-1)?.message.reply_to_message?.text).toBe('good');
  });

  it('shows an edit of a message that the topic never had, and goes on', async () => {
    const { anna, inForum, rig, sandbox, say, store, tea } = world;
    await say('one');
    await store.engine.write(() => raw('delete from message_pairs', []));
    const asked = atAnna()[0]?.message.message_id as number;
    sandbox.edit(anna.id, tea.platformId, asked, 'one and a half');
    await rig.settle();
    await say('two');
    expect(inForum().map(([, text]) => text)).toEqual(['one', '✏️ one and a half', 'two']);
  });

  it('has albums from the page as albums, and marks what is cut', async () => {
    const { anna, callFromPage, clock, rig, sandbox, say, sendFromPage, store, tea } = world;
    sandbox.sendAlbum(anna.id, tea.platformId, [{}, {}]);
    await clock.advance(1_000);
    await say('which one?');
    const files = await store.engine.readRaw<{ file_id: string }>(
      'select file_id from messages where bot_id = $1 and file_id is not null order by id',
      [tea.id],
    );
    const [first, second] = files.map(({ file_id }) => ({ type: 'photo', media: file_id }));
    const album = [
      { ...first, caption: 'this' },
      { ...second, caption: 'or this' },
    ];
    await callFromPage('sendMediaGroup', { media: album });
    await rig.settle();
    const parts = world.shown().slice(-2);
    expect(parts.map(({ caption }) => caption)).toEqual(['↩️ Olga\nthis', 'or this']);
    expect(parts[0]?.media_group_id).toBeDefined();
    expect(parts[1]?.media_group_id).toBe(parts[0]?.media_group_id);
    await sendFromPage('x'.repeat(4096));
    const long = lastInTopic()?.text ?? '';
    expect([long.length, long.at(-1)]).toEqual([4096, '…']);
  });

  it('follows edits of answers from the page, with their formatting', async () => {
    const { callFromPage, inForum, say, sendFromPage } = world;
    await say('hello');
    const id = await sendFromPage('five euros');
    const entities = [{ type: 'italic', offset: 0, length: 3 }];
    await callFromPage('editMessageText', { message_id: id, text: 'six euros', entities });
    expect(inForum().map(([, text]) => text)).toEqual(['hello', '↩️ Olga\nsix euros']);
    expect(lastInTopic()?.entities).toEqual([
      { type: 'bold', offset: 0, length: '↩️ Olga'.length },
      { type: 'italic', offset: '↩️ Olga\n'.length, length: 3 },
    ]);
  });

  it('has media, stickers, voice, places and contacts in both directions, and polls as text', async () => {
    const { anna, forum, helper, rig, sandbox, say, shown, tea, topics } = world;
    await say('hello');
    const place = { topicId: topics()[0] as number };
    const location = { latitude: 1.5, longitude: 2.5 };
    const contents = [
      { location },
      { contact: { phone_number: '+1555', first_name: 'Boris' } },
      { venue: { location, title: 'Tea house', address: 'Main street 1' } },
      { dice: { emoji: '🎲', value: 4 } },
    ];
    for (const kind of kinds) {
      sandbox.sendMedia(anna.id, tea.platformId, { kind });
      sandbox.sendMedia(rig.agent, forum.id, { kind, ...place });
    }
    for (const content of contents) {
      sandbox.sendContent(anna.id, tea.platformId, content);
      sandbox.sendContent(rig.agent, forum.id, content, place);
    }
    await rig.settle();
    const poll = { question: 'Tea?', options: [{ text: 'Yes' }, { text: 'No' }] };
    await rig.receive(tea, updateOf(anna, { poll }));
    await rig.receive(
      helper,
      updateOf({ id: rig.agent }, { poll, ...inTeamTopic(world) }, forum.id),
    );
    const carried = (messages: readonly Shown[]) =>
      messages
        .filter(({ from, forum_topic_created: created }) => from?.is_bot && !created)
        .map((message) => shownKinds.find((kind) => kind in message) ?? message.text);
    const all = [...kinds, 'location', 'contact', 'venue', '🎲 4', '📊 Tea?\n• Yes\n• No'];
    expect(carried(shown()).slice(-all.length)).toEqual(all);
    expect(carried(atAnna().map(({ message }) => message as Shown))).toEqual(all);

    const story = { chat: { id: 1, type: 'private' }, id: 2 };
    await rig.receive(tea, updateOf(anna, { story }));
    expect(lastInTopic()?.text).toContain('something that bots cannot copy');
    await rig.receive(
      helper,
      updateOf({ id: rig.agent }, { story, ...inTeamTopic(world) }, forum.id),
    );
    expect(lastInTopic()?.text).toContain('bots cannot send messages of this kind');
  });

  it('has albums of the team as albums, unless they are notes', async () => {
    const { clock, forum, rig, sandbox, say, topics } = world;
    await say('hello');
    const place = { topicId: topics()[0] as number };
    const send = async (caption: string) => {
      sandbox.sendAlbum(rig.agent, forum.id, [{ caption }, { kind: 'video' }], place);
      await clock.advance(1_000);
      await rig.settle();
    };
    await send('// for us');
    await send('for you');
    const got = atAnna().flatMap(({ message }) => (message.from?.is_bot ? [message] : []));
    expect(got.map(({ caption }) => caption)).toEqual(['for you', undefined]);
    expect(new Set(got.map(({ media_group_id: id }) => id)).size).toBe(1);
    expect(got[0]?.media_group_id).toBeDefined();
  });

  it('keeps notes from the customer, also those that an edit makes', async () => {
    const { answer, forum, heardBy, rig, sandbox, say } = world;
    await say('hello');
    const note = await answer('// pays late');
    const mine = await answer('five euros');
    sandbox.edit(rig.agent, forum.id, note.message_id, 'pays late');
    sandbox.edit(rig.agent, forum.id, mine.message_id, '// too cheap');
    await rig.settle();
    expect(heardBy()).toEqual(['five euros']);
    sandbox.edit(rig.agent, forum.id, mine.message_id, 'six euros');
    await rig.settle();
    expect(heardBy()).toEqual(['six euros']);
  });

  it("serves customers of business accounts in the account's name, in the topic of the person", async () => {
    const { anna, answer, forum, heardBy, inForum, rig, sandbox, say, shown, tea } = world;
    const owner = sandbox.createUser({ first_name: 'Olga' });
    const { id: connection } = sandbox.connectBusiness(owner, tea.platformId);
    const atAccount = () => sandbox.history(anna.id, owner.id).map(({ message }) => message);
    const account = sandbox.say(anna.id, owner.id, 'to the account');
    await rig.settle();
    sandbox.say(owner.id, anna.id, 'I am here myself');
    const mine = await answer('from the team');
    expect(atAccount().at(-1)).toMatchObject({ text: 'from the team', from: { id: owner.id } });
    sandbox.edit(anna.id, owner.id, account.message_id, 'to the shop');
    sandbox.edit(rig.agent, forum.id, mine.message_id, 'from us');
    await rig.settle();
    expect(atAccount().map(({ text }) => text)).toEqual([
      'to the shop',
      'I am here myself',
      'from us',
    ]);

    await say('to the bot');
    await answer('now here');
    expect(heardBy()).toEqual(['now here']);
    // A reply goes to where the message came from.
    const copy = shown().find(({ text }) => text === 'to the shop')?.message_id as number;
    const late = await answer('and there', { replyTo: copy });
    expect(atAccount().at(-1)).toMatchObject({
      text: 'and there',
      reply_to_message: { message_id: account.message_id },
    });
    await answer('/del', { replyTo: late.message_id });
    expect(atAccount().map(({ text }) => text)).not.toContain('and there');
    await world.callFromPage('sendMessage', {
      text: 'from the page',
      business_connection_id: connection,
    });
    expect(inForum()).toEqual([
      [0, 'to the shop'],
      [0, 'from us'],
      [0, 'to the bot'],
      [0, 'now here'],
      [0, '/del'],
      [0, '↩️ Olga\nfrom the page'],
    ]);
    await answer('as she says', { replyTo: lastInTopic()?.message_id as number });
    expect(atAccount().at(-1)?.reply_to_message).toMatchObject({ text: 'from the page' });
  });

  it('talks to the team in the language of the desk', async () => {
    const { answer, clock, deskId, helper, rig, say, store, topics } = world;
    const speak = async (language: 'ru' | 'zh-CN') => {
      const desk = (await store.desks.get(deskId)) as Desk;
      const changed = { ...desk, language };
      await store.engine.write(() => store.desks.saveStep(deskId, changed, clock.now()));
      await rig.reload(helper);
    };
    await speak('ru');
    await say('hello');
    expect(shownTexts()).toContainEqual(expect.stringContaining('Здесь с '));
    await answer('/del', { topicId: topics()[0] as number });
    expect(lastInTopic()?.text).toMatch(/^ℹ️ Ответьте \/del/);
    await speak('zh-CN');
    await answer('/nothing', { topicId: topics()[0] as number });
    expect(lastInTopic()?.text).toContain('没有命令 /nothing');
  });

  it('lets anonymous administrators answer, and neither bots nor linked channels', async () => {
    const { forum, heardBy, helper, rig, say } = world;
    await say('hello');
    const by = (sender: object, text: string) =>
      rig.receive(
        helper,
        updateOf({ id: 0 }, { ...sender, text, ...inTeamTopic(world) }, forum.id),
      );
    const placeholder = { id: 1_087_968_824, is_bot: true, first_name: 'Group' };
    await by({ from: placeholder, sender_chat: { id: forum.id, title: 'Team' } }, 'we are here');
    await by({ from: placeholder, sender_chat: { id: -1_009_999, title: 'News' } }, 'a post');
    await by({ from: { id: 77, is_bot: true, first_name: 'Robot' } }, 'I am a bot');
    const member = { from: { id: rig.agent, is_bot: false, first_name: 'Agent' } };
    await by({ ...member, via_bot: { id: 9, is_bot: true, first_name: 'gif' } }, 'a picture');
    expect(heardBy()).toEqual(['we are here', 'a picture']);
  });
});

let updates = 900_000;

function updateOf(from: { id: number }, content: object, chatId = from.id): { update_id: number } {
  const id = ++updates;
  const chat =
    chatId > 0
      ? { id: chatId, type: 'private', first_name: 'Anna' }
      : { id: chatId, type: 'supergroup', title: 'Team', is_forum: true };
  const message = {
    message_id: id,
    date: 1_790_000_000,
    chat,
    from: { id: from.id, is_bot: false, first_name: 'Anna' },
    ...content,
  };
  return { update_id: id, message } as { update_id: number };
}

const inTeamTopic = ({ topics }: DeskWorld) => ({
  is_topic_message: true,
  message_thread_id: topics()[0],
});
