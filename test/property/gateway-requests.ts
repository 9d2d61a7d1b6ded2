/*
 * Requests to everything that is not in the OpenAPI document: the gateway, the hooks and pages, with
 * the right token and others, in all encodings, and with much that is wrong.
 */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { HostileRequest } from './hostile-requests.ts';
import { nastyTexts } from './schema-arbitrary.ts';

export interface GatewayKeys {
  /** Of bots and apps that the service knows. */
  tokens: string[];
  /** `hookSecret` is the one that the service told the platform. */
  bots: { id: number; secret: string; hookSecret: string }[];
}

const methods = [
  'getMe',
  'getUpdates',
  'setWebhook',
  'deleteWebhook',
  'getWebhookInfo',
  'logOut',
  'close',
  'sendMessage',
  'sendPhoto',
  'sendMediaGroup',
  'editMessageText',
  'getFile',
  'getChatMember',
  'answerCallbackQuery',
  'SENDMESSAGE',
  'test/getMe',
];

// A poll that waits proves nothing more than one that does not.
const names = ['chat_id', 'text', 'offset', 'limit', 'consumer', 'url', 'allowed_updates', 'media'];
const words = [
  ...nastyTexts,
  '1',
  '-1001234567890',
  '9007199254740993',
  '[]',
  '["message"]',
  '{"a":',
  'http://127.0.0.1:9/hook',
  'a\u0000b',
];

const word = fc.constantFrom(...words);
const encoded = (text: string) => encodeURIComponent(text);
const params = fc.dictionary(fc.constantFrom(...names), fc.oneof(word, fc.jsonValue()), {
  maxKeys: 4,
});

type Body = Pick<HostileRequest, 'headers' | 'body'>;
const body: fc.Arbitrary<Body> = fc.oneof(
  fc.constant<Body>({ headers: {}, body: undefined }),
  params.map((given) => withBody('application/json', JSON.stringify(given))),
  params.map((given) =>
    withBody(
      'application/x-www-form-urlencoded',
      new URLSearchParams(
        Object.entries(given).map(([k, v]): [string, string] => [k, JSON.stringify(v)]),
      ).toString(),
    ),
  ),
  fc
    .tuple(fc.constantFrom(...names), word)
    .map(([name, value]) =>
      withBody(
        'multipart/form-data; boundary=x',
        `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--x--\r\n`,
      ),
    ),
  fc.constantFrom(
    withBody('multipart/form-data', '--x\r\n'),
    withBody('multipart/form-data; boundary=x', '--x\r\ncontent-disposition: form-data'),
    withBody('application/json', '{"text":'),
    withBody('application/json', '['.repeat(5_000)),
    withBody('text/plain', 'hello'),
    withBody('application/json', 'x', { 'content-encoding': 'gzip' }),
    withBody('application/json', '{}', { 'content-encoding': 'br' }),
    withBody('application/json', gzipSync(Buffer.alloc(3_000_000, 32)).toString('latin1'), {
      'content-encoding': 'gzip',
    }),
  ),
);

function withBody(type: string, text: string, more: Record<string, string> = {}): Body {
  return { headers: { 'content-type': type, ...more }, body: text };
}

const update = fc.oneof(
  fc.constantFrom('', '{}', '[]', 'null', '{"update_id":1}', '{"update_id":"x","message":{}}'),
  fc
    .record({ update_id: fc.integer({ min: -5, max: 2 ** 40 }), message: fc.jsonValue() })
    .map((one) => JSON.stringify(one)),
  fc.record({ id: fc.integer({ min: 1, max: 9_999 }), text: word }).map(({ id, text }) =>
    JSON.stringify({
      update_id: id,
      message: { message_id: id, date: 1, chat: { id: 7, type: 'private' }, text },
    }),
  ),
);

/** Updates with an id and much else that no schema knows. */
export const oddUpdates: fc.Arbitrary<object> = fc.oneof(
  fc.dictionary(
    fc.constantFrom('message', 'edited_message', 'callback_query', 'poll', 'x'),
    fc.jsonValue(),
    {
      maxKeys: 2,
    },
  ),
  fc
    .record(
      {
        message_id: fc.oneof(fc.integer(), word),
        date: fc.oneof(fc.integer(), fc.constant(null)),
        chat: fc.oneof(
          fc.record({ id: fc.maxSafeInteger(), type: word, title: word }),
          fc.constant({ id: 7, type: 'private', first_name: 'Ann' }),
          fc.jsonValue(),
        ),
        from: fc.oneof(fc.constant({ id: 7, is_bot: false, first_name: 'Ann' }), fc.jsonValue()),
        text: fc.oneof(word, fc.string({ unit: 'binary' }), fc.jsonValue()),
        entities: fc.jsonValue(),
        photo: fc.jsonValue(),
        reply_to_message: fc.jsonValue(),
      },
      { requiredKeys: ['chat'] },
    )
    .map((message) => ({ message })),
);

export function gatewayRequests({ tokens, bots }: GatewayKeys): fc.Arbitrary<HostileRequest> {
  const token = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...tokens) },
    { weight: 1, arbitrary: fc.constantFrom(...tokens).map(encoded) },
    { weight: 1, arbitrary: fc.constantFrom('1:x', '', ':', '12345:AAwrongTokenOfNobody', '%zz') },
    { weight: 1, arbitrary: word.map(encoded) },
  );
  const prefix = fc.constantFrom(
    '',
    '',
    '',
    '/tgapi',
    '//tgapi/',
    '/p/default',
    '/p/nobody',
    '/p/..',
  );
  const method = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...methods) },
    { weight: 1, arbitrary: word.map(encoded) },
  );
  const query = fc.array(fc.tuple(fc.constantFrom(...names), word), { maxLength: 3 });
  const verb = fc.constantFrom('GET', 'POST', 'POST', 'POST', 'PUT', 'HEAD', 'OPTIONS');
  const send = (path: string, given: Body, more: Partial<HostileRequest> = {}): HostileRequest => ({
    wrong: 'gateway',
    method: 'POST',
    path,
    query: [],
    withKey: false,
    expected: undefined,
    ...given,
    ...more,
  });
  const calls = fc.record({ token, prefix, method, query, verb, body }).map((one) =>
    send(`${one.prefix}/bot${one.token}/${one.method}`, bodyFor(one.verb, one.body), {
      method: one.verb,
      query: one.query,
    }),
  );
  const files = fc
    .record({ token, prefix, path: fc.array(fc.oneof(word, fc.constant('..')), { maxLength: 3 }) })
    .map((one) =>
      send(
        `${one.prefix}/file/bot${one.token}/${one.path.map(encoded).join('/')}`,
        { headers: {}, body: undefined },
        { method: 'GET' },
      ),
    );
  const hooks = fc
    .record({
      bot: fc.constantFrom(...bots, { id: 999, secret: '', hookSecret: '' }),
      isRight: fc.boolean(),
      text: update,
      body,
      kind: fc.constantFrom('telegram', 'backend'),
    })
    .map(({ bot, isRight, text, body: other, kind }) => {
      const own = kind === 'telegram' ? bot.hookSecret : bot.secret;
      const secret = isRight ? own : 'not it';
      const given = kind === 'telegram' ? withBody('application/json', text) : other;
      return send(`/hooks/${kind}/${bot.id}`, {
        ...given,
        headers: { ...given.headers, 'x-telegram-bot-api-secret-token': secret },
      });
    });
  const pages = fc
    .tuple(fc.constantFrom('/', '/docs/', '/assets/', '/api/', '/login/', '/sandbox/'), word, verb)
    .map(([root, text, method]) =>
      send(root + encoded(text), { headers: {}, body: undefined }, { method }),
    );
  return fc.oneof(
    { weight: 6, arbitrary: calls },
    { weight: 1, arbitrary: files },
    { weight: 2, arbitrary: hooks },
    { weight: 1, arbitrary: pages },
  );
}

const bodyFor = (verb: string, given: Body): Body =>
  verb === 'POST' || verb === 'PUT' ? given : { headers: {}, body: undefined };

/** What is no HTTP, or barely. */
export const brokenRequests: readonly string[] = [
  'GET\r\n\r\n',
  '\u0000\u0001\u0002',
  'GET / HTTP/9.9\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
  `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
  'POST /api/bots/add HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n',
  'POST /api/bots/add HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /api/bots/add HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  'GET /bot%zz/getMe HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET http://[::/ HTTP/1.1\r\nhost: x\r\n\r\n',
  'CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
];
