import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StoredMessage } from '../../src/store/messages/messages.ts';
import { eitherDialect } from '../support/database/engines.ts';
import {
  type Caller,
  type ManagedBot,
  type ManagedChats,
  startManagedChats,
} from '../support/rigs/managed-chats.ts';

const boundary = 'the-boundary';

function form(fields: Record<string, string | number>, file?: { name: string; bytes: Buffer }) {
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const opening = file
    ? `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${file.name}"\r\ncontent-type: application/octet-stream\r\n\r\n`
    : '';
  return Buffer.concat([
    Buffer.from(parts.join('') + opening),
    file?.bytes ?? Buffer.alloc(0),
    Buffer.from(`${file ? '\r\n' : ''}--${boundary}--\r\n`),
  ]);
}

describe.each(eitherDialect)('media on %s', (dialect) => {
  let chats: ManagedChats;
  let sender: Caller;
  let bot: ManagedBot;
  let annId: number;

  beforeAll(async () => {
    chats = await startManagedChats(dialect, { mediaCacheBytes: 100_000 });
    sender = await chats.asUser('send');
    bot = await chats.addManagedBot();
    annId = chats.sandbox.createUser({ first_name: 'Ann' }).id;
    chats.sandbox.say(annId, bot.platformId, '/start');
    await chats.receive(bot);
  });
  afterAll(() => chats.close());
  // The limits of sending to one chat have room again.
  beforeEach(() => chats.clock.advance(60_000));

  const upload = async (payload: Buffer) => {
    const response = await chats.app.inject({
      method: 'POST',
      url: '/api/messages/send-media',
      headers: { ...sender.headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
      payload,
    });
    return { status: response.statusCode, body: response.json<StoredMessage>() };
  };
  const download = (fileId: string, headers: Record<string, string> = {}) =>
    chats.app.inject({
      url: `/api/media?bot_id=${bot.id}&file_id=${encodeURIComponent(fileId)}`,
      headers: { ...sender.headers, ...headers },
    });
  const to = () => ({ bot_id: bot.id, chat_id: annId });
  const incoming = async (media: Parameters<ManagedChats['sandbox']['sendMedia']>[2]) => {
    const { message_id } = chats.sandbox.sendMedia(annId, bot.platformId, media);
    await chats.receive(bot);
    return (await chats.store.messages.get(bot.id, annId, message_id))?.file_id ?? '';
  };

  it('has a formatted caption and buttons, also in a form', async () => {
    const reply_markup = { inline_keyboard: [[{ text: 'Open', callback_data: 'open' }]] };
    const fields = { ...to(), type: 'document', caption: '<b>look</b>', parse_mode: 'HTML' };
    const file = { name: 'note.txt', bytes: Buffer.from('x') };
    const more = { reply_markup: JSON.stringify(reply_markup), message_thread_id: '1' };
    const sent = await upload(form({ ...fields, ...more }, file));
    const buttons = [[{ text: 'Open' }]];
    expect(sent.body).toMatchObject({ text: 'look', buttons });
    const file_id = sent.body.file_id ?? '';
    const again = { ...fields, file_id, reply_markup, message_thread_id: 1 };
    expect((await sender.post('/api/messages/send-media', again)).body).toMatchObject({ buttons });
    const broken = await upload(form({ ...fields, reply_markup: '{' }, file));
    expect(broken).toMatchObject({ status: 400, body: { details: [{ field: 'reply_markup' }] } });
  });

  it('is uploaded, stored, and sent again by its file_id', async () => {
    const bytes = Buffer.from('a document, sent as it is');
    const sent = await upload(
      form({ ...to(), type: 'document', caption: 'look' }, { name: 'note.txt', bytes }),
    );
    expect(sent.status).toBe(200);
    expect(sent.body).toMatchObject({ media_type: 'document', text: 'look' });
    const file_id = sent.body.file_id ?? '';
    expect((await download(file_id)).rawPayload).toEqual(bytes);
    const again = await sender.post<StoredMessage>('/api/messages/send-media', {
      ...to(),
      type: 'document',
      file_id,
      reply_to_message_id: sent.body.id,
    });
    expect(again).toMatchObject({
      status: 200,
      body: { media_type: 'document', reply_to_message_id: sent.body.id },
    });
  });

  it.each(['video', 'audio', 'voice', 'animation', 'video_note'])('is sent as %s', async (type) => {
    const bytes = Buffer.from(`some ${type}`);
    const { status, body } = await upload(form({ ...to(), type }, { name: 'a.mp4', bytes }));
    expect({ status, type: body.media_type }).toEqual({ status: 200, type });
    // Under the manual clock the platform's pace is kept only when time passes.
    await chats.clock.advance(5_000);
  });

  it('is refused by name where the form or the JSON is wrong, and nothing is sent', async () => {
    const bytes = Buffer.from('x');
    const refused = [
      await upload(form({ ...to() }, { name: 'a', bytes })),
      await upload(form({ ...to(), type: 'hologram' }, { name: 'a', bytes })),
      await upload(form({ ...to(), type: 'sticker', caption: 'x' }, { name: 'a', bytes })),
      await upload(form({ ...to(), type: 'photo' })),
      await sender.post('/api/messages/send-media', { ...to(), type: 'photo' }),
      await sender.post('/api/messages/send-media', {
        ...to(),
        type: 'photo',
        file_id: 'x',
        no: 1,
      }),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400));
    const fields = refused.map(({ body }) => {
      const { details } = body as unknown as { details: { field: string }[] };
      return details[0]?.field;
    });
    expect(fields).toEqual(['type', 'type', 'caption', 'file', 'file_id', 'no']);
    const bad = await upload(form({ ...to(), type: 'photo' }, { name: 'a', bytes }));
    expect(bad).toMatchObject({ status: 422, body: { code: 'platform_refused' } });
  });

  const part = (name: string, value: string, more = '') =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

  it('takes a file without a name', async () => {
    const { bot_id, chat_id } = to();
    const fields = { bot_id, chat_id, type: 'document' };
    const parts = Object.entries(fields).map(([name, value]) => part(name, String(value)));
    const { status, body } = await upload(
      Buffer.from(`${parts.join('')}${part('file', 'unnamed bytes')}--${boundary}--\r\n`),
    );
    expect(status, JSON.stringify(body)).toBe(200);
    expect((await download(body.file_id ?? '')).body).toBe('unnamed bytes');
  });

  it('says that the file must come last', async () => {
    const file = part('file', 'x'.repeat(100_000), '; filename="a.txt"');
    const { bot_id, chat_id } = to();
    const fields = Object.entries({ bot_id, chat_id, type: 'document' })
      .map(([name, value]) => part(name, String(value)))
      .join('');
    const early = await upload(Buffer.from(`${file}${fields}--${boundary}--\r\n`));
    expect(early).toMatchObject({
      status: 400,
      body: {
        error: expect.stringMatching(/bot_id is missing: send it before the file/),
        details: [{ field: 'bot_id' }, { field: 'chat_id' }, { field: 'type' }],
      },
    });
    const caption = part('caption', 'too late');
    const late = await upload(Buffer.from(`${fields}${file}${caption}--${boundary}--\r\n`));
    expect(late).toMatchObject({
      status: 400,
      body: {
        error: expect.stringContaining('caption comes after the file'),
        details: [{ field: 'caption' }],
      },
    });
    const [sent] = await chats.store.outbox.list({ botIds: [bot.id], limit: 1 });
    expect(sent).toMatchObject({ state: 'failed', error: expect.stringContaining('caption') });
  });

  it('passes large files on, and answers a refused one that is still being sent', async () => {
    const address = await chats.app.listen({ host: '127.0.0.1', port: 0 });
    const bytes = Buffer.alloc(12_000_000, 7);
    const post = async (chat_id: number, bot_id: number) => {
      const body = new FormData();
      const fields = { bot_id, chat_id, type: 'document' };
      for (const [name, value] of Object.entries(fields)) body.append(name, String(value));
      body.append('file', new Blob([bytes]), 'large.bin');
      const url = `${address}/api/messages/send-media`;
      const response = await fetch(url, { method: 'POST', headers: sender.headers, body });
      return { status: response.status, body: (await response.json()) as StoredMessage };
    };
    const unmanaged = await chats.addManagedBot({ manage_enabled: false });
    expect((await post(annId, unmanaged.id)).status).toBe(409);
    expect((await post(987_654, bot.id)).status).toBe(422);
    const sent = await post(annId, bot.id);
    expect(sent.status).toBe(200);
    expect((await download(sent.body.file_id ?? '')).rawPayload.equals(bytes)).toBe(true);
  });

  it('comes in ranges, with an ETag, and from the disk the second time', async () => {
    const bytes = Buffer.from('0123456789');
    const fileId = await incoming({ kind: 'video', bytes, name: 'clip.mp4' });
    const whole = await download(fileId);
    expect(whole.statusCode).toBe(200);
    expect(whole.headers).toMatchObject({
      'content-type': 'video/mp4',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-disposition': expect.stringMatching(/^inline/),
    });
    expect(whole.rawPayload).toEqual(bytes);
    chats.sandbox.fault({ kind: 'reset_before', botId: bot.platformId, times: 100 });
    try {
      const part = await download(fileId, { range: 'bytes=2-5' });
      expect(part.statusCode).toBe(206);
      expect(part.headers['content-range']).toBe('bytes 2-5/10');
      expect(part.body).toBe('2345');
      expect((await download(fileId, { range: 'bytes=-3' })).body).toBe('789');
      expect((await download(fileId, { range: 'bytes=20-' })).statusCode).toBe(416);
      const etag = String(whole.headers['etag']);
      expect((await download(fileId, { 'if-none-match': etag })).statusCode).toBe(304);
      expect((await download(fileId, { range: 'bytes=0-1', 'if-range': '"x"' })).body).toBe(
        '0123456789',
      );
    } finally {
      chats.sandbox.faults.clear();
    }
  });

  it('never lets a page that someone sent run as ours', async () => {
    const page = Buffer.from('<script>alert(1)</script>');
    for (const name of ['page.html', 'image.svg', 'evil.xhtml']) {
      const answer = await download(await incoming({ kind: 'document', bytes: page, name }));
      expect(answer.headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-disposition': expect.stringMatching(/^attachment/),
        'content-security-policy': expect.stringMatching(/sandbox/),
      });
    }
  });

  it('stays within its bytes on disk: what was not asked for longest goes', async () => {
    const folder = path.join(chats.dataDir, 'media');
    const ids: string[] = [];
    for (let index = 0; index < 4; index++) {
      await chats.clock.advance(1_000);
      const bytes = Buffer.alloc(40_000, index);
      ids.push(await incoming({ kind: 'document', bytes, name: `big${index}.bin` }));
      expect((await download(ids[index] ?? '')).statusCode).toBe(200);
    }
    const kept = readdirSync(folder).filter((file) => file.endsWith('.bin'));
    expect(kept).toHaveLength(2);
    expect((await download(ids[0] ?? '')).rawPayload).toEqual(Buffer.alloc(40_000, 0));
  });

  it('passes on that the platform knows no such file', async () => {
    expect((await download('no-such-file')).statusCode).toBe(422);
  });
});
