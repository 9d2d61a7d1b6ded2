import { Markup, Telegraf, TelegramError } from 'telegraf';
import { message } from 'telegraf/filters';
import {
  type Address,
  download,
  type LibraryBot,
  nobody,
  type Running,
  type TopicBot,
} from './library-bot.ts';

function build({ apiRoot, token }: Address): Telegraf {
  // Without the slash at the end Telegraf drops the last part of the path.
  const bot = new Telegraf(token, { telegram: { apiRoot: `${apiRoot}/` } });
  bot.start((ctx) =>
    ctx.reply(
      `Hello, ${ctx.from.first_name}!`,
      Markup.inlineKeyboard([
        Markup.button.callback('Yes', 'yes'),
        Markup.button.callback('No', 'no'),
      ]),
    ),
  );
  bot.action(['yes', 'no'], async (ctx) => {
    await ctx.answerCbQuery('noted');
    await ctx.editMessageText(`You chose ${ctx.match[0]}`);
  });
  bot.on(message('photo'), async (ctx) => {
    const largest = ctx.message.photo.at(-1);
    const link = await ctx.telegram.getFileLink(largest?.file_id ?? '');
    const bytes = await download(link.href);
    await ctx.replyWithDocument(
      { source: bytes, filename: 'copy.png' },
      { caption: `${bytes.length} bytes` },
    );
  });
  bot.hears('edit me', async (ctx) => {
    // Through the client itself: an answer given in the webhook's response has no message id.
    const sent = await bot.telegram.sendMessage(ctx.chat.id, 'before');
    await bot.telegram.editMessageText(ctx.chat.id, sent.message_id, undefined, '<b>after</b>', {
      parse_mode: 'HTML',
    });
  });
  const report = async (chatId: number, action: () => Promise<unknown>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof TelegramError)) throw error;
      const wait = error.parameters?.retry_after;
      await bot.telegram.sendMessage(
        chatId,
        `${error.code} ${error.description}${wait ? ` (${wait})` : ''}`,
      );
    }
  };
  bot.hears('fail', (ctx) => report(ctx.chat.id, () => bot.telegram.sendMessage(nobody, 'x')));
  bot.hears('slow down', (ctx) => report(ctx.chat.id, () => bot.telegram.getChat(ctx.chat.id)));
  bot.on('edited_message', (ctx) =>
    ctx.reply(`edited: ${'text' in ctx.editedMessage ? ctx.editedMessage.text : ''}`),
  );
  bot.on(message('text'), (ctx) => ctx.reply(ctx.message.text));
  return bot;
}

async function run(bot: Telegraf): Promise<Running> {
  let launched: Promise<void> | undefined;
  await new Promise<void>((resolve, reject) => {
    launched = bot.launch(() => resolve());
    launched.catch(reject);
  });
  return {
    stop: async () => {
      bot.stop();
      await launched;
    },
  };
}

function buildForTopics({ apiRoot, token }: Address): Telegraf {
  const bot = new Telegraf(token, { telegram: { apiRoot: `${apiRoot}/` } });
  bot.command('topic', async (ctx) => {
    const { message_thread_id, name } = await ctx.createForumTopic(ctx.payload);
    await ctx.reply(`Welcome to ${name}`, { message_thread_id });
  });
  // Telegraf itself keeps replies in the topic of the message.
  bot.on(message('forum_topic_created'), async (ctx) => {
    if (ctx.from.id !== ctx.botInfo.id) {
      await ctx.reply(`I see ${ctx.message.forum_topic_created.name}`);
    }
  });
  bot.on(message('text'), async (ctx) => {
    const { is_topic_message, text } = ctx.message;
    if (!is_topic_message) return;
    if (text !== 'close') {
      await ctx.reply(text);
      return;
    }
    try {
      await ctx.closeForumTopic();
    } catch (error) {
      if (!(error instanceof TelegramError)) throw error;
      await ctx.reply(`${error.code} ${error.description}`);
    }
  });
  return bot;
}

export const telegrafTopicBot: TopicBot = {
  name: 'Telegraf',
  poll: (address) => run(buildForTopics(address)),
};

export const telegrafBot: LibraryBot = {
  name: 'Telegraf',
  poll: (address) => run(build(address)),
  async webhook(address, { url, secret }) {
    const bot = build(address);
    await bot.telegram.setWebhook(url, { secret_token: secret });
    bot.botInfo = await bot.telegram.getMe();
    const handle = bot.webhookCallback(new URL(url).pathname, { secretToken: secret });
    return {
      listener: (req, res) => void handle(req, res),
      stop: async () => {
        await bot.telegram.deleteWebhook();
      },
    };
  },
};
