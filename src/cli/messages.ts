import type { Command } from './command.ts';
import { chatArgument, idArgument, integerArgument } from './arguments.ts';
import { formatTime, printRows } from './output.ts';

export function addMessageCommands(program: Command): void {
  program
    .command('messages')
    .description('find out where messages went')
    .command('timeline')
    .description('show what happened to a message')
    .argument('<bot>', 'ID from "bots list"', idArgument)
    .argument('<chat>', 'chat ID; group IDs are negative', chatArgument)
    .argument('<message>', 'message ID', integerArgument)
    .addHelpText('after', '\nExample:\n  bot-relay messages timeline 1 42 7\n')
    .run(async (context, bot_id: number, chat_id: number, message_id: number) => {
      const { steps } = await context.withApi((api) =>
        api.get('/api/messages/timeline', { bot_id, chat_id, message_id }),
      );
      printRows(
        context.output,
        steps,
        [
          { title: 'TIME', value: ({ at }) => (at === '' ? '' : formatTime(at)) },
          { title: 'STATE', value: ({ state }) => state },
          { title: 'STEP', value: ({ text }) => text },
          { title: 'WHY', value: ({ why }) => why?.text ?? '' },
        ],
        'Nothing is stored about this message.',
      );
    });
}
