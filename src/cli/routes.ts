import type { Command } from 'commander';
import type { Route } from '../api-types.ts';
import type { ContextOf } from './context.ts';
import { printRows } from './output.ts';

const elsewhere =
  'Add and change routes in the web UI, with POST /api/routes/add, or in a file with "bot-relay export" and "bot-relay apply".';

export function addRouteCommands(program: Command, contextOf: ContextOf): void {
  program
    .command('routes')
    .description('list routes')
    .addHelpText('after', `\n${elsewhere}\n`)
    .command('list')
    .description('list routes')
    .action(async (_options, command: Command) => {
      const context = contextOf(command);
      const rows = await context.withApi((api) => api.get('/api/routes'));
      printRows(
        context.output,
        rows,
        [
          { title: 'ID', value: (route) => String(route.id) },
          { title: 'FROM', value: (route) => `bot ${route.source_bot_id}` },
          { title: 'CONDITION', value: conditionOf },
          { title: 'ACTION', value: (route) => route.action },
          { title: 'TO', value: targetOf },
          { title: 'STATE', value: (route) => (route.enabled ? 'active' : 'disabled') },
        ],
        `No routes yet. ${elsewhere}`,
      );
    });
}

function conditionOf({ condition_type: type, condition_value: value }: Route): string {
  return value === '' ? type : `${type} ${value}`;
}

function targetOf({ action, target_bot_id: bot, target_chat_id: chat }: Route): string {
  if (action === 'drop') return '';
  return chat === 0 ? `bot ${bot}, same chat` : `bot ${bot}, chat ${chat}`;
}
