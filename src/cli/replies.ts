import type { Command } from './command.ts';
import { idArgument } from './arguments.ts';
import { UsageError } from './ask.ts';
import { formatTime, printResult, printRows } from './output.ts';

interface ChangeOptions {
  name?: string;
  text?: string;
  /** 0 for all bots. */
  bot?: number;
}

const botOrAll = (text: string) => (text === 'all' ? 0 : idArgument(text));

export function addReplyCommands(program: Command): void {
  const replies = program
    .command('replies')
    .description('list, add, change and delete saved replies');

  replies
    .command('list')
    .description('list saved replies')
    .option('--bot <id>', 'only those that this bot may use', idArgument)
    .run(async (context, { bot }: { bot?: number }) => {
      const rows = await context.withApi((api) =>
        api.get('/api/replies', bot === undefined ? {} : { bot_id: bot }),
      );
      printRows(
        context.output,
        rows,
        [
          { title: 'ID', value: ({ id }) => String(id) },
          { title: 'NAME', value: ({ name }) => name },
          { title: 'BOT', value: ({ bot_id }) => (bot_id === 0 ? 'all' : String(bot_id)) },
          { title: 'USED', value: ({ uses }) => String(uses) },
          { title: 'LAST USED', value: ({ last_used_at }) => formatTime(last_used_at) },
          { title: 'TEXT', value: ({ text }) => text.replaceAll(/\s+/g, ' ').slice(0, 60) },
        ],
        'No saved replies yet. Add one with "bot-relay replies add".',
      );
    });

  replies
    .command('add')
    .description('add a saved reply')
    .argument('<name>', 'what is typed after the slash in a chat')
    .argument('<text>', 'the text; the web UI fills in names such as {first_name}')
    .option('--bot <id>', 'only for this bot', idArgument)
    .addHelpText(
      'after',
      '\nExample:\n  bot-relay replies add refund "Hello {first_name}, the refund is on its way."\n',
    )
    .run(async (context, name: string, text: string, { bot }: { bot?: number }) => {
      const body = { name, text, ...(bot === undefined ? {} : { bot_id: bot }) };
      const reply = await context.withApi((api) => api.post('/api/replies/add', { body }));
      printResult(context.output, reply, `Added saved reply ${reply.id}: /${reply.name}`);
    });

  replies
    .command('update')
    .description('change a saved reply; what is not given stays')
    .argument('<id>', 'ID from "replies list"', idArgument)
    .option('--name <name>', 'what is typed after the slash in a chat')
    .option('--text <text>', 'the text')
    .option('--bot <id>', 'only for this bot; "all" for all bots', botOrAll)
    .addHelpText('after', '\nExample:\n  bot-relay replies update 1 --text "It is on its way."\n')
    .run(async (context, id: number, { bot, ...fields }: ChangeOptions) => {
      const body = { id, ...fields, ...(bot === undefined ? {} : { bot_id: bot }) };
      if (Object.keys(body).length === 1) {
        throw new UsageError('Nothing to change. Use --name, --text or --bot.');
      }
      const reply = await context.withApi((api) => api.post('/api/replies/update', { body }));
      printResult(context.output, reply, `Changed saved reply ${reply.id}: /${reply.name}`);
    });

  replies
    .command('delete')
    .description('delete a saved reply')
    .argument('<id>', 'ID from "replies list"', idArgument)
    .run(async (context, id: number) => {
      const reply = await context.withApi((api) =>
        api.post('/api/replies/delete', { query: { id } }),
      );
      printResult(context.output, reply, `Deleted saved reply ${reply.id}: /${reply.name}`);
    });
}
