import { Option } from 'commander';
import type { Command } from './command.ts';
import { recipientStates, type RecipientState } from '../core/messages/broadcast.ts';
import { chatArgument, idArgument } from './arguments.ts';
import { addDraftCommands } from './broadcast-drafts.ts';
import { addRunCommands } from './broadcast-runs.ts';
import { formatTime, printRows } from './output.ts';

export function addBroadcastCommands(program: Command): void {
  const broadcasts = program
    .command('broadcasts')
    .description('send one message to many chats of a bot');
  addDraftCommands(broadcasts);
  addRunCommands(broadcasts);

  broadcasts
    .command('list')
    .description('list broadcasts, newest first')
    .option('--bot <bot>', 'only of this bot', idArgument)
    .run(async (context, { bot }: { bot?: number }) => {
      const rows = await context.withApi((api) =>
        api.get('/api/broadcasts', bot === undefined ? {} : { bot_id: bot }),
      );
      printRows(
        context.output,
        rows,
        [
          { title: 'ID', value: (row) => String(row.id) },
          { title: 'BOT', value: (row) => String(row.bot_id) },
          { title: 'NAME', value: (row) => row.name },
          { title: 'STATE', value: (row) => row.state },
          { title: 'SENT', value: (row) => String(row.counts.sent) },
          { title: 'QUEUED', value: (row) => String(row.counts.queued) },
          { title: 'BLOCKED', value: (row) => `${row.counts.blocked} (${row.blocked_percent} %)` },
          { title: 'UNKNOWN', value: (row) => String(row.counts.unknown) },
          { title: 'STARTED', value: (row) => formatTime(row.started_at) },
        ],
        'No broadcasts yet.',
      );
    });

  broadcasts
    .command('results')
    .description('list what became of it in each chat')
    .argument('<id>', 'broadcast ID', idArgument)
    .addOption(new Option('--state <state>', 'only this result').choices(recipientStates))
    .option('--after <chat>', 'only chats after this one', chatArgument)
    .run(
      async (context, id: number, { after, state }: { after?: number; state?: RecipientState }) => {
        const rows = await context.withApi((api) =>
          api.get('/api/broadcasts/results', {
            id,
            limit: 500,
            ...(state === undefined ? {} : { state }),
            ...(after === undefined ? {} : { after_chat_id: after }),
          }),
        );
        printRows(
          context.output,
          rows,
          [
            { title: 'CHAT', value: (row) => String(row.chat_id) },
            { title: 'NAME', value: (row) => row.title },
            { title: 'RESULT', value: (row) => row.state },
            { title: 'MESSAGE', value: (row) => String(row.message_id || '') },
            { title: 'ERROR', value: (row) => row.error || row.task_error },
          ],
          'No results yet.',
        );
      },
    );
}
