import type { Command } from './command.ts';
import { chatArgument, idArgument, laterArgument } from './arguments.ts';
import { UsageError } from './ask.ts';
import { formatTime, printResult, printRows } from './output.ts';

const timeOf = (seconds: number) => formatTime(new Date(seconds * 1_000).toISOString());

export function addScheduledCommands(program: Command): void {
  const scheduled = program
    .command('scheduled')
    .description('list, change and cancel scheduled messages');

  scheduled
    .command('list')
    .description('list scheduled messages, the next one first')
    .option('--bot <bot>', 'only of this bot', idArgument)
    .option('--chat <chat>', 'only in this chat', chatArgument)
    .run(async (context, { bot, chat }: { bot?: number; chat?: number }) => {
      const rows = await context.withApi((api) =>
        api.get('/api/messages/scheduled', {
          ...(bot === undefined ? {} : { bot_id: bot }),
          ...(chat === undefined ? {} : { chat_id: chat }),
          limit: 200,
        }),
      );
      printRows(
        context.output,
        rows,
        [
          { title: 'ID', value: (row) => String(row.scheduled_id) },
          { title: 'BOT', value: (row) => String(row.bot_id) },
          { title: 'CHAT', value: (row) => String(row.chat_id) },
          { title: 'AT', value: (row) => timeOf(row.send_at) },
          { title: 'STATE', value: (row) => row.state },
          { title: 'TEXT', value: (row) => row.text.split('\n')[0]?.slice(0, 60) ?? '' },
          { title: 'ERROR', value: (row) => row.error },
        ],
        'Nothing is scheduled.',
      );
    });

  scheduled
    .command('update')
    .description('set another time or text')
    .argument('<id>', 'ID of the scheduled message', idArgument)
    .option('--at <time>', '30m, 2h, 1d or 2030-01-31T09:00', laterArgument)
    .option('--text <text>', 'the new text')
    .run(async (context, id: number, { at, text }: { at?: number; text?: string }) => {
      if (at === undefined && text === undefined) {
        throw new UsageError('Nothing to change. Use --at or --text.');
      }
      const changed = await context.withApi((api) =>
        api.post('/api/messages/scheduled/update', {
          body: {
            scheduled_id: id,
            ...(at === undefined ? {} : { send_at: at }),
            ...(text === undefined ? {} : { text }),
          },
        }),
      );
      const when = timeOf(changed.send_at);
      printResult(context.output, changed, `Scheduled message ${id} is due at ${when}.`);
    });

  scheduled
    .command('cancel')
    .description('cancel a scheduled message')
    .argument('<id>', 'ID of the scheduled message', idArgument)
    .run(async (context, id: number) => {
      const canceled = await context.withApi((api) =>
        api.post('/api/messages/scheduled/cancel', { body: { scheduled_id: id } }),
      );
      printResult(context.output, canceled, `Canceled scheduled message ${id}.`);
    });
}
