import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Address, TopicBot } from './library-bot.ts';

const run = promisify(execFile);
const streamingScript = fileURLToPath(new URL('stream_answer.py', import.meta.url));

const pythonTopicBot = (name: string, file: string): TopicBot => ({
  name,
  async poll({ apiRoot, token }) {
    const env = { ...process.env, API_ROOT: apiRoot, TOKEN: token };
    const script = fileURLToPath(new URL(file, import.meta.url));
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
});

/** Python packages are not installed with the tests: a bot takes part where its library exists. */
const hasPackage = (name: string): boolean =>
  spawnSync('python3', ['-c', `import ${name}`]).status === 0;

export const pythonTopicBots: readonly TopicBot[] = [
  { name: 'python-telegram-bot', library: 'telegram.ext', file: 'telegram_topic_bot.py' },
  { name: 'aiogram', library: 'aiogram', file: 'aiogram_topic_bot.py' },
]
  .filter(({ library }) => hasPackage(library))
  .map(({ file, name }) => pythonTopicBot(name, file));

/** The Python libraries that can stream an answer here, by the names of their packages. */
export const pythonStreamers: readonly string[] = ['telegram', 'aiogram'].filter(hasPackage);

/** Streams an answer by edits; returns how many calls the library reported as refused for a limit. */
export async function streamWithPython(
  library: string,
  { apiRoot, token, chatId }: Address & { chatId: number },
): Promise<number> {
  const env = { ...process.env, API_ROOT: apiRoot, TOKEN: token, CHAT: String(chatId) };
  const { stdout } = await run('python3', [streamingScript, library], { env });
  return Number(stdout);
}
