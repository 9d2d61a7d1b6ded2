import { Option } from 'commander';
import type { Command } from './command.ts';
import type { ApiKey } from '../api-types.ts';
import type { Scope } from '../core/access/access.ts';
import { chatListArgument, expiryArgument, idArgument, idListArgument } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { formatTime, printResult, printRows } from './output.ts';

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('list, create and revoke API keys');

  keys
    .command('list')
    .description('list API keys without their secrets')
    .run(async (context) => {
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
          { title: 'LIMITS', value: limitsOf },
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
    .option('--read-chats <ids>', 'the only chats it may read, such as -1001,42', chatListArgument)
    .option('--write-chats <ids>', 'the only chats it may write to', chatListArgument)
    .option('--daily-writes <count>', 'changes and sends it may make in a day (UTC)', idArgument)
    .option('--expires <when>', 'expiry, such as 30d, 12h or 2030-01-31', expiryArgument)
    .addHelpText(
      'after',
      '\nExample:\n  bot-relay keys create "shop backend" --scope send --bots 1,4 --expires 90d\n  bot-relay keys create agent --scope send --read-chats -1001234567890 --write-chats -1001234567890 --daily-writes 200\n',
    )
    .run(
      async (
        context,
        given: string | undefined,
        options: {
          scope: Scope;
          bots?: number[];
          readChats?: number[];
          writeChats?: number[];
          dailyWrites?: number;
          expires?: string;
        },
      ) => {
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
          ...(options.readChats ? { read_chats: options.readChats } : {}),
          ...(options.writeChats ? { write_chats: options.writeChats } : {}),
          ...(options.dailyWrites ? { daily_writes: options.dailyWrites } : {}),
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
    .option('--yes', 'skip the confirmation for the last admin key')
    .run(async (context, id: number, options: { yes?: true }) => {
      const { answer, name } = await context.withApi(async (api) => {
        const all = await api.get('/api/auth/api-keys');
        const others = all.filter((key) => key.id !== id);
        const key = all.find((one) => one.id === id);
        if (!options.yes && key && isAdmin(key) && !others.some(isAdmin)) {
          const users = await api.get('/api/auth/users');
          if (!users.some(({ disabled, role }) => role === 'admin' && !disabled)) {
            await confirmLast(context, key);
          }
        }
        const query = { id };
        const revoked = await api.post('/api/auth/api-keys/delete', { query });
        return { answer: revoked, name: key?.name ?? '' };
      });
      printResult(context.output, answer, `Revoked key ${id}${name === '' ? '' : ` (${name})`}.`);
    });
}

function limitsOf({ daily_writes: most, read_chats, write_chats, writes_today }: ApiKey): string {
  return [
    read_chats && `reads ${read_chats.join(',') || 'no chats'}`,
    write_chats && `writes ${write_chats.join(',') || 'no chats'}`,
    most > 0 && `${writes_today}/${most} today`,
  ]
    .filter(Boolean)
    .join('; ');
}

function isAdmin({ bot_ids, disabled, expires_at, scope }: ApiKey): boolean {
  const isExpired = expires_at !== '' && Date.parse(expires_at) <= Date.now();
  return scope === 'admin' && bot_ids === null && !disabled && !isExpired;
}

async function confirmLast({ ask }: CommandContext, { id, name }: ApiKey): Promise<void> {
  const what = `Key ${id} (${name}) is the last admin key, and there is no admin user. Without it, only commands on the machine of the service can create keys and users.`;
  await ask.confirm(`${what} Confirm with --yes.`, `${what} Revoke it?`);
}
