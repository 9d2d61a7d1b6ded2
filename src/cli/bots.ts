import { Option } from 'commander';
import type { Command } from './command.ts';
import type { Bot } from '../api-types.ts';
import { botSetting, type BotSettingName, botSettingNames } from '../core/bots/bot-settings.ts';
import { answeredCodes } from '../core/reasons/reason.ts';
import { idArgument, integerArgument, listArgument, onOffArgument } from './arguments.ts';
import { asTyped } from './as-typed.ts';
import { UsageError } from './ask.ts';
import type { CommandContext } from './context.ts';
import { printResult, printRows } from './output.ts';

/** The options of the command, with the flags of the settings. */
interface BotOptions {
  [flag: string]: string | boolean | undefined;
  backend?: string;
  tokenStdin?: true;
  secretStdin?: true;
}

export function addBotCommands(program: Command): void {
  const bots = program.command('bots').description('list, add, change and delete bots');

  bots
    .command('list')
    .description('list bots')
    .run(async (context) => {
      const { rows, isServed } = await context.withApi(async (api, isServed) => ({
        rows: await api.get('/api/bots'),
        isServed,
      }));
      printRows(
        context.output,
        rows,
        [
          { title: 'ID', value: (bot) => String(bot.id) },
          { title: 'NAME', value: (bot) => bot.name || (bot.username ? '' : `(${noName})`) },
          { title: 'USERNAME', value: (bot) => (bot.username ? `@${bot.username}` : '') },
          { title: 'STATE', value: (bot) => botState(bot, isServed) },
          { title: 'RECEIVES', value: (bot) => (bot.webhook_mode ? 'webhook' : 'polling') },
          { title: 'FORWARDS TO', value: forwardsTo },
          { title: 'LAST ERROR', value: (bot) => bot.last_error || bot.backend_error },
        ],
        'No bots yet. Add one with "bot-relay bots add".',
      );
    });

  withBotOptions(bots.command('add').description('add a bot; prompts for the token'))
    .option('--token-stdin', 'read the token from standard input (first line)')
    .addHelpText(
      'after',
      '\nExamples:\n  bot-relay bots add\n  bot-relay bots add --name Shop --token-stdin < token.txt\n',
    )
    .run(async (context, options: BotOptions) => {
      const token = await tokenFor(
        context,
        options,
        'The token is missing. Pass it with --token-stdin.',
      );
      const body = { token, ...(await bodyOf(context, options)), source: 'cli' };
      const bot = await context.withApi((api) => api.post('/api/bots/add', { body }), {
        begins: true,
      });
      const unasked = bot.username ? '' : ` ${whyUnasked(bot, context.output.command)}`;
      printResult(
        context.output,
        bot,
        `Added bot ${bot.id} (${titleOf(bot)}).${unasked}${whyOff(bot, options)}`,
      );
    });

  withBotOptions(
    bots
      .command('update')
      .description('change settings of a bot')
      .argument('<id>', 'bot ID', idArgument),
  )
    .option('--token-stdin', 'read a new token from standard input (first line)')
    .option('--secret-stdin', 'read a new secret token from standard input (first line)')
    .addHelpText(
      'after',
      '\nExample:\n  bot-relay bots update 3 --backend http://127.0.0.1:3000/hook --proxy on\n',
    )
    .run(async (context, id: number, options: BotOptions) => {
      const token = options.tokenStdin && (await tokenFor(context, options, ''));
      const body = { id, ...(token ? { token } : {}), ...(await bodyOf(context, options)) };
      if (Object.keys(body).length === 1) {
        throw new UsageError(
          'Nothing to change. Set an option; see "bot-relay bots update --help".',
        );
      }
      const bot = await context.withApi((api) => api.post('/api/bots/update', { body }));
      printResult(
        context.output,
        bot,
        `Updated bot ${bot.id} (${titleOf(bot)}).${whyOff(bot, options)}`,
      );
    });

  bots
    .command('toggle')
    .description('disable an enabled bot, or enable a disabled one')
    .argument('<id>', 'bot ID', idArgument)
    .run(async (context, id: number) => {
      const bot = await context.withApi((api) =>
        api.post('/api/bots/toggle-disabled', { query: { id } }),
      );
      printResult(
        context.output,
        bot,
        `Bot ${bot.id} (${titleOf(bot)}) is now ${bot.disabled ? 'disabled' : 'enabled'}.`,
      );
    });

  bots
    .command('delete')
    .description('delete a bot with its routes, log and messages')
    .argument('<id>', 'bot ID', idArgument)
    .option('--yes', 'skip the confirmation')
    .run(async (context, id: number, options: { yes?: true }) => {
      if (!options.yes) {
        await context.ask.confirm(
          `This deletes bot ${id} with its routes, log and messages. Confirm with --yes.`,
          `Delete bot ${id} with its routes, log and messages?`,
        );
      }
      const answer = await context.withApi((api) =>
        api.post('/api/bots/delete', { query: { id } }),
      );
      printResult(context.output, answer, `Deleted bot ${id}.`);
    });
}

function withBotOptions(command: Command): Command {
  for (const { option } of flags()) command.addOption(option);
  return command;
}

/** Returns the settings that have a flag. */
function flags(): { name: BotSettingName; option: Option }[] {
  return botSettingNames.flatMap((name) => {
    const { cli, kind, values = [] } = botSetting(name);
    if (!cli) return [];
    const option = new Option(cli.flag, cli.help);
    if (kind === 'switch') option.argParser(onOffArgument);
    else if (kind === 'number') option.argParser(integerArgument);
    else if (kind === 'choice') option.choices(values);
    else if (kind === 'list') option.argParser(listArgument);
    return [{ name, option }];
  });
}

async function bodyOf(context: CommandContext, options: BotOptions) {
  const body: Record<string, unknown> = {
    ...Object.fromEntries(
      flags().map(({ name, option }) => [name, options[option.attributeName()]]),
    ),
    secret_token: options.secretStdin && (await context.secretFromStdin('The secret token')),
  };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

function tokenFor(context: CommandContext, options: BotOptions, missing: string): Promise<string> {
  if (options.tokenStdin && options.secretStdin) {
    throw new UsageError('Use --token-stdin or --secret-stdin, not both.');
  }
  if (options.tokenStdin) return context.secretFromStdin('The token');
  return context.ask.secret(missing, 'Bot token from @BotFather');
}

/** Explains that the token is not checked yet, so the bot may not work. */
function whyUnasked({ last_error: reason }: Bot, command: string): string {
  return asTyped(
    `The token is not checked yet${reason ? `: ${reason}` : '.'} The service retries; see "bot-relay bots list".`,
    command,
  );
}

/** A URL alone forwards nothing, so say that forwarding is off. */
function whyOff(bot: Bot, { backend }: BotOptions): string {
  if (!backend || bot.proxy_enabled) return '';
  return ' Forwarding is off. Turn it on with --proxy on.';
}

function forwardsTo({ backend_url, proxy_enabled }: Bot): string {
  return proxy_enabled || backend_url === '' ? backend_url : `off (${backend_url})`;
}

const noName = 'no name yet';

function titleOf(bot: Bot): string {
  return bot.name || (bot.username ? `@${bot.username}` : noName);
}

/** Names the state as the web UI does. `isServed` is false if no service is running. */
export function botState(
  bot: Pick<Bot, 'disabled' | 'running' | 'last_error'> & BackendFacts,
  isServed = true,
): string {
  if (bot.disabled) return 'disabled';
  if (!bot.running && (bot.last_error || !isServed)) return 'not running';
  const trouble = backendTrouble(bot);
  if (trouble !== '') return trouble;
  if (!bot.running) return 'starting';
  return bot.last_error ? 'running with errors' : 'running';
}

type BackendFacts = Pick<Bot, 'backend_status' | 'backend_error' | 'backend_error_detail'>;

/** Returns '' if there is no problem. Down means no answer, or too many failures in a row. */
export function backendTrouble({
  backend_status: status,
  backend_error: error,
  backend_error_detail: detail,
}: BackendFacts): string {
  if (status === 'paused') return 'backend down';
  if (status !== 'failing') return '';
  const isAnswer = error === '' || answeredCodes.has(detail?.code ?? '');
  return isAnswer ? 'backend failing' : 'backend down';
}
