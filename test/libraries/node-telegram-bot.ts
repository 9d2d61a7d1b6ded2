import { Bot, InlineKeyboardBuilder, InputFile, TelegramApiError } from 'node-telegram-bot-api';
import { createWebhookServer } from 'node-telegram-bot-api/node';
import { type Address, download, type LibraryBot, nobody } from './library-bot.ts';

function build({ apiRoot, token }: Address): Bot {
  const bot = new Bot(token, { apiRoot, maxRetries: 0 });
  bot.command('start', async (ctx) => {
    await ctx.reply(`Hello, ${ctx.from?.first_name}!`, {
      reply_markup: new InlineKeyboardBuilder().text('Yes', 'yes').text('No', 'no').build(),
    });
  });
  bot.on('callback_query', async (ctx) => {
    const query = ctx.callbackQuery;
    await ctx.answerCallbackQuery({ text: 'noted' });
    await ctx.api.editMessageText({
      chat_id: query?.message?.chat.id ?? 0,
      message_id: query?.message?.message_id ?? 0,
      text: `You chose ${query?.data}`,
    });
  });
  const report = async (chatId: number, action: () => Promise<unknown>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof TelegramApiError)) throw error;
      const wait = error.retryAfter;
      await bot.api.sendMessage({
        chat_id: chatId,
        text: `${error.errorCode} ${error.description}${wait ? ` (${wait})` : ''}`,
      });
    }
  };
  bot.hears('edit me', async (ctx) => {
    const chat_id = ctx.chatId ?? 0;
    const sent = await ctx.reply('before');
    await ctx.api.editMessageText({
      chat_id,
      message_id: sent.message_id,
      text: '<b>after</b>',
      parse_mode: 'HTML',
    });
  });
  bot.hears('fail', (ctx) =>
    report(ctx.chatId ?? 0, () => ctx.api.sendMessage({ chat_id: nobody, text: 'x' })),
  );
  bot.hears('slow down', (ctx) =>
    report(ctx.chatId ?? 0, () => ctx.api.getChat({ chat_id: ctx.chatId ?? 0 })),
  );
  bot.on('edited_message', async (ctx) => {
    await ctx.reply(`edited: ${ctx.editedMessage?.text}`);
  });
  bot.on('message', async (ctx) => {
    const photo = ctx.message?.photo?.at(-1);
    if (!photo) {
      await ctx.reply(ctx.message?.text ?? '');
      return;
    }
    const { file_path } = await ctx.api.getFile({ file_id: photo.file_id });
    const bytes = await download(`${apiRoot}/file/bot${token}/${file_path}`);
    await ctx.api.sendDocument({
      chat_id: ctx.chatId ?? 0,
      document: new InputFile(new Uint8Array(bytes), { filename: 'copy.png' }),
      caption: `${bytes.length} bytes`,
    });
  });
  return bot;
}

export const nodeTelegramBot: LibraryBot = {
  name: 'node-telegram-bot-api',
  async poll(address) {
    const bot = build(address);
    const polling = bot.startPolling(undefined, { timeout: 1 });
    await bot.api.getMe();
    return {
      stop: async () => {
        bot.stop();
        await polling;
      },
    };
  },
  async webhook(address, { url, secret }) {
    const bot = build(address);
    await bot.api.setWebhook({ url, secret_token: secret });
    const server = createWebhookServer(bot, { path: new URL(url).pathname, secretToken: secret });
    return {
      listener: (req, res) => server.emit('request', req, res),
      stop: async () => {
        await bot.api.deleteWebhook();
      },
    };
  },
};
