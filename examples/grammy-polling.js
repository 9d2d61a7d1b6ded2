// A grammY bot that reads and sends through the relay, or directly through the sandbox.
//
// Run it in a separate directory: "npm install" in the clone would change the relay's own packages.
//
//   mkdir tea-bot && cd tea-bot && npm init -y && npm pkg set type=module && npm install grammy
//   cp /path/to/the/clone/examples/grammy-polling.js .
//   BOT_TOKEN=… API_ROOT=http://127.0.0.1:8080 node grammy-polling.js
//
// At the relay the bot needs long_poll_enabled; the sandbox alone needs nothing.
import { Bot, InlineKeyboard } from 'grammy';

const { BOT_TOKEN, API_ROOT = 'http://127.0.0.1:8080' } = process.env;
if (!BOT_TOKEN) throw new Error('Set BOT_TOKEN to the token of a practice bot.');

// This line is the only difference from a bot at Telegram.
const bot = new Bot(BOT_TOKEN, { client: { apiRoot: API_ROOT } });

const menu = new InlineKeyboard().text('Green', 'green').text('Black', 'black');

bot.command('start', (ctx) => ctx.reply('Which tea would you like?', { reply_markup: menu }));
bot.callbackQuery(['green', 'black'], async (ctx) => {
  await ctx.answerCallbackQuery({ text: 'Coming up' });
  await ctx.editMessageText(`One ${ctx.callbackQuery.data} tea.`);
});
bot.on('message:text', (ctx) => ctx.reply(`You said: ${ctx.message.text}`));

process.once('SIGINT', () => bot.stop());
process.once('SIGTERM', () => bot.stop());
await bot.start({ onStart: ({ username }) => console.log(`@${username} is listening`) });
