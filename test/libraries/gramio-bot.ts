import type { RequestListener } from 'node:http';
import {
  type AnyBot,
  Bot,
  InlineKeyboard,
  MediaUpload,
  type MessageContext,
  TelegramError,
  webhookHandler,
} from 'gramio';
import { type Address, type LibraryBot, nobody } from './library-bot.ts';

// Checking what the library declares for `on` and `webhookHandler` takes seconds.
type On = (
  kind: 'message' | 'edited_message',
  act: (ctx: MessageContext<AnyBot>) => unknown,
) => void;
type HandlerOf = (bot: object, framework: 'http', secret: string) => RequestListener;

function build({ apiRoot, token }: Address) {
  const bot = new Bot(token, { api: { baseURL: `${apiRoot}/bot` } });
  const report = async (chatId: number, action: () => Promise<unknown>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof TelegramError)) throw error;
      const wait = error.payload?.retry_after;
      await bot.api.sendMessage({
        chat_id: chatId,
        text: `${error.code} ${error.message}${wait ? ` (${wait})` : ''}`,
      });
    }
  };
  bot.command('start', (ctx) =>
    ctx.send(`Hello, ${ctx.from?.firstName}!`, {
      reply_markup: new InlineKeyboard().text('Yes', 'yes').text('No', 'no'),
    }),
  );
  bot.callbackQuery(/^(?:yes|no)$/, async (ctx) => {
    await ctx.answer({ text: 'noted' });
    await ctx.editText(`You chose ${ctx.queryData[0]}`);
  });
  const on = bot.on.bind(bot) as never as On;
  on('edited_message', (ctx) => ctx.send(`edited: ${ctx.text}`));
  on('message', async (ctx) => {
    if (ctx.photo) {
      const largest = ctx.photo.at(-1);
      const bytes = Buffer.from(await bot.downloadFile(largest?.fileId ?? ''));
      await ctx.sendDocument(MediaUpload.buffer(bytes, 'copy.png'), {
        caption: `${bytes.length} bytes`,
      });
    } else if (ctx.text === 'edit me') {
      const sent = await ctx.send('before');
      await bot.api.editMessageText({
        chat_id: ctx.chat.id,
        message_id: sent.id,
        text: '<b>after</b>',
        parse_mode: 'HTML',
      });
    } else if (ctx.text === 'fail') {
      await report(ctx.chat.id, () => bot.api.sendMessage({ chat_id: nobody, text: 'x' }));
    } else if (ctx.text === 'slow down') {
      await report(ctx.chat.id, () => bot.api.getChat({ chat_id: ctx.chat.id }));
    } else {
      await ctx.send(ctx.text ?? '');
    }
  });
  return bot;
}

export const gramioBot: LibraryBot = {
  name: 'gramio',
  async poll(address) {
    const bot = build(address);
    await bot.start({ longPolling: { timeout: 1 } });
    return {
      stop: async () => {
        // Otherwise the last poll continues in the background.
        await bot.updates.stopPolling(true);
        await bot.stop();
      },
    };
  },
  async webhook(address, { url, secret }) {
    const bot = build(address);
    await bot.start({ webhook: { url, secret_token: secret } });
    const handle = (webhookHandler as never as HandlerOf)(bot, 'http', secret);
    return {
      listener: (req, res) => void handle(req, res),
      stop: async () => {
        await bot.api.deleteWebhook();
        await bot.stop();
      },
    };
  },
};
