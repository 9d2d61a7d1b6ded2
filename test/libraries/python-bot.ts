import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TopicBot } from './library-bot.ts';

const script = fileURLToPath(new URL('topic_bot.py', import.meta.url));

const pythonTopicBot: TopicBot = {
  name: 'python-telegram-bot',
  async poll({ apiRoot, token }) {
    const env = { ...process.env, API_ROOT: apiRoot, TOKEN: token };
    const bot = spawn('python3', [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(bot, 'exit');
    const isReady = await Promise.race([once(bot.stdout, 'data'), ended.then(() => false)]);
    if (!isReady) throw new Error('The Python bot ended.');
    return {
      async stop() {
        bot.kill('SIGTERM');
        await ended;
      },
    };
  },
};

/** Python packages are not installed with the tests: the bot takes part where its library exists. */
export const pythonTopicBots: readonly TopicBot[] =
  spawnSync('python3', ['-c', 'import telegram.ext']).status === 0 ? [pythonTopicBot] : [];
