import type { Command } from 'commander';
import { chatArgument, idArgument, integerArgument } from './arguments.ts';
import type { ContextOf } from './context.ts';
import { formatTime, printRows } from './output.ts';

export function addMessageCommands(program: Command, contextOf: ContextOf): void {
  program
    .command('messages')
    .description('find out where messages went')
    .command('timeline')
    .description('show what happened to a message')
    .argument('<bot>', 'ID from "bots list"', idArgument)
    .argument('<chat>', 'chat ID; group IDs are negative', chatArgument)
    .argument('<message>', 'message ID', integerArgument)
    .addHelpText('after', '\nExample:\n  bot-relay messages timeline 1 42 7\n')
    .action(
      async (bot_id: number, chat_id: number, message_id: number, _options, command: Command) => {
        const context = contextOf(command);
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
      },
    );
}
