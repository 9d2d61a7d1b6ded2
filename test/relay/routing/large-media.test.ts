import { beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../sandbox/src/index.ts';
import type { Store } from '../../../src/store/store.ts';
import type { TelegramClient } from '../../../src/telegram/client.ts';
import { eitherDialect } from '../../support/database/engines.ts';
import type { RigBot, RoutingRig } from '../../support/rigs/routing-rig.ts';
import { openRoutingWorld } from '../../support/rigs/routing-world.ts';

const large = Buffer.alloc(21 * 1024 * 1024);

describe.each(eitherDialect)('media that bots may not fetch, on %s', (dialect) => {
  let store: Store;
  let sandbox: Sandbox;
  let telegram: TelegramClient;
  let rig: RoutingRig;
  let front: RigBot;
  let back: RigBot;
  let team: { id: number };
  let ann: { id: number };

  beforeEach(async () => {
    ({ store, sandbox, telegram, rig } = await openRoutingWorld(dialect, { seed: 21 }));
    front = await rig.addBot('front');
    back = await rig.addBot('back');
    team = rig.group('Team', [back]);
    ann = sandbox.createUser({ first_name: 'Ann' });
  });

  const film = { kind: 'video', bytes: large, name: 'film.mp4', caption: 'my film' } as const;
  const line = '[video film.mp4, 21 MB: too large to be carried over]';
  const sendsOf = (bot: RigBot) => store.outbox.list({ botIds: [bot.id], limit: 10 });

  it('say so: the text goes over with a note, and can be answered', async () => {
    await rig.route(front, back, { action: 'forward', target_chat_id: team.id });
    const sent = sandbox.sendMedia(ann.id, front.platformId, film);
    await rig.settle();
    const received = await store.messages.get(front.id, ann.id, sent.message_id);
    await expect(
      telegram.call(front.token, 'getFile', { file_id: received?.file_id }),
    ).rejects.toThrow('Bad Request: file is too big');
    const [carried] = rig.messagesIn(team);
    expect(carried?.text).toBe(`Ann:\nmy film\n${line}`);
    expect(await sendsOf(back)).toMatchObject([
      { state: 'sent', error: expect.stringContaining('without the file') as string },
    ]);
    sandbox.say(rig.agent, team.id, 'we cannot see it', { replyTo: carried?.message_id ?? 0 });
    await rig.settle();
    const answer = sandbox.history(ann.id, front.platformId).at(-1)?.message;
    expect(answer).toMatchObject({
      text: 'we cannot see it',
      reply_to_message: { message_id: sent.message_id },
    });
  });

  it('go by their id where one bot receives and sends', async () => {
    const own = rig.group('Own', [front]);
    await rig.route(front, front, {
      condition_type: 'media',
      action: 'copy',
      target_chat_id: own.id,
    });
    sandbox.sendMedia(ann.id, front.platformId, film);
    await rig.settle();
    const [carried] = rig.messagesIn(own);
    expect(carried?.video?.file_size).toBe(large.length);
    expect(carried?.caption).toBe('my film');
  });

  it('are copied by the platform where both bots see them', async () => {
    const shared = rig.group('Shared', [front, back]);
    await rig.route(front, back, {
      action: 'forward',
      source_chat_id: shared.id,
      target_chat_id: team.id,
    });
    sandbox.sendMedia(rig.agent, shared.id, film);
    await rig.settle();
    const [carried] = rig.messagesIn(team);
    expect(carried?.video?.file_size).toBe(large.length);
    expect(carried?.caption).toBe('Agent · Shared:\nmy film');
    expect(await sendsOf(back)).toMatchObject([{ state: 'sent', error: '' }]);
    expect(await store.messages.get(back.id, team.id, carried?.message_id ?? 0)).toMatchObject({
      text: 'Agent · Shared:\nmy film',
      media_type: 'video',
    });
    for (const caption of ['one', 'two']) {
      sandbox.sendMedia(rig.agent, shared.id, { ...film, caption, mediaGroupId: '5' });
    }
    await rig.settle();
    const album = rig.messagesIn(team).slice(1);
    expect(album.map((message) => [message.caption, message.forward_origin?.type])).toEqual([
      ['one', 'user'],
      ['two', 'user'],
    ]);
  });

  it('are not copied from a group in which the target bot is not', async () => {
    const other = rig.group('Other', [front]);
    await rig.route(front, back, {
      action: 'copy',
      source_chat_id: other.id,
      target_chat_id: team.id,
    });
    sandbox.sendMedia(rig.agent, other.id, film);
    await rig.settle();
    expect(rig.textsIn(team)).toEqual([`my film\n${line}`]);
    expect(await sendsOf(back)).toMatchObject([{ state: 'sent', method: 'sendVideo' }]);
  });

  it.each([
    ['one part', [{ ...film, caption: 'all of it' }, {}, {}], 2, `all of it\n${line}`],
    ['all but one', [{}, { ...film, caption: 'two' }, { ...film, caption: 'three' }], 1, 'two'],
    [
      'every part',
      [
        { ...film, caption: 'a' },
        { ...film, caption: '' },
      ],
      1,
      `a\n${line}\n${line}`,
    ],
  ])('leave the rest of an album when %s is large', async (_name, parts, arrive, caption) => {
    await rig.route(front, back, { action: 'copy', target_chat_id: team.id });
    for (const part of parts) {
      sandbox.sendMedia(ann.id, front.platformId, { ...part, mediaGroupId: '6' });
    }
    await rig.settle();
    const carried = rig.messagesIn(team);
    expect(carried.length).toBe(arrive);
    expect(carried[0]?.caption ?? carried[0]?.text).toContain(caption);
    const [send] = await sendsOf(back);
    expect(send?.error).toMatch(/^Sent without (the file|2 files)/);
  });

  it('are replaced by an edit where bots may fetch them, and named where not', async () => {
    await rig.route(front, back, { action: 'forward', target_chat_id: team.id });
    rig.say(ann, front, '/start');
    const photo = sandbox.sendMedia(ann.id, front.platformId, { caption: 'before' });
    await rig.settle();
    const shown = () => rig.messagesIn(team)[1];
    expect(shown()?.photo).toBeDefined();
    const replace = (media: object) =>
      sandbox.replaceMedia(ann.id, front.platformId, photo.message_id, media);
    replace({ kind: 'document', name: 'list.txt', caption: 'after' });
    await rig.settle();
    expect(shown()).toMatchObject({
      document: { file_name: 'list.txt' },
      caption: 'Ann:\nafter',
    });
    // An edit of the words alone brings no file over again.
    sandbox.edit(ann.id, front.platformId, photo.message_id, 'after all');
    await rig.settle();
    expect((await sendsOf(back))[0]).toMatchObject({ method: 'editMessageCaption', error: '' });
    replace({ ...film, kind: 'document', caption: 'the film' });
    await rig.settle();
    expect(shown()?.document?.file_name).toBe('list.txt');
    expect(shown()?.caption).toBe(
      'Ann:\nthe film\n[document film.mp4, 21 MB: too large to be carried over]',
    );
    const [last] = await sendsOf(back);
    expect(last).toMatchObject({ state: 'sent' });
    expect(last?.error).toContain('could not be replaced');
  });
});
