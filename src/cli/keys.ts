import { type Command, Option } from 'commander';
import type { Scope } from '../core/access/access.ts';
import { expiryArgument, idArgument, idListArgument } from './arguments.ts';
import type { ContextOf } from './context.ts';
import { formatTime, printResult, printRows } from './output.ts';

export function addKeyCommands(program: Command, contextOf: ContextOf): void {
  const keys = program.command('keys').description('list, create and revoke API keys');

  keys
    .command('list')
    .description('list API keys without their secrets')
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
        'No keys yet. Create one with "bot-relay keys create".',
      );
    });

  keys
    .command('create')
    .description('create an API key; it is shown once')
    .argument('[name]', 'name, such as what it is for')
    .addOption(
      new Option('--scope <scope>', 'permissions; each scope includes the ones before it')
        .choices(['read', 'send', 'manage', 'admin'])
        .default('read'),
    )
    .option('--bots <ids>', 'limit the key to these bots, such as 1,4', idListArgument)
    .option('--expires <when>', 'expiry, such as 30d, 12h or 2030-01-31', expiryArgument)
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
            'The name is missing. Use "bot-relay keys create <name>".',
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
          `Created key ${key.id} (${key.scope}). Copy it now, it is shown once:\n${key.key}`,
        );
      },
    );

  keys
    .command('revoke')
    .description('delete an API key; it stops working immediately')
    .argument('<id>', 'key ID from "keys list"', idArgument)
    .action(async (id: number, _options, command: Command) => {
      const context = contextOf(command);
      const answer = await context.withApi((api) =>
        api.post('/api/auth/api-keys/delete', { query: { id } }),
      );
      printResult(context.output, answer, `Revoked key ${id}.`);
    });
}
