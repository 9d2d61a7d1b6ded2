import type { Command } from 'commander';
import type { AlertChannel } from '../api-types.ts';
import { idArgument } from './arguments.ts';
import type { ContextOf } from './context.ts';
import { formatTime, printResult, printRows } from './output.ts';

export function addAlertCommands(program: Command, contextOf: ContextOf): void {
  const alerts = program.command('alerts').description('list alerts, and test alert channels');

  alerts
    .command('list')
    .description('list open alerts, newest first')
    .option('--all', 'also resolved ones')
    .action(async (options: { all?: true }, command: Command) => {
      const context = contextOf(command);
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
          { title: 'TEXT', value: (alert) => alert.text },
        ],
        options.all ? 'No alerts yet.' : 'No open alerts.',
      );
    });

  alerts
    .command('channels')
    .description('list the chats and webhooks that alerts are sent to')
    .action(async (_options, command: Command) => {
      const context = contextOf(command);
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
        'No alert channels yet. Add one in the web UI, or with POST /api/alerts/channels/add.',
      );
    });

  alerts
    .command('test')
    .description('send a test alert to a channel')
    .argument('<channel>', 'channel ID', idArgument)
    .action(async (id: number, _options, command: Command) => {
      const context = contextOf(command);
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

function targetOf({ bot_id, chat_id, type, url }: AlertChannel): string {
  return type === 'webhook' ? url : `chat ${chat_id} by bot ${bot_id}`;
}

function stateOf({ disabled, error }: AlertChannel): string {
  if (disabled) return 'disabled';
  return error === '' ? 'ok' : `failing: ${error}`;
}
