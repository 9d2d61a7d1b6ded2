import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AppSettings, defaultAppSettings } from '../../../src/core/apps/app.ts';
import { readAnswer } from '../../../src/core/messages/answer-facts.ts';
import { answerIntents } from '../../../src/relay/delivery/answer-intent.ts';
import { systemClock } from '../../../src/clock.ts';
import { dialects } from '../../support/database/engines.ts';
import { createTestStore, type TestStore } from '../../support/database/store.ts';

describe.each(dialects)('method calls in answers on %s', (dialect) => {
  let test: TestStore;
  let botId: number;
  let bots = 0;
  const onMethodCall = answerIntents(systemClock);
  beforeAll(async () => {
    test = await createTestStore(dialect);
  });
  afterAll(() => test.close());
  beforeEach(async () => {
    botId = (await test.store.bots.insert({ token: `${++bots}00:secret`, source: 'web' }, 1)).id;
  });

  const add = (name: string, settings: Partial<AppSettings>) =>
    test.store.apps.insert(
      {
        botId,
        name,
        token: `1:${botId}${name}`,
        settings: { ...defaultAppSettings, ...settings },
        patch: {},
      },
      1,
    );
  const call = (reader: string, position: number, method: string, appId?: number) =>
    test.store.engine.write(() =>
      onMethodCall({ botId, reader, appId, position }, { method, params: { chat_id: 7 } }),
    );
  const sends = () => test.store.outbox.list({ botIds: [botId], limit: 9 });

  it('are queued as those of the app', async () => {
    const app = await add('shop', { methods: ['sendMessage'] });
    await call('push', 1, 'banChatMember');
    await call('push:shop', 1, 'SENDMESSAGE');
    await call('push:shop', 1, 'sendMessage');
    expect(await sends()).toMatchObject([
      { appId: app.id, state: 'queued', method: 'SENDMESSAGE' },
      { appId: 0, state: 'queued', method: 'banChatMember' },
    ]);
  });

  it('are not made by a later app of the same name', async () => {
    const former = await add('shop', {});
    await test.store.apps.remove(former.id, 2);
    const app = await add('shop', {});
    await call('push:shop', 1, 'banChatMember', former.id);
    await call('push:shop', 2, 'sendMessage', app.id);
    expect(await sends()).toMatchObject([{ appId: app.id, method: 'sendMessage' }]);
  });

  it('are recorded and not sent where the app may not make them', async () => {
    await add('shop', { methods: ['!banChatMember'] });
    await call('push:shop', 1, 'banchatmember');
    await call('push:gone', 1, 'sendMessage');
    expect(await sends()).toMatchObject([
      {
        state: 'failed',
        error:
          'App shop may not call banchatmember. Change its methods on the Apps tab of the bot, or with POST /api/bots/apps/update.',
        errorDetail: { code: 'app_may_not_call' },
      },
    ]);
    expect(await test.store.outbox.queued(botId, 9, Date.now())).toEqual([]);
  });

  it('give their messages to an app that wants the replies to them', async () => {
    const result = { message_id: 5, date: 1, chat: { id: 7, type: 'private' } };
    const wants = await add('wants', { own_replies: true });
    const plain = await add('plain', {});
    const succeed = (id: number, appId: number, method: string) =>
      test.store.outbox.succeed(
        { id, botId, method, origin: 'answer', appId, author: undefined },
        readAnswer(method, {}, result),
        9,
      );
    const owners = () =>
      test.store.engine.readRaw('select message_id, app_id from app_messages where bot_id = $1', [
        botId,
      ]);
    await succeed(1, plain.id, 'sendMessage');
    await succeed(2, wants.id, 'editMessageText');
    expect(await owners()).toEqual([]);
    await succeed(3, wants.id, 'sendMessage');
    expect(await owners()).toEqual([{ message_id: 5, app_id: wants.id }]);
  });
});
