import { describe } from 'vitest';
import type { Sandbox } from '../../sandbox/src/index.ts';
import { startRelayOnSandbox } from '../libraries/relay-on-sandbox.ts';
import { libraryScenarios, type Target, topicScenarios } from '../libraries/scenarios.ts';
import { serve } from '../support/local-server.ts';

/**
 * The sandbox's Bot API. An edit waits until a button press was answered: a library may give that
 * answer in the response to the webhook, which the relay sends on its own and not before the edit.
 */
async function servePlatform(sandbox: Sandbox) {
  const answered = Promise.withResolvers<void>();
  sandbox.onChange((change) => {
    if (change.type === 'callback_answered') answered.resolve();
  });
  return await serve((req, res) => {
    const first = req.url?.includes('/editMessageText') ? answered.promise : Promise.resolve();
    void first.then(() => sandbox.handle(req, res));
  });
}

interface Way {
  root: string;
  as: 'bot' | 'app';
}

async function throughRelay({ as, root }: Way): Promise<Target> {
  const isOwn = as === 'bot' && !root.startsWith('/p/');
  const settings = { long_poll_enabled: isOwn };
  const relay = await startRelayOnSandbox('sqlite', settings, servePlatform);
  const { sandbox, bot } = relay;
  const app = isOwn
    ? undefined
    : await relay.call<{ token: string }>('/api/bots/apps/add', {
        bot_id: relay.botId,
        name: 'library',
      });
  return {
    sandbox,
    apiRoot: relay.address + root,
    token: as === 'app' ? (app?.token ?? '') : bot.token,
    botId: bot.id,
    // The relay buffers from the moment the bot was added: no client is ever too late.
    polled: async () => {},
    slowDown(retryAfterSeconds) {
      sandbox.fault({
        kind: 'too_many_requests',
        botId: bot.id,
        method: 'getChat',
        retryAfterSeconds,
        times: 1,
      });
    },
    close: relay.close,
  };
}

/**
 * Libraries know only the service's address. As an app they need no switch of the bot, and with its
 * token they never see the one of the bot.
 */
describe.each<Way>([
  { root: '', as: 'bot' },
  { root: '/tgapi', as: 'bot' },
  { root: '/p/library', as: 'bot' },
  { root: '', as: 'app' },
])('bot libraries through the gateway at "$root" with the token of the $as', (way) => {
  libraryScenarios(() => throughRelay(way));
});

describe('bot libraries through the gateway', () => {
  topicScenarios(() => throughRelay({ root: '', as: 'app' }));
});
