import { createSandbox } from '../../sandbox/src/sandbox.ts';
import { libraryScenarios, type Target, topicScenarios } from '../libraries/scenarios.ts';
import { until } from './helpers.ts';

async function makeTarget(): Promise<Target> {
  const sandbox = createSandbox({ seed: 3 });
  const { url } = await sandbox.listen();
  const bot = sandbox.createBot({ username: 'library_bot', hasTopics: true });
  return {
    sandbox,
    apiRoot: url,
    token: bot.token,
    botId: bot.id,
    polled: () => until(() => sandbox.isPolled(bot.id)),
    slowDown: (retryAfterSeconds) => {
      sandbox.fault({
        kind: 'too_many_requests',
        botId: bot.id,
        method: 'getChat',
        retryAfterSeconds,
        times: 1,
      });
    },
    close: () => sandbox.close(),
  };
}

libraryScenarios(makeTarget);
topicScenarios(makeTarget);
