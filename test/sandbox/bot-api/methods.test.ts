import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ApiResponse } from '@grammyjs/types';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { methodNames } from '../../../sandbox/src/method-names.ts';
import { unsupportedMethods } from '../../../sandbox/src/methods/registry.ts';
import { createSandbox } from '../../../sandbox/src/sandbox.ts';
import { apiOf, scene } from '../helpers.ts';

/** The names in the declared types, which follow Telegram's own list. */
function declaredMethods(): string[] {
  const types = createRequire(import.meta.url).resolve('@grammyjs/types');
  const source = readFileSync(new URL('methods.d.ts', `file://${types}`), 'utf8');
  const start = source.indexOf('export type ApiMethods');
  const body = source.slice(start, source.indexOf('\n};', start));
  return [...body.matchAll(/^ {4}([a-z][A-Za-z]+)\(/gm)].map(([, name]) => name ?? '');
}

const declared = declaredMethods();

/** Methods that need nothing, or are content with nothing. */
const content = new Set(
  `getMe getUpdates getWebhookInfo setWebhook deleteWebhook getMyCommands setMyCommands deleteMyCommands setMyName
   getMyName setMyDescription getMyDescription setMyShortDescription getMyShortDescription
   setChatMenuButton getChatMenuButton setMyDefaultAdministratorRights logOut close
   getMyDefaultAdministratorRights getAvailableGifts getMyStarBalance getStarTransactions getForumTopicIconStickers`.split(
    /\s+/u,
  ),
);

test('every method of the declared Bot API is known here', () => {
  expect(declared.length).toBeGreaterThan(170);
  expect(declared.filter((name) => !methodNames.includes(name))).toEqual([]);
});

test('every send and every edit of a message is there', () => {
  const sends = declared.filter((name) =>
    /^(?:send|editMessage|stopMessage|copy|forward)/u.test(name),
  );
  expect(sends.length).toBeGreaterThan(35);
  expect(sends.filter((name) => unsupportedMethods.includes(name))).toEqual([]);
});

describe('what each method says', () => {
  const sandbox = createSandbox({ seed: 3 });
  let url = '';
  beforeAll(async () => {
    ({ url } = await sandbox.listen());
  });
  afterAll(() => sandbox.close());

  test.each(declared)('%s without parameters', async (method) => {
    const { status, body } = await apiOf(url, sandbox.createBot().token).call(method);
    if (content.has(method)) {
      expect(body.ok, JSON.stringify(body)).toBe(true);
      return;
    }
    expect(body.ok, `${method} succeeded: ${JSON.stringify(body)}`).toBe(false);
    expect(status).toBe((body as { error_code: number }).error_code);
    expect([400, 403]).toContain(status);
    expect(body.description).toMatch(/^(?:Bad Request|Forbidden): \S/u);
  });
});

test('what this world does not have is refused as Telegram refuses it', async () => {
  const { api, sandbox, bot } = await scene();
  const ann = sandbox.createUser({ first_name: 'Ann' });
  sandbox.say(ann, bot, 'hi');
  const group = sandbox.createChat({ title: 'G', owner: ann, members: [bot] });
  sandbox.promote(ann, group, bot);
  const chat_id = group.id;
  const user_id = ann.id;
  const refusals: [string, object, string][] = [
    ['createForumTopic', { chat_id, name: 'T' }, 'the chat is not a forum'],
    ['closeGeneralForumTopic', { chat_id: user_id }, 'the chat is not a forum'],
    ['createForumTopic', {}, 'chat_id is empty'],
    ['createForumTopic', { chat_id: 5 }, 'chat not found'],
    ['getStickerSet', { name: 'x' }, 'STICKERSET_INVALID'],
    ['deleteStickerFromSet', {}, 'sticker is not specified'],
    ['setUserEmojiStatus', { user_id }, 'USER_PERMISSION_DENIED'],
    ['setUserEmojiStatus', {}, 'invalid user_id specified'],
    ['verifyUser', { user_id }, 'BOT_VERIFIER_FORBIDDEN'],
    ['banChatSenderChat', { chat_id }, 'sender_chat_id is empty'],
    [
      'banChatSenderChat',
      { chat_id, sender_chat_id: 'x' },
      'sender_chat_id is not a valid Integer',
    ],
    ['refundStarPayment', { user_id }, 'parameter "telegram_payment_charge_id" is required'],
    ['postStory', { content: {} }, 'business connection not found'],
    ['postStory', {}, "story content isn't specified"],
    [
      'answerPreCheckoutQuery',
      { pre_checkout_query_id: '1', ok: true },
      'query is too old and response timeout expired or query ID is invalid',
    ],
    [
      'savePreparedInlineMessage',
      {},
      'method savePreparedInlineMessage is not supported by the sandbox',
    ],
  ];
  for (const [method, params, reason] of refusals) {
    expect(await api.refused(method, params), method).toBe(`Bad Request: ${reason}`);
  }
});

test('a method that is none is not found', async () => {
  const { url, bot } = await scene();
  const { status, body } = await apiOf(url, bot.token).call('sendTelepathy');
  expect(status).toBe(404);
  expect((body as ApiResponse<never> & { description: string }).description).toBe(
    'Not Found: method not found',
  );
});
