// A polling bot in a process of its own, so that it can be killed. It reports every update over IPC,
// asks a question with a button when told to, and stays with a text it is told to hang on.
// Arguments: library, API root, token, name, text to hang on ('' for none).
import { Bot, InlineKeyboard } from 'grammy';
import { Markup, Telegraf } from 'telegraf';
import type { Update } from 'grammy/types';

export type AppNews = { update: Update } | { error: string };

const [library = '', apiRoot = '', token = '', name = '', hangsOn = ''] = process.argv.slice(2);
const tell = (news: AppNews) => process.send?.(news);
const question = `${name} asks`;

async function take(update: unknown): Promise<void> {
  tell({ update: update as Update });
  const text = (update as Update).message?.text;
  if (hangsOn !== '' && text === hangsOn) await new Promise(() => {});
}

async function runGrammy(): Promise<void> {
  const bot = new Bot(token, { client: { apiRoot } });
  bot.use(async (ctx, next) => {
    await take(ctx.update);
    await next();
  });
  bot.hears(`ask ${name}`, (ctx) =>
    ctx.reply(question, { reply_markup: new InlineKeyboard().text('Yes', `yes ${name}`) }),
  );
  await bot.start();
}

async function runTelegraf(): Promise<void> {
  const bot = new Telegraf(token, { telegram: { apiRoot: `${apiRoot}/` } });
  bot.use(async (ctx, next) => {
    await take(ctx.update);
    await next();
  });
  bot.hears(`ask ${name}`, (ctx) =>
    ctx.reply(question, Markup.inlineKeyboard([Markup.button.callback('Yes', `yes ${name}`)])),
  );
  await bot.launch();
}

process.on('disconnect', () => process.exit(0));
await (library === 'grammY' ? runGrammy() : runTelegraf()).catch((error: unknown) =>
  tell({ error: String(error) }),
);
