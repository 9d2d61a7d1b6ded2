import { InvalidArgumentError, Option } from 'commander';
import type { Command } from './command.ts';
import type { ApiClient } from '../api.ts';
import type { App, Backend, CreatedApp } from '../api-types.ts';
import { type AppMode, appModes, appNamePattern, defaultApp } from '../core/apps/app.ts';
import type { AppFilter } from '../core/apps/app-filter.ts';
import { type PacingValue, pacingValues } from '../core/apps/pacing.ts';
import { reason } from '../core/reasons/reason.ts';
import { RelayError } from '../errors.ts';
import { idArgument, integerArgument, listArgument, onOffArgument } from './arguments.ts';
import { UsageError } from './ask.ts';
import { backendTrouble } from './bots.ts';
import type { CommandContext } from './context.ts';
import { formatTime, type Output, printResult, printRows } from './output.ts';

interface AppOptions {
  mode?: AppMode;
  backend?: string;
  secretStdin?: true;
  maxConnections?: number;
  allowedUpdates?: string[];
  filter?: AppFilter;
  exclusive?: boolean;
  priority?: number;
  ownReplies?: boolean;
  keepPending?: boolean;
  urgent?: string[];
  perTopic?: boolean;
  pacing?: PacingValue;
  patience?: number;
  format?: 'markdown' | 'none';
  methods?: string[];
}

export function addAppCommands(program: Command): void {
  const apps = program.command('apps').description('list, add, change and remove apps of a bot');
  /** Adds a command about one app. */
  const about = (name: string, description: string) =>
    apps
      .command(name)
      .description(description)
      .argument('<bot>', 'bot ID', idArgument)
      .argument('<app>', 'app name from "apps list"', nameArgument);

  apps
    .command('list')
    .description('list apps with their positions')
    .argument('<bot>', 'bot ID', idArgument)
    .run(async (context, bot: number) => {
      const { rows, backends } = await context.withApi(async (api) => ({
        rows: await api.get('/api/bots/apps', { bot_id: bot }),
        backends: await api.get('/api/backends', { bot_id: bot }),
      }));
      printRows(
        context.output,
        rows,
        [
          { title: 'APP', value: (app) => app.name },
          { title: 'MODE', value: (app) => app.mode },
          { title: 'RECEIVES', value: receives },
          { title: 'BEHIND', value: (app) => String(app.behind) },
          { title: 'SENT', value: (app) => String(app.sent) },
          { title: 'RATE LIMITED', value: rateLimited },
          { title: 'LAST SEEN', value: (app) => formatTime(app.last_seen_at) || 'never' },
          {
            title: 'STATE',
            value: (app) =>
              stateOf(
                app,
                backends.find((one) => one.app === app.name),
              ),
          },
        ],
        '',
      );
    });

  withAppOptions(
    apps
      .command('add')
      .description('add an app; its token is shown once')
      .argument('<bot>', 'bot ID', idArgument)
      .argument('<name>', 'name, unique for the bot', nameArgument),
  )
    .addHelpText(
      'after',
      `
Examples:
  bot-relay apps add 1 analytics
  bot-relay apps add 1 orders --filter '{"commands": ["/order"]}' --exclusive on --own-replies on
`,
    )
    .run(async (context, bot: number, name: string, options: AppOptions) => {
      const body = { bot_id: bot, name, ...(await bodyOf(context, options)) };
      const app = await context.withApi((api) => api.post('/api/bots/apps/add', { body }));
      printResult(
        context.output,
        app,
        `Added app ${name} to bot ${bot}.${connecting(context, app)}`,
      );
      printWarnings(context.output, app);
    });

  withAppOptions(about('update', 'change settings of an app'))
    .addHelpText('after', '\nExample:\n  bot-relay apps update 1 orders --priority 10\n')
    .run(async (context, bot: number, name: string, options: AppOptions) => {
      const fields = await bodyOf(context, options);
      if (Object.keys(fields).length === 0) {
        throw new UsageError(
          'Nothing to change. Set an option; see "bot-relay apps update --help".',
        );
      }
      const app = await context.withApi(async (api) => {
        const { id } = await findApp(api, bot, name);
        return api.post('/api/bots/apps/update', { body: { id, ...fields } });
      });
      printResult(context.output, app, `Updated app ${name} of bot ${bot}.`);
      printWarnings(context.output, app);
    });

  about('rotate', 'replace the token of an app; the new one is shown once').run(
    async (context, bot: number, name: string) => {
      const app = await context.withApi(async (api) => {
        const { id } = await findApp(api, bot, name);
        return api.post('/api/bots/apps/rotate', { query: { id } });
      });
      printResult(
        context.output,
        app,
        `Replaced the token of app ${name} of bot ${bot}.${connecting(context, app)}`,
      );
    },
  );

  about('toggle', 'disable an enabled app, or enable a disabled one').run(
    async (context, bot: number, name: string) => {
      const app = await context.withApi(async (api) => {
        const { id } = await findApp(api, bot, name);
        return api.post('/api/bots/apps/toggle-disabled', { query: { id } });
      });
      const state = app.disabled ? 'disabled' : 'enabled';
      printResult(context.output, app, `App ${name} of bot ${bot} is now ${state}.`);
    },
  );

  about('remove', 'remove an app with its token and position')
    .option('--yes', 'skip the confirmation')
    .run(async (context, bot: number, name: string, options: { yes?: true }) => {
      const answer = await context.withApi(async (api) => {
        const { id, claimed } = await findApp(api, bot, name);
        if (!options.yes) {
          await context.ask.confirm(
            `This removes app ${name} of bot ${bot} with its token and position${alsoLost(claimed)}. Confirm with --yes.`,
            `Remove app ${name} of bot ${bot}?`,
          );
        }
        return api.post('/api/bots/apps/delete', { query: { id } });
      });
      printResult(context.output, answer, `Removed app ${name} of bot ${bot}.`);
    });
}

function alsoLost(claimed: number): string {
  if (claimed === 0) return '';
  const updates = claimed === 1 ? '1 update' : `${claimed} updates`;
  return `, and ${updates} that only this app would have received`;
}

function withAppOptions(command: Command): Command {
  return command
    .addOption(new Option('--mode <mode>', 'how it receives updates').choices(appModes))
    .option('--backend <address>', 'backend that receives updates, for mode webhook')
    .option('--secret-stdin', 'read a secret token from standard input (first line)')
    .option('--max-connections <number>', 'most deliveries at once; 0: default', integerArgument)
    .option(
      '--allowed-updates <kinds>',
      'kinds for the webhook, such as message,poll',
      listArgument,
    )
    .option('--filter <json>', 'updates it receives; {} for all', filterArgument)
    .option(
      '--exclusive <on|off>',
      'give updates that pass its filter to no other app',
      onOffArgument,
    )
    .option('--priority <number>', 'decides between exclusive apps; highest wins', integerArgument)
    .option('--own-replies <on|off>', 'keep replies to its messages for itself', onOffArgument)
    .option('--keep-pending <on|off>', 'keep updates that it asks to drop', onOffArgument)
    .option('--urgent <commands>', 'commands that overtake others, such as /stop', listArgument)
    .option('--per-topic <on|off>', 'deliver the topics of a chat side by side', onOffArgument)
    .addOption(
      new Option('--pacing <on|off>', 'hold and merge its calls while a chat has to wait').choices(
        pacingValues,
      ),
    )
    .option(
      '--patience <seconds>',
      'how long pacing holds a call before it gets 429',
      integerArgument,
    )
    .addOption(
      new Option('--format <format>', 'how it writes; markdown is formatted').choices([
        'markdown',
        'none',
      ]),
    )
    .option('--methods <names>', 'methods it may call, such as sendMessage,getFile', listArgument);
}

async function bodyOf(context: CommandContext, options: AppOptions) {
  const body = {
    mode: options.mode,
    backend_url: options.backend,
    secret_token: options.secretStdin && (await context.secretFromStdin('The secret token')),
    max_connections: options.maxConnections,
    allowed_updates: options.allowedUpdates,
    filter: options.filter,
    exclusive: options.exclusive,
    priority: options.priority,
    own_replies: options.ownReplies,
    keep_pending: options.keepPending,
    urgent: options.urgent,
    per_topic: options.perTopic,
    pacing: options.pacing,
    patience: options.patience,
    format: options.format === 'none' ? '' : options.format,
    methods: options.methods,
  };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

export function nameArgument(text: string): string {
  if (new RegExp(appNamePattern).test(text)) return text;
  throw new InvalidArgumentError('use 1 to 64 letters, digits, dots, _ and -.');
}

function filterArgument(text: string): AppFilter {
  try {
    const filter: unknown = JSON.parse(text);
    if (filter !== null && typeof filter === 'object' && !Array.isArray(filter)) return filter;
  } catch {
    // Invalid JSON gets the same advice as JSON that is no object.
  }
  throw new InvalidArgumentError(`it must be a JSON object such as {"commands": ["/order"]}.`);
}

export async function findApp(api: ApiClient, bot: number, name: string): Promise<App> {
  const apps = await api.get('/api/bots/apps', { bot_id: bot });
  const app = apps.find((one) => one.name === name);
  if (app) return app;
  throw new RelayError('app_not_found', reason('no_app_of_that_name', { bot_id: bot, app: name }));
}

function connecting(context: CommandContext, { name, token }: CreatedApp): string {
  const address = context.address();
  return ` Copy its token now, it is shown once:
${token}

Use it in place of the bot token, with the API root
${address}

An app that only lets you set the API root keeps the bot token and uses
${address}/p/${name}`;
}

function printWarnings(output: Output, { warnings = [] }: Pick<App, 'warnings'>): void {
  for (const { text } of warnings) output.note(`Warning: ${text}`);
}

function rateLimited({ rate_limited, last_rate_limited_at, last_retry_after }: App): string {
  if (rate_limited === 0) return '0';
  return `${rate_limited}, last ${formatTime(last_rate_limited_at)} for ${last_retry_after} s`;
}

function receives({ mode, filter, exclusive }: App): string {
  if (mode === 'send') return 'nothing';
  const what = Object.keys(filter).length === 0 ? 'all updates' : 'filtered updates';
  return exclusive ? `${what}, exclusively` : what;
}

function stateOf(app: App, backend: Backend | undefined): string {
  const { name, disabled, has_token, last_seen_at, mode } = app;
  if (disabled) return 'disabled';
  const trouble = backend ? backendTrouble(backend) : '';
  if (trouble !== '') return trouble;
  if (!has_token && name !== defaultApp) return 'no token';
  return mode === 'poll' && last_seen_at === '' ? 'no calls yet' : 'active';
}
