import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { File, Message, UserProfilePhotos } from '@grammyjs/types';
import { Agent } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createUrlFetcher } from '../../../sandbox/src/fetch-url.ts';
import { paintPicture, pictureSize } from '../../../sandbox/src/world/messages/picture.ts';
import type { UserRecord } from '../../../sandbox/src/world/records.ts';
import { apiOf, pending, type Scene, scene } from '../helpers.ts';

interface MediaScene extends Scene {
  ann: UserRecord;
  upload(method: string, fields: Record<string, string | Blob>): Promise<Message>;
  uploadRefused(method: string, fields: Record<string, string | Blob>): Promise<string>;
  download(fileId: string | undefined): Promise<Buffer>;
}

const picture = paintPicture(800, 600, 30);
const small = paintPicture(100, 80, 90);
const blob = (bytes: Buffer | string): Blob =>
  new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]);

async function mediaScene(options: Parameters<typeof scene>[0] = {}): Promise<MediaScene> {
  const made = await scene(options);
  const ann = made.sandbox.createUser();
  made.sandbox.say(ann, made.bot, '/start');
  const send = async (method: string, fields: Record<string, string | Blob>) => {
    const form = new FormData();
    form.set('chat_id', String(ann.id));
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'string') form.set(name, value);
      else form.set(name, value, value instanceof globalThis.File ? value.name : `${name}.bin`);
    }
    const response = await fetch(`${made.url}/bot${made.bot.token}/${method}`, {
      method: 'POST',
      body: form,
    });
    return (await response.json()) as { ok: boolean; result: Message; description: string };
  };
  return {
    ...made,
    ann,
    async upload(method, fields) {
      const body = await send(method, fields);
      if (!body.ok) throw new Error(body.description);
      return body.result;
    },
    async uploadRefused(method, fields) {
      const body = await send(method, fields);
      return body.ok ? 'accepted' : body.description;
    },
    async download(fileId) {
      const file = await made.api.ok<File>('getFile', { file_id: fileId });
      const response = await fetch(`${made.url}/file/bot${made.bot.token}/${file.file_path}`);
      return Buffer.from(await response.arrayBuffer());
    },
  };
}

describe('uploads', () => {
  test('a photo has sizes, smallest first, and comes back byte for byte', async () => {
    const { upload, download, uploadRefused } = await mediaScene();
    const sent = await upload('sendPhoto', {
      photo: blob(picture),
      caption: '<b>hi</b>',
      parse_mode: 'HTML',
      has_spoiler: 'true',
    });
    expect(sent).toMatchObject({
      caption: 'hi',
      caption_entities: [{ type: 'bold' }],
      has_media_spoiler: true,
    });
    expect(sent.photo?.map(({ width, height }) => [width, height])).toEqual([
      [320, 240],
      [800, 600],
    ]);
    expect((await download(sent.photo?.at(-1)?.file_id)).equals(picture)).toBe(true);
    expect((await upload('sendPhoto', { photo: blob(small) })).photo).toHaveLength(1);
    expect(await uploadRefused('sendPhoto', { photo: blob('not a picture') })).toBe(
      'Bad Request: IMAGE_PROCESS_FAILED',
    );
    expect(await uploadRefused('sendPhoto', { photo: blob('') })).toBe(
      'Bad Request: file must be non-empty',
    );
    expect(await uploadRefused('sendPhoto', {})).toBe(
      'Bad Request: there is no photo in the request',
    );
    expect(await uploadRefused('sendPhoto', { photo: 'attach://missing' })).toBe(
      'Bad Request: there is no photo in the request',
    );
    expect(
      await uploadRefused('sendPhoto', { photo: blob(small), caption: 'x'.repeat(1025) }),
    ).toBe('Bad Request: message caption is too long');
  });

  test('every kind of media shows what was said about it', async () => {
    const { upload } = await mediaScene();
    const file = blob('some bytes');
    const named = new globalThis.File(['%PDF'], 'repört "1".pdf', { type: 'application/pdf' });
    expect(
      (await upload('sendDocument', { document: named, thumbnail: blob(small) })).document,
    ).toMatchObject({
      file_name: 'repört "1".pdf',
      mime_type: 'application/pdf',
      file_size: 4,
      thumbnail: { width: 100, height: 80 },
    });
    expect(
      (await upload('sendAudio', { audio: file, performer: 'P', title: 'T', duration: '61' }))
        .audio,
    ).toMatchObject({
      performer: 'P',
      title: 'T',
      duration: 61,
    });
    expect(
      (await upload('sendVideo', { video: file, width: '640', height: '360', duration: '5' }))
        .video,
    ).toMatchObject({ width: 640, height: 360, duration: 5 });
    const animation = await upload('sendAnimation', { animation: file });
    expect(animation.animation?.file_id).toBe(animation.document?.file_id);
    expect((await upload('sendVoice', { voice: file, duration: '3' })).voice).toMatchObject({
      duration: 3,
      mime_type: 'audio/ogg',
    });
    expect(
      (await upload('sendVideoNote', { video_note: file, length: '200' })).video_note,
    ).toMatchObject({ length: 200 });
    expect(
      (await upload('sendSticker', { sticker: blob(small), emoji: '👍' })).sticker,
    ).toMatchObject({ emoji: '👍', width: 100, type: 'regular' });
    const live = await upload('sendLivePhoto', { live_photo: file, photo: blob(small) });
    expect(live.photo?.[0]).toMatchObject({ width: 100 });
    expect(live.live_photo).toMatchObject({ duration: 0 });
    const paid = await upload('sendPaidMedia', {
      star_count: '5',
      media: JSON.stringify([{ type: 'photo', media: 'attach://p' }]),
      p: blob(small),
    });
    expect(paid.paid_media).toMatchObject({ star_count: 5, paid_media: [{ type: 'photo' }] });
  });

  test('an album arrives whole, as one group', async () => {
    const { upload, uploadRefused, sandbox, ann, bot } = await mediaScene();
    const media = [
      { type: 'photo', media: 'attach://one', caption: 'first' },
      { type: 'video', media: 'attach://two' },
    ];
    const files = { one: blob(picture), two: blob('video') };
    const album = (await upload('sendMediaGroup', {
      media: JSON.stringify(media),
      ...files,
    })) as unknown as Message[];
    expect(album).toHaveLength(2);
    expect(album[0]?.caption).toBe('first');
    expect(album[0]?.media_group_id).toBeDefined();
    expect(album[1]?.media_group_id).toBe(album[0]?.media_group_id);
    const before = sandbox.history(ann, bot).length;
    const mixed = JSON.stringify([...media, { type: 'document', media: 'attach://two' }]);
    expect(await uploadRefused('sendMediaGroup', { media: mixed, ...files })).toBe(
      "Bad Request: can't use the media of the specified type in the album",
    );
    const broken = JSON.stringify([...media, { type: 'photo', media: 'attach://three' }]);
    expect(await uploadRefused('sendMediaGroup', { media: broken, ...files })).toBe(
      "Bad Request: can't parse InputMedia: media not found",
    );
    expect(await uploadRefused('sendMediaGroup', { media: '[]' })).toBe(
      'Bad Request: there are no messages to send',
    );
    expect(sandbox.history(ann, bot)).toHaveLength(before);
  });

  test('editMessageMedia and editMessageCaption', async () => {
    const { upload, api, ann } = await mediaScene();
    const sent = await upload('sendPhoto', { photo: blob(picture), caption: 'old' });
    const at = { chat_id: ann.id, message_id: sent.message_id };
    expect((await api.ok('editMessageCaption', { ...at, caption: 'new' })).caption).toBe('new');
    expect((await api.ok('editMessageCaption', at)).caption).toBeUndefined();
    const edited = await upload('editMessageMedia', {
      message_id: String(sent.message_id),
      media: JSON.stringify({ type: 'document', media: 'attach://doc', caption: 'paper' }),
      doc: blob('text'),
    });
    expect(edited).toMatchObject({ caption: 'paper', document: { file_size: 4 } });
    expect(edited.photo).toBeUndefined();
  });
});

describe('file ids', () => {
  test('belong to one bot, keep their kind, and can be sent again', async () => {
    const { upload, api, ann, sandbox, bot, url } = await mediaScene();
    const sent = await upload('sendPhoto', { photo: blob(picture) });
    const file_id = sent.photo?.at(-1)?.file_id;
    const again = await api.ok('sendPhoto', { chat_id: ann.id, photo: file_id, caption: 'again' });
    expect(again.photo).toEqual(sent.photo);
    expect(await api.refused('sendDocument', { chat_id: ann.id, document: file_id })).toBe(
      "Bad Request: can't use file of type Photo as Document",
    );
    const other = sandbox.createBot();
    sandbox.say(ann, other, 'hi');
    const otherApi = apiOf(url, other.token);
    expect(await otherApi.refused('sendPhoto', { chat_id: ann.id, photo: file_id })).toBe(
      'Bad Request: wrong file identifier/HTTP URL specified',
    );
    expect(await otherApi.refused('getFile', { file_id })).toBe('Bad Request: invalid file_id');
    expect(await api.refused('getFile', {})).toBe('Bad Request: file_id not specified');
    // Neither by a name it made up, nor by a path that it was not given.
    const { file_path } = await api.ok<File>('getFile', { file_id });
    const inner = Buffer.from((file_id ?? '').slice(11), 'base64url').toString();
    const forged = inner.replace(String(bot.id), String(other.id));
    const made = `BQACAgIAAxk${Buffer.from(forged).toString('base64url')}`;
    expect(await otherApi.refused('getFile', { file_id: made })).toBe(
      'Bad Request: invalid file_id',
    );
    expect((await fetch(`${url}/file/bot${other.token}/${file_path}`)).status).toBe(404);
    expect((await fetch(`${url}/file/bot${bot.token}/${file_path}`)).status).toBe(200);
    expect((await fetch(`${url}/file/bot${other.token}/nothing/here`)).status).toBe(404);
    expect((await fetch(`${url}/file/bot1:x/photos/file_1.png`)).status).toBe(401);
  });

  test('two bots in a group see the same file under ids of their own', async () => {
    const { api, sandbox, bot, ann, url } = await mediaScene();
    const other = sandbox.createBot({ privacyMode: false });
    bot.privacyMode = false;
    const group = sandbox.createChat({ title: 'G', owner: ann, members: [bot, other] });
    sandbox.sendMedia(ann, group, {
      kind: 'document',
      name: 'a.txt',
      bytes: Buffer.from('shared'),
    });
    const mine = (await pending(api)).at(-1)?.message?.document;
    const theirs = (await pending(apiOf(url, other.token))).at(-1)?.message?.document;
    expect(mine?.file_unique_id).toBe(theirs?.file_unique_id);
    expect(mine?.file_id).not.toBe(theirs?.file_id);
  });

  test('files are bounded; a forgotten one says so', async () => {
    const { upload, api } = await mediaScene({ limits: { fileBytes: 3000 } });
    const old = await upload('sendDocument', { document: blob('a'.repeat(2000)) });
    await upload('sendDocument', { document: blob('b'.repeat(2000)) });
    expect(await api.refused('getFile', { file_id: old.document?.file_id })).toBe(
      'Bad Request: wrong file_id or the file is temporarily unavailable',
    );
  });

  test('media that comes drop by drop is not waited for without end', async () => {
    const server = createServer((_req, res) => {
      res.write('x');
      const drops = setInterval(() => res.write('x'), 10);
      res.once('close', () => clearInterval(drops));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const dispatcher = new Agent();
    onTestFinished(() => dispatcher.destroy());
    const fetchUrl = createUrlFetcher(dispatcher, 100);
    await expect(
      fetchUrl(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    ).rejects.toThrow(/timeout/u);
  });

  test('media by address is fetched, unless that is off', async () => {
    const server = createServer((req, res) => {
      res.writeHead(req.url === '/a.png' ? 200 : 404).end(small);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const photo = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.png`;
    const without = await mediaScene({ fetchUrl: false });
    const failed = 'Bad Request: failed to get HTTP URL content';
    expect(await without.api.refused('sendPhoto', { chat_id: without.ann.id, photo })).toBe(failed);
    const { api, ann } = await mediaScene();
    const sent = await api.ok('sendPhoto', { chat_id: ann.id, photo });
    expect(sent.photo?.[0]).toMatchObject({ width: 100, height: 80 });
    expect(
      await api.refused('sendPhoto', { chat_id: ann.id, photo: photo.replace('a.png', 'missing') }),
    ).toBe(failed);
  });

  test('profile photos', async () => {
    const { api, sandbox, ann, download } = await mediaScene();
    expect(await api.ok('getUserProfilePhotos', { user_id: ann.id })).toEqual({
      total_count: 0,
      photos: [],
    });
    sandbox.setProfilePhoto(ann);
    const { photos, total_count } = await api.ok<UserProfilePhotos>('getUserProfilePhotos', {
      user_id: ann.id,
    });
    expect(total_count).toBe(1);
    expect(pictureSize(await download(photos[0]?.at(-1)?.file_id))).toMatchObject({ width: 320 });
    expect(await api.ok('getChat', { chat_id: ann.id })).toMatchObject({
      photo: { big_file_id: expect.any(String) },
    });
    expect(await api.refused('getUserProfilePhotos', { user_id: 5 })).toBe(
      'Bad Request: user not found',
    );
    expect(await api.refused('getUserProfilePhotos', {})).toBe(
      'Bad Request: invalid user_id specified',
    );
  });
});
