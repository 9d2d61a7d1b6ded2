import type { Command } from 'commander';
import { chatArgument, idArgument, integerArgument } from './arguments.ts';
import type { ContextOf } from './context.ts';
import { printResult } from './output.ts';

export function addRunCommands(broadcasts: Command, contextOf: ContextOf): void {
  broadcasts
    .command('test')
    .description('send it to one chat, such as your own')
    .argument('<id>', 'broadcast ID', idArgument)
    .argument('<chat>', 'chat ID', chatArgument)
    .action(async (id: number, chat: number, _options, command: Command) => {
      const context = contextOf(command);
      const sent = await context.withApi((api) =>
        api.post('/api/broadcasts/test', { body: { id, chat_id: chat } }),
      );
      printResult(context.output, sent, `Sent message ${sent.message_id}.`);
    });

  broadcasts
    .command('start')
    .description('send a draft to its audience')
    .argument('<id>', 'broadcast ID', idArgument)
    .requiredOption('--recipients <count>', 'the number of chats that you saw', integerArgument)
    .option('--stars <count>', 'the Stars that a paid one may cost', integerArgument)
    .action(async (id: number, seen: { recipients: number; stars?: number }, command: Command) => {
      const context = contextOf(command);
      const started = await context.withApi((api) =>
        api.post('/api/broadcasts/start', { body: { id, ...seen } }),
      );
      printResult(context.output, started, `Started broadcast ${id}.`);
    });

  const simple = [
    ['pause', 'send no more of it for now', 'Paused'],
    ['resume', 'go on with a paused one', 'Resumed'],
    ['cancel', 'send no more of it, for good', 'Canceled'],
  ] as const;
  for (const [name, description, done] of simple) {
    broadcasts
      .command(name)
      .description(description)
      .argument('<id>', 'broadcast ID', idArgument)
      .action(async (id: number, _options, command: Command) => {
        const context = contextOf(command);
        const answer = await context.withApi((api) =>
          api.post(`/api/broadcasts/${name}`, { body: { id } }),
        );
        printResult(context.output, answer, `${done} broadcast ${id}.`);
      });
  }

  broadcasts
    .command('delete')
    .description('delete in Telegram what it sent')
    .argument('<id>', 'broadcast ID', idArgument)
    .option('--yes', 'skip the confirmation')
    .action(async (id: number, options: { yes?: true }, command: Command) => {
      const context = contextOf(command);
      if (!options.yes) {
        await context.ask.confirm(
          `This deletes the message of broadcast ${id} in every chat that got it. Confirm with --yes.`,
          `Delete the message of broadcast ${id} in every chat that got it?`,
        );
      }
      const answer = await context.withApi((api) =>
        api.post('/api/broadcasts/delete', { body: { id } }),
      );
      printResult(context.output, answer, `Deleting the messages of broadcast ${id}.`);
    });

  broadcasts
    .command('edit')
    .description('edit what it sent')
    .argument('<id>', 'broadcast ID', idArgument)
    .argument('<text>', 'the new text')
    .option('--markdown', 'the text is Markdown')
    .action(
      async (id: number, text: string, { markdown }: { markdown?: true }, command: Command) => {
        const context = contextOf(command);
        const format = markdown ? { format: 'markdown' as const } : {};
        const answer = await context.withApi((api) =>
          api.post('/api/broadcasts/edit', { body: { id, text, ...format } }),
        );
        printResult(context.output, answer, `Editing the messages of broadcast ${id}.`);
      },
    );
}
