import type { Command } from './command.ts';
import { chatArgument, idArgument, laterArgument } from './arguments.ts';
import { UsageError } from './ask.ts';
import { formatTime, printResult } from './output.ts';

interface SendOptions {
  markdown?: boolean;
  replyTo?: number;
  topic?: number;
  business?: string;
  at?: number;
}

export function addSendCommand(program: Command): void {
  program
    .command('send')
    .description('send a message through a bot')
    .argument('<bot>', 'bot ID', idArgument)
    .argument('<chat>', 'chat ID; group IDs are negative', chatArgument)
    .argument('[text]', 'text; "-" reads it from standard input')
    .option('--markdown', 'the text is Markdown: formats it, and splits long text')
    .option('--topic <topic>', 'topic ID', idArgument)
    .option('--reply-to <message>', 'ID of the message to reply to', idArgument)
    .option('--business <connection>', 'business connection ID: send as that business account')
    .option('--at <time>', 'send later: 30m, 2h, 1d or 2030-01-31T09:00', laterArgument)
    .addHelpText(
      'after',
      '\nExamples:\n  bot-relay send 1 123456 "Hello"\n  uptime | bot-relay send 1 -1001234567890 -\n  bot-relay send 1 123456 --markdown - <report.md\n  bot-relay send 1 123456 "We open at nine" --at 2030-01-31T08:00\n',
    )
    .run(
      async (
        context,
        botId: number,
        chatId: number,
        given: string | undefined,
        options: SendOptions,
      ) => {
        const text =
          given === '-'
            ? await readAll(context.stdin)
            : (given ??
              (await context.ask.text(
                'The text is missing. Use "bot-relay send <bot> <chat> <text>".',
                'Message',
              )));
        if (text === '') throw new UsageError('The text is empty. Enter a text to send.');
        const message = await context.withApi((api) =>
          api.post('/api/messages/send', {
            body: {
              bot_id: botId,
              chat_id: chatId,
              text,
              ...(options.markdown ? { format: 'markdown' as const } : {}),
              ...(options.topic ? { message_thread_id: options.topic } : {}),
              ...(options.at === undefined ? {} : { send_at: options.at }),
              ...(options.replyTo ? { reply_to_message_id: options.replyTo } : {}),
              ...(options.business === undefined
                ? {}
                : { business_connection_id: options.business }),
            },
          }),
        );
        if (message.scheduled_id !== undefined) {
          const { scheduled_id: id, send_at: at = 0 } = message;
          const when = formatTime(new Date(at * 1_000).toISOString());
          printResult(context.output, message, `Scheduled message ${id} for ${when}.`);
          return;
        }
        const { parts = [message.id] } = message;
        const sent = parts.length > 1 ? `messages ${parts.join(', ')}` : `message ${message.id}`;
        printResult(context.output, message, `Sent ${sent}.`);
      },
    );
}

async function readAll(stream: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text.replace(/\n$/, '');
}
