import { expect, test } from 'vitest';
import { controlActions } from '../../sandbox/src/actions/control.ts';
import { type Scene, scene } from './helpers.ts';

type Result = { status: number; body: Record<string, unknown> & { error?: string } };

function controls({ url }: Scene): (action: string, input?: object) => Promise<Result> {
  return async (action, input = {}) => {
    const response = await fetch(`${url}/sandbox/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    return { status: response.status, body: (await response.json()) as Result['body'] };
  };
}

test('only what was said can be answered', async () => {
  const made = await scene();
  const act = controls(made);
  const ann = made.sandbox.createUser({ first_name: 'Ann' });
  const at = { user: ann.id, chat: made.bot.id };
  const { message_id } = (await act('say', { ...at, text: 'first' })).body as {
    message_id: number;
  };
  const next = message_id + 1;
  const error = `Unknown message ${next} in this chat. List messages with GET /sandbox/history.`;
  const missing = {
    status: 404,
    body: { error, code: 'no_message', params: { message_id: next } },
  };
  expect(await act('say', { ...at, text: 'to myself', reply_to: next })).toEqual(missing);
  expect(await act('send-media', { ...at, reply_to: next })).toEqual(missing);
  expect((await act('say', { ...at, text: 'second', reply_to: message_id })).body).toMatchObject({
    message_id: next,
    reply_to_message: { text: 'first' },
  });
});

test('a whole story through the control API', async () => {
  const made = await scene();
  const act = controls(made);
  const bot = (await act('bots/create', { username: 'story_bot', privacy_mode: false })).body as {
    id: number;
    token: string;
  };
  const ann = (await act('users/create', { first_name: 'Ann', username: 'ann' })).body as {
    id: number;
  };
  const group = (
    await act('chats/create', { title: 'Story', type: 'group', owner: '@ann', members: [bot.id] })
  ).body as { id: number };
  const at = { user: ann.id, chat: group.id };
  const message = (await act('say', { ...at, text: 'once upon a time' })).body as {
    message_id: number;
  };
  const message_id = message.message_id;
  expect((await act('edit', { ...at, message_id, text: 'once' })).body).toMatchObject({
    text: 'once',
  });
  expect((await act('react', { ...at, message_id, emoji: '👍' })).status).toBe(200);
  expect((await act('pin', { ...at, message_id })).status).toBe(200);
  expect((await act('send-media', { ...at, caption: 'a picture' })).body).toMatchObject({
    caption: 'a picture',
  });
  for (const caption of ['first of an album', '']) {
    expect(
      (await act('send-media', { ...at, caption, media_group_id: 'album-1' })).body,
    ).toMatchObject({ media_group_id: 'album-1' });
  }
  const album = (await act('send-album', { ...at, items: [{ caption: 'one' }, { kind: 'video' }] }))
    .body as unknown as { media_group_id: string }[];
  expect(album).toMatchObject([
    { photo: expect.any(Array), caption: 'one' },
    { video: expect.any(Object) },
  ]);
  expect(new Set(album.map((item) => item.media_group_id)).size).toBe(1);
  const mixed = { ...at, items: [{ kind: 'photo' }, { kind: 'audio' }] };
  expect((await act('send-album', mixed)).body).toMatchObject({ code: 'album_mixed' });
  expect((await act('send-album', { ...at, items: [{ kind: 'voice' }] })).status).toBe(400);
  const note = (
    await act('send-media', {
      ...at,
      kind: 'document',
      name: 'n.txt',
      data: Buffer.from('note').toString('base64'),
    })
  ).body as { document: { file_id: string } };
  const file = await fetch(`${made.url}/sandbox/file/${note.document.file_id}`);
  expect(await file.text()).toBe('note');
  expect(file.headers.get('content-type')).toBe('application/octet-stream');
  expect(
    (await act('send-content', { ...at, dice: { emoji: '🎲', value: 3 } })).body,
  ).toMatchObject({ dice: { value: 3 } });
  expect(
    (await act('forward', { user: ann.id, from_chat: group.id, message_id, chat: bot.id })).status,
  ).toBe(200);
  expect((await act('chats/promote', { by: ann.id, chat: group.id, user: bot.id })).status).toBe(
    200,
  );
  const upgraded = (await act('chats/upgrade', at)).body as { id: number };
  expect((await act('users/block-bot', { user: ann.id, bot: '@story_bot' })).status).toBe(200);
  expect((await act('delete', { user: ann.id, chat: upgraded.id, message_id: 1 })).status).toBe(
    200,
  );
  const world = (await (await fetch(`${made.url}/sandbox/snapshot`)).json()) as {
    chats: { id: number }[];
    bots: { username: string }[];
  };
  expect(world.chats.map((chat) => chat.id)).toEqual([upgraded.id]);
  expect(world.bots.map((one) => one.username)).toEqual(['scene_bot', 'story_bot']);
  const history = await fetch(`${made.url}/sandbox/history?user=${ann.id}&chat=${bot.id}`);
  expect(await history.json()).toHaveLength(1);
});

test('mistakes are named', async () => {
  const act = controls(await scene());
  expect(await act('fly')).toMatchObject({
    status: 404,
    body: { error: 'Unknown action "fly". List actions with GET /sandbox.' },
  });
  expect(await act('constructor')).toMatchObject({ status: 404 });
  expect(await act('say', { user: 1, chat: 2, text: 'x' })).toMatchObject({
    status: 404,
    body: { error: 'Unknown user 1. List users with GET /sandbox/snapshot.' },
  });
  expect(await act('say', { chat: 2 })).toMatchObject({
    status: 400,
    body: { error: '"user" is missing.' },
  });
  expect(await act('chats/create', { title: 'x', type: 'club', owner: 1 })).toMatchObject({
    status: 400,
  });
});

test('slips are told instead of passed over', async () => {
  const made = await scene();
  const act = controls(made);
  const ann = { first_name: 'Ann', username: 'ann' };
  expect((await act('users/create', ann)).status).toBe(200);
  const slips: [string, object, number, string][] = [
    ['users/create', ann, 409, 'The username ann is taken. Choose another.'],
    ['bots/create', { username: 'Ann' }, 409, 'The username Ann is taken. Choose another.'],
    ['bots/create', { username: 'helper' }, 400, 'The "username" of a bot must end in "bot".'],
    [
      'users/create',
      { username: 'a b' },
      400,
      '"username" must be 3-32 letters, digits and underscores.',
    ],
    ['users/create', { first_name: 5 }, 400, '"first_name" must be a string.'],
    [
      'say',
      { user: 'ann', chat: 'scene_bot', text: 'x', replyto: 1 },
      400,
      '"say" has no field "replyto". Its fields: user, chat, text, message_thread_id, reply_to.',
    ],
    ['faults/list', { bot: 1 }, 400, '"faults/list" has no field "bot". Its fields: none.'],
    [
      'faults/add',
      { kind: 'slow', delayMs: 'abc' },
      400,
      '"delayMs" must be a number from 0 to 600000.',
    ],
    [
      'faults/add',
      { kind: 'slow', probability: 7 },
      400,
      '"probability" must be a number from 0 to 1.',
    ],
    [
      'press',
      { user: 'ann', chat: 'scene_bot', message_id: 'x', button: 'b' },
      400,
      '"message_id" must be an integer.',
    ],
    ['say', { user: 'ann', chat: '', text: 'x' }, 400, '"chat" must not be empty.'],
    ['say', { user: true, chat: 1, text: 'x' }, 400, '"user" must be an id or a username.'],
    [
      'chats/create',
      { title: 'x', owner: 'ann', join_by_request: 'maybe' },
      400,
      '"join_by_request" must be true or false.',
    ],
    [
      'chats/create',
      { title: 'x', owner: 'ann', type: 'club' },
      400,
      '"type" must be one of group, supergroup, channel.',
    ],
    ['talk', { lines: 'Tea?' }, 400, '"lines" must be a list.'],
    [
      'talk',
      { lines: [{ user: 'ann', chat: 'scene_bot', says: 'Tea?' }] },
      400,
      '"talk" has no field "lines.says". Its fields: user, chat, text, message_thread_id, after_seconds, reply.',
    ],
    [
      'pay',
      { user: 'ann', invoice_link: 'x', order_info: { shipping_address: {} } },
      400,
      '"order_info.shipping_address.country_code" is missing.',
    ],
    [
      'users/block-bot',
      { user: 'ann', bot: 'scene_bot', blocked: 'false', extra: 1 },
      400,
      '"users/block-bot" has no field "extra". Its fields: user, bot, blocked.',
    ],
    ['faults/remove', { id: 0 }, 400, '"id" must be a number from 1 to 4503599627370495.'],
  ];
  for (const [action, input, status, error] of slips) {
    expect(await act(action, input), action).toMatchObject({ status, body: { error } });
  }
  // Scripts and queries send numbers and flags as texts.
  expect((await act('say', { user: 'ann', chat: 'scene_bot', text: 'x' })).status).toBe(200);
  const at = { user: 'ann', chat: 'scene_bot', message_id: '1' };
  expect(await act('pin', { ...at, pinned: 'true' })).toEqual({ status: 200, body: { ok: true } });
});

test('mistakes have a code and params', async () => {
  const { url } = await scene();
  const post = async (action: string, body: string) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/sandbox/${action}`, { method: 'POST', headers, body });
    return response.json();
  };
  expect(await post('fly', '{}')).toEqual({
    error: 'Unknown action "fly". List actions with GET /sandbox.',
    code: 'no_such_action',
    params: { action: 'fly' },
  });
  expect(await post('say', '{')).toEqual({
    error: 'The body is not JSON.',
    code: 'body_not_json',
    params: {},
  });
});

test('the actions are listed', async () => {
  const { url } = await scene();
  for (const path of ['/sandbox', '/sandbox/']) {
    const { actions } = (await (await fetch(url + path)).json()) as { actions: object };
    expect(Object.keys(actions).toSorted()).toEqual(Object.keys(controlActions).toSorted());
  }
  expect((await fetch(`${url}/sandbox/fly`)).status).toBe(404);
});

test('pages of other sites cannot steer it', async () => {
  const { url, sandbox } = await scene();
  const simple = await fetch(`${url}/sandbox/users/create`, {
    method: 'POST',
    body: '{"first_name":"Eve"}',
  });
  expect(simple.status).toBe(415);
  expect((await fetch(`${url}/sandbox/users/create`)).status).toBe(405);
  expect(sandbox.snapshot().users).toEqual([]);
});

test('every action has a name that a path can carry', () => {
  for (const name of Object.keys(controlActions)) expect(name).toMatch(/^[a-z]+(?:[-/][a-z]+)*$/);
});

test('paths that are neither are not found, and malformed ones do no harm', async () => {
  const { url, api } = await scene();
  expect((await fetch(`${url}/nothing`)).status).toBe(404);
  expect((await fetch(`${url}/bot%E0%A4%A/getMe`)).status).toBe(401);
  expect((await fetch(`${url}/file/bot%E0%A4%A/x`)).status).toBe(401);
  expect((await api.call('getMe')).status).toBe(200);
});
