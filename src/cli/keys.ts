import { type Command, Option } from 'commander';
import type { Scope } from '../core/access/access.ts';
import { expiryArgument, idArgument, idListArgument } from './arguments.ts';
import type { ContextOf } from './context.ts';
import { formatTime, printResult, printRows } from './output.ts';

export function addKeyCommands(program: Command, contextOf: ContextOf): void {
  const keys = program.command('keys').description('list, create and revoke API keys');

  keys
    .command('list')
    .description('list the keys; the secrets themselves are stored nowhere')
    .action(async (_options, command: Command) => {
      const context = contextOf(command);
      const rows = await context.withApi((api) => api.get('/api/auth/api-keys'));
      printRows(
        context.output,
        rows,
        [
          { title: 'ID', value: (key) => String(key.id) },
          { title: 'NAME', value: (key) => key.name },
          { title: 'KEY', value: (key) => key.hint ?? '' },
          { title: 'SCOPE', value: (key) => key.scope },
          { title: 'BOTS', value: (key) => key.bot_ids?.join(',') ?? 'all' },
          { title: 'EXPIRES', value: (key) => formatTime(key.expires_at) || 'never' },
          { title: 'LAST USED', value: (key) => formatTime(key.last_used_at) },
          { title: 'STATE', value: (key) => (key.disabled ? 'disabled' : 'active') },
        ],
        'No keys yet: create one with "bot-relay keys create".',
      );
    });

  keys
    .command('create')
    .description('create a key and show it once')
    .argument('[name]', 'what it is for')
    .addOption(
      new Option('--scope <scope>', 'what it may do, each including those before')
        .choices(['read', 'send', 'manage', 'admin'])
        .default('read'),
    )
    .option('--bots <ids>', 'only these bots, such as 1,4', idListArgument)
    .option('--expires <when>', 'such as 30d, 12h or 2030-01-31', expiryArgument)
    .addHelpText(
      'after',
      '\nExample:\n  bot-relay keys create "shop backend" --scope send --bots 1,4 --expires 90d\n',
    )
    .action(
      async (
        given: string | undefined,
        options: { scope: Scope; bots?: number[]; expires?: string },
        command: Command,
      ) => {
        const context = contextOf(command);
        const name =
          given ??
          (await context.ask.text(
            'the name is missing: bot-relay keys create <name>',
            'What is the key for?',
          ));
        const body = {
          name,
          scope: options.scope,
          ...(options.bots ? { bot_ids: options.bots } : {}),
          ...(options.expires ? { expires_at: options.expires } : {}),
        };
        const key = await context.withApi((api) => api.post('/api/auth/api-keys', { body }), {
          begins: true,
        });
        printResult(
          context.output,
          key,
          `Created key ${key.id} (${key.scope}). It is shown only this once:\n${key.key}`,
        );
      },
    );

  keys
    .command('revoke')
    .description('delete a key; it stops working at once')
    .argument('<id>', 'the key, as in "keys list"', idArgument)
    .action(async (id: number, _options, command: Command) => {
      const context = contextOf(command);
      const answer = await context.withApi((api) =>
        api.post('/api/auth/api-keys/delete', { query: { id } }),
      );
      printResult(context.output, answer, `Revoked key ${id}.`);
    });
}
