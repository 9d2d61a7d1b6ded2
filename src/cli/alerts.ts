import { InvalidArgumentError, Option } from 'commander';
import type { Command } from './command.ts';
import type { AlertChannel, AlertsChannelsUpdateRequest } from '../api-types.ts';
import { channelDefaults } from '../core/alerts/alert-channel.ts';
import { alertKindNames, severities } from '../core/alerts/alerts.ts';
import { meantBy } from '../core/reasons/similar-word.ts';
import {
  chatArgument,
  idArgument,
  idListArgument,
  listArgument,
  positionArgument,
} from './arguments.ts';
import { asTyped } from './as-typed.ts';
import { UsageError } from './ask.ts';
import { formatTime, printResult, printRows } from './output.ts';

interface ChannelOptions {
  bot?: number;
  chat?: number;
  topic?: number;
  webhook?: string;
  kinds?: AlertChannel['kinds'];
  bots?: number[];
  severity?: AlertChannel['min_severity'];
  delay?: number;
  quiet?: NonNullable<AlertChannel['quiet_hours']> | 'off';
  allow?: number[];
}

export function addAlertCommands(program: Command): void {
  const alerts = program.command('alerts').description('list alerts, and set up alert channels');

  alerts
    .command('list')
    .description('list open alerts, newest first')
    .option('--all', 'also resolved ones')
    .run(async (context, options: { all?: true }) => {
      const query = options.all ? {} : ({ state: 'open' } as const);
      const rows = await context.withApi((api) => api.get('/api/alerts', query));
      printRows(
        context.output,
        rows,
        [
          { title: 'ID', value: (alert) => String(alert.id) },
          { title: 'SEVERITY', value: (alert) => alert.severity },
          { title: 'KIND', value: (alert) => alert.kind },
          { title: 'SINCE', value: (alert) => formatTime(alert.opened_at) },
          { title: 'RESOLVED', value: (alert) => formatTime(alert.resolved_at) },
          { title: 'ACKNOWLEDGED', value: (alert) => alert.acknowledged_by },
          { title: 'TEXT', value: (alert) => alert.text },
        ],
        options.all ? 'No alerts yet.' : 'No open alerts.',
      );
    });

  alerts
    .command('acknowledge')
    .description('say that you take care of an open alert')
    .argument('<alert>', 'alert ID from "alerts list"', idArgument)
    .option('--undo', 'take it back')
    .run(async (context, id: number, options: { undo?: true }) => {
      const alert = await context.withApi((api) =>
        api.post('/api/alerts/acknowledge', { body: { id, acknowledged: !options.undo } }),
      );
      const by = alert.acknowledged_by;
      printResult(
        context.output,
        alert,
        by === '' ? `Alert ${id} is not acknowledged.` : `Alert ${id} is acknowledged by ${by}.`,
      );
    });

  alerts
    .command('mute')
    .description('send nothing new about an open alert for a time')
    .argument('<alert>', 'alert ID from "alerts list"', idArgument)
    .option('--minutes <minutes>', 'for how long; 0 unmutes it, default 60', positionArgument)
    .run(async (context, id: number, { minutes }: { minutes?: number }) => {
      const alert = await context.withApi((api) =>
        api.post('/api/alerts/mute', {
          body: { id, ...(minutes === undefined ? {} : { minutes }) },
        }),
      );
      printResult(
        context.output,
        alert,
        alert.muted_until === ''
          ? `Alert ${id} is not muted.`
          : `Alert ${id} is muted until ${formatTime(alert.muted_until)}.`,
      );
    });

  addChannelCommands(
    alerts.command('channels').description('chats and webhooks that alerts are sent to'),
  );

  alerts
    .command('test')
    .description('send a test alert to a channel')
    .argument('<channel>', 'channel ID', idArgument)
    .run(async (context, id: number) => {
      const answer = await context.withApi((api) =>
        api.post('/api/alerts/channels/test', { query: { id } }),
      );
      const { delivered, error } = answer;
      printResult(
        context.output,
        answer,
        delivered ? `Channel ${id} works.` : `Channel ${id} fails: ${error}`,
      );
      if (!delivered) context.fail();
    });
}

function addChannelCommands(channels: Command): void {
  /** Adds a command about one channel. */
  const about = (name: string, description: string) =>
    channels
      .command(name)
      .description(description)
      .argument('<channel>', 'channel ID from "alerts channels"', idArgument);

  channels
    .command('list', { isDefault: true })
    .description('list alert channels')
    .run(async (context) => {
      const rows = await context.withApi((api) => api.get('/api/alerts/channels'));
      printRows(
        context.output,
        rows,
        [
          { title: 'ID', value: (channel) => String(channel.id) },
          { title: 'TO', value: targetOf },
          { title: 'SEVERITY', value: (channel) => `${channel.min_severity} and above` },
          { title: 'STATE', value: stateOf },
        ],
        'No alert channels yet. Add one with "bot-relay alerts channels add".',
      );
    });

  withChannelOptions(channels.command('add'), channelDefaults)
    .description('send alerts to a chat or a webhook')
    .addHelpText(
      'after',
      `
Examples:
  bot-relay alerts channels add --bot 1 --chat -1001234567890 --allow 123456789
  bot-relay alerts channels add --webhook https://ops.example.com/alerts --severity critical
`,
    )
    .run(async (context, options: ChannelOptions) => {
      const isWebhook = options.webhook !== undefined;
      if (isWebhook === (options.bot !== undefined && options.chat !== undefined)) {
        throw new UsageError('Set either --bot and --chat, or --webhook.');
      }
      const type = isWebhook ? 'webhook' : 'telegram';
      const added = await context.withApi((api) =>
        api.post('/api/alerts/channels/add', { body: { type, ...bodyOf(options) } }),
      );
      const secret = isWebhook
        ? ` Copy its signing secret now, it is shown once:\n${added.secret}\n\n`
        : ' ';
      const test = `Test it with "bot-relay alerts test ${added.id}".`;
      const delay =
        added.delay_seconds === 0
          ? ''
          : ` An alert is sent once it has lasted ${added.delay_seconds} s. To change that: "bot-relay alerts channels update ${added.id} --delay 0".`;
      const text = asTyped(
        `Added channel ${added.id}.${secret}${test}${delay}`,
        context.output.command,
      );
      printResult(context.output, added, text);
    });

  withChannelOptions(about('update', 'change settings of a channel'))
    .addHelpText('after', '\nExample:\n  bot-relay alerts channels update 1 --delay 0\n')
    .run(async (context, id: number, options: ChannelOptions) => {
      const fields = bodyOf(options);
      if (Object.keys(fields).length === 0) {
        throw new UsageError(
          'Nothing to change. Set an option; see "bot-relay alerts channels update --help".',
        );
      }
      const updated = await context.withApi((api) =>
        api.post('/api/alerts/channels/update', { body: { id, ...fields } }),
      );
      printResult(context.output, updated, `Updated channel ${id}.`);
    });

  about('toggle', 'disable an enabled channel, or enable a disabled one').run(
    async (context, id: number) => {
      const channel = await context.withApi((api) =>
        api.post('/api/alerts/channels/toggle-disabled', { query: { id } }),
      );
      const state = channel.disabled ? 'disabled' : 'enabled';
      printResult(context.output, channel, `Channel ${id} is now ${state}.`);
    },
  );

  about('remove', 'remove a channel').run(async (context, id: number) => {
    const removed = await context.withApi((api) =>
      api.post('/api/alerts/channels/delete', { query: { id } }),
    );
    printResult(context.output, removed, `Removed channel ${id}.`);
  });
}

function withChannelOptions(
  command: Command,
  defaults?: Pick<AlertChannel, 'delay_seconds'>,
): Command {
  const delay = defaults ? `, default ${defaults.delay_seconds}` : '';
  return command
    .option('--bot <bot>', 'ID of the bot that sends', idArgument)
    .option('--chat <chat>', 'chat ID; group IDs are negative', chatArgument)
    .option('--topic <topic>', 'topic of the chat; 0 for none', positionArgument)
    .option('--webhook <address>', 'URL that receives alerts, in place of --bot and --chat')
    .option('--kinds <kinds>', 'kinds of alerts, such as disk_low,backup_old', kindsArgument)
    .option('--bots <ids>', 'bots whose alerts it receives, such as 1,4', idListArgument)
    .addOption(new Option('--severity <severity>', 'lowest severity').choices(severities))
    .option(
      '--delay <seconds>',
      `how long a condition lasts before it is sent${delay}`,
      positionArgument,
    )
    .option('--quiet <hours>', '"22:00-07:00 Europe/Berlin", or off', quietArgument)
    .option('--allow <ids>', 'Telegram user IDs that may press buttons', idListArgument);
}

function quietArgument(text: string): ChannelOptions['quiet'] {
  if (text === 'off') return text;
  const [, start = '', end = '', timezone = ''] =
    /^(\d\d:\d\d)-(\d\d:\d\d) (\S+)$/.exec(text) ?? [];
  if (start === '') throw new InvalidArgumentError('use "22:00-07:00 Europe/Berlin", or off.');
  return { start, end, timezone };
}

function bodyOf(options: ChannelOptions): Omit<AlertsChannelsUpdateRequest, 'id'> {
  const body = {
    bot_id: options.bot,
    chat_id: options.chat,
    message_thread_id: options.topic,
    url: options.webhook,
    kinds: options.kinds,
    bot_ids: options.bots,
    min_severity: options.severity,
    delay_seconds: options.delay,
    quiet_hours: options.quiet === 'off' ? null : options.quiet,
    allowed_user_ids: options.allow,
  };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

function targetOf({ bot_id, chat_id, type, url }: AlertChannel): string {
  return type === 'webhook' ? url : `chat ${chat_id} by bot ${bot_id}`;
}

function stateOf({ disabled, error }: AlertChannel): string {
  if (disabled) return 'disabled';
  return error === '' ? 'ok' : `failing: ${error}`;
}

function kindsArgument(text: string): AlertChannel['kinds'] {
  const kinds = listArgument(text);
  const wrong = kinds.find((kind) => !alertKindNames.some((known) => known === kind));
  if (wrong === undefined) return kinds as AlertChannel['kinds'];
  const { meant } = meantBy(wrong, alertKindNames);
  const advice =
    meant === undefined ? `Kinds: ${alertKindNames.join(', ')}.` : `Did you mean ${meant}?`;
  throw new UsageError(`--kinds: "${wrong}" is not a kind. ${advice}`);
}
