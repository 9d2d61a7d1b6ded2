import { reason } from '../core/reasons/reason.ts';
import { Option } from 'commander';
import type { Command } from './command.ts';
import { roles } from '../core/access/access.ts';
import { RelayError } from '../errors.ts';
import type { ApiClient } from '../api.ts';
import type { User } from '../api-types.ts';
import { idArgument, idListArgument, integerArgument } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { formatTime, printResult, printRows } from './output.ts';

interface PasswordOptions {
  passwordStdin?: true;
}

export function addUserCommands(program: Command): void {
  const users = program
    .command('users')
    .description('list, add, update and remove users of the web UI');

  users
    .command('list')
    .description('list users')
    .run(async (context) => {
      const rows = await context.withApi((api) => api.get('/api/auth/users'));
      printRows(
        context.output,
        rows,
        [
          { title: 'ID', value: (user) => String(user.id) },
          { title: 'NAME', value: (user) => user.username },
          { title: 'ROLE', value: (user) => user.role },
          {
            title: 'BOTS',
            value: (user) => (user.role === 'admin' ? 'all' : user.bot_ids.join(',')),
          },
          { title: 'LAST SIGN-IN', value: (user) => formatTime(user.last_sign_in_at) || 'never' },
          { title: 'STATE', value: stateOf },
        ],
        'No users yet. Add one with "bot-relay users add".',
      );
    });

  users
    .command('add')
    .alias('create')
    .description('add a user; prompts for the password')
    .argument('[name]', 'username')
    .addOption(roleOption().default('user'))
    .option('--bots <ids>', 'bots assigned to the user, such as 1,4', idListArgument)
    .option('--telegram <id>', 'ID of the same person in Telegram', idArgument)
    .option('--password-stdin', 'read the password from standard input (first line)')
    .addHelpText('after', '\nExample:\n  bot-relay users add anna --role admin\n')
    .run(
      async (
        context,
        given: string | undefined,
        options: PasswordOptions & UserOptions & { role: User['role'] },
      ) => {
        const username = await nameOf(context, given);
        const password = await passwordFor(context, options);
        const body = { username, password, ...fieldsOf(options), role: options.role };
        const user = await context.withApi((api) => api.post('/api/auth/users/create', { body }), {
          begins: true,
        });
        const idle = user.role !== 'admin' && !options.bots?.length;
        const hint = idle
          ? ' No bots are assigned. Assign some with "bot-relay users update".'
          : '';
        printResult(context.output, user, `Added ${user.role} ${user.username}.${hint}`);
      },
    );

  users
    .command('update')
    .description('change the role, the bots or the Telegram account of a user')
    .argument('<name>', 'username from "users list"')
    .addOption(roleOption())
    .option('--bots <ids>', 'bots assigned to the user instead of the present ones', idListArgument)
    .option('--telegram <id>', 'ID of the same person in Telegram; 0 for none', integerArgument)
    .addHelpText('after', '\nExample:\n  bot-relay users update anna --role agent --bots 1,4\n')
    .run(async (context, name: string, options: UserOptions) => {
      const user = await context.withApi(async (api) => {
        const { id } = await findUser(api, name);
        return api.post('/api/auth/users/update', { body: { id, ...fieldsOf(options) } });
      });
      printResult(context.output, user, `Updated ${user.role} ${user.username}.`);
    });

  users
    .command('remove')
    .description('remove a user and end their sessions')
    .argument('<name>', 'username from "users list"')
    .run(async (context, name: string) => {
      const user = await context.withApi(async (api) => {
        const { id } = await findUser(api, name);
        return api.post('/api/auth/users/delete', { query: { id } });
      });
      printResult(context.output, user, `Removed ${user.username}.`);
    });

  users
    .command('password')
    .description('set a new password; prompts for it')
    .argument('<name>', 'username from "users list"')
    .option('--password-stdin', 'read the password from standard input (first line)')
    .run(async (context, name: string, options: PasswordOptions) => {
      const { id } = await context.withApi((api) => findUser(api, name));
      const password = await passwordFor(context, options);
      const user = await context.withApi((api) =>
        api.post('/api/auth/users/password', { body: { id, password } }),
      );
      printResult(
        context.output,
        user,
        `Changed the password of ${user.username} and ended their other sessions.`,
      );
    });
}

interface UserOptions {
  role?: User['role'];
  bots?: number[];
  telegram?: number;
}

const roleOption = () =>
  new Option('--role <role>', 'role; "user" is the older name of "manager"').choices(roles);

const fieldsOf = ({ bots, role, telegram }: UserOptions) => ({
  ...(role ? { role } : {}),
  ...(bots ? { bot_ids: bots } : {}),
  ...(telegram === undefined ? {} : { telegram_user_id: telegram }),
});

async function nameOf(context: CommandContext, given: string | undefined): Promise<string> {
  return (
    given ??
    (await context.ask.text(
      'The username is missing. Use "bot-relay users add <name>".',
      'Username',
    ))
  );
}

async function passwordFor(context: CommandContext, options: PasswordOptions): Promise<string> {
  if (options.passwordStdin) return await context.secretFromStdin('The password');
  return await context.ask.secret(
    'The password is missing. Pass it with --password-stdin.',
    'Password (at least 8 characters)',
    8,
  );
}

async function findUser(api: ApiClient, name: string): Promise<User> {
  const users = await api.get('/api/auth/users');
  const found = users.find((user) => user.username === name.normalize('NFKC').toLowerCase());
  if (found) return found;
  throw new RelayError('user_not_found', reason('no_user_of_name', { username: name }));
}

function stateOf({ disabled, has_password }: User): string {
  if (disabled) return 'disabled';
  return has_password ? 'active' : 'no password';
}
