import { Bot, GrammyError, InlineKeyboard, InputFile, webhookCallback } from 'grammy';
import {
  type Address,
  download,
  type LibraryBot,
  nobody,
  type Running,
  type TopicBot,
} from './library-bot.ts';

function build({ apiRoot, token }: Address): Bot {
  const bot = new Bot(token, { client: { apiRoot } });
  bot.command('start', (ctx) =>
    ctx.reply(`Hello, ${ctx.from?.first_name}!`, {
      reply_markup: new InlineKeyboard().text('Yes', 'yes').text('No', 'no'),
    }),
  );
  bot.callbackQuery(['yes', 'no'], async (ctx) => {
    await ctx.answerCallbackQuery({ text: 'noted' });
    await ctx.editMessageText(`You chose ${ctx.callbackQuery.data}`);
  });
  bot.on('message:photo', async (ctx) => {
    const { file_path } = await ctx.getFile();
    const bytes = await download(`${apiRoot}/file/bot${token}/${file_path}`);
    await ctx.replyWithDocument(new InputFile(bytes, 'copy.png'), {
      caption: `${bytes.length} bytes`,
    });
  });
  bot.hears('edit me', async (ctx) => {
    const sent = await ctx.reply('before');
    await ctx.api.editMessageText(ctx.chat.id, sent.message_id, '<b>after</b>', {
      parse_mode: 'HTML',
    });
  });
  const report = async (chatId: number, action: () => Promise<unknown>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof GrammyError)) throw error;
      const wait = error.parameters.retry_after;
      await bot.api.sendMessage(
        chatId,
        `${error.error_code} ${error.description}${wait ? ` (${wait})` : ''}`,
      );
    }
  };
  bot.hears('fail', (ctx) => report(ctx.chat.id, () => ctx.api.sendMessage(nobody, 'x')));
  bot.hears('slow down', (ctx) => report(ctx.chat.id, () => ctx.api.getChat(ctx.chat.id)));
  bot.on('edited_message:text', (ctx) => ctx.reply(`edited: ${ctx.editedMessage.text}`));
  bot.on('message:text', (ctx) => ctx.reply(ctx.message.text));
  return bot;
}

async function run(bot: Bot): Promise<Running> {
  const polling = bot.start();
  await bot.init();
  return {
    stop: async () => {
      await bot.stop();
      await polling;
    },
  };
}

const topicOf = ({ message_thread_id: id }: { message_thread_id?: number }) =>
  id === undefined ? {} : { message_thread_id: id };

function buildForTopics({ apiRoot, token }: Address): Bot {
  const bot = new Bot(token, { client: { apiRoot } });
  bot.command('topic', async (ctx) => {
    const { message_thread_id, name } = await ctx.createForumTopic(ctx.match);
    await ctx.reply(`Welcome to ${name}`, { message_thread_id });
  });
  bot.on('message:forum_topic_created', async (ctx) => {
    if (ctx.from.id === ctx.me.id) return;
    await ctx.reply(`I see ${ctx.msg.forum_topic_created.name}`, topicOf(ctx.msg));
  });
  bot.on('message:text', async (ctx) => {
    const { is_topic_message, text } = ctx.msg;
    if (!is_topic_message) return;
    if (text !== 'close') {
      await ctx.reply(text, topicOf(ctx.msg));
      return;
    }
    try {
      await ctx.closeForumTopic();
    } catch (error) {
      if (!(error instanceof GrammyError)) throw error;
      await ctx.reply(`${error.error_code} ${error.description}`, topicOf(ctx.msg));
    }
  });
  return bot;
}

export const grammyTopicBot: TopicBot = {
  name: 'grammY',
  poll: (address) => run(buildForTopics(address)),
};

export const grammyBot: LibraryBot = {
  name: 'grammY',
  poll: (address) => run(build(address)),
  async webhook(address, { url, secret }) {
    const bot = build(address);
    await bot.api.setWebhook(url, { secret_token: secret });
    const handle = webhookCallback(bot, 'http', { secretToken: secret });
    return {
      listener: (req, res) => void handle(req, res),
      stop: async () => {
        await bot.api.deleteWebhook();
      },
    };
  },
};
