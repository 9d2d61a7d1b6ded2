import type { Command } from './command.ts';
import { chatArgument, idArgument, integerArgument } from './arguments.ts';
import { printResult } from './output.ts';

export function addRunCommands(broadcasts: Command): void {
  broadcasts
    .command('test')
    .description('send it to one chat, such as your own')
    .argument('<id>', 'broadcast ID', idArgument)
    .argument('<chat>', 'chat ID', chatArgument)
    .run(async (context, id: number, chat: number) => {
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
    .run(async (context, id: number, seen: { recipients: number; stars?: number }) => {
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
      .run(async (context, id: number) => {
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
    .run(async (context, id: number, options: { yes?: true }) => {
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
    .run(async (context, id: number, text: string, { markdown }: { markdown?: true }) => {
      const format = markdown ? { format: 'markdown' as const } : {};
      const answer = await context.withApi((api) =>
        api.post('/api/broadcasts/edit', { body: { id, text, ...format } }),
      );
      printResult(context.output, answer, `Editing the messages of broadcast ${id}.`);
    });
}
