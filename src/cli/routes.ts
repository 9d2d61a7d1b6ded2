import type { Command } from './command.ts';
import type { Route } from '../api-types.ts';
import { printRows } from './output.ts';

const elsewhere =
  'Add and change routes in the web UI, with POST /api/routes/add, or in a file with "bot-relay export" and "bot-relay apply".';

export function addRouteCommands(program: Command): void {
  program
    .command('routes')
    .description('list routes')
    .addHelpText('after', `\n${elsewhere}\n`)
    .command('list')
    .description('list routes')
    .run(async (context) => {
      const rows = await context.withApi((api) => api.get('/api/routes'));
      printRows(
        context.output,
        rows,
        [
          { title: 'ID', value: (route) => String(route.id) },
          { title: 'FROM', value: sourceOf },
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

function sourceOf({ source_bot_id: bot, source_chat_id: chat, source_thread_id: topic }: Route) {
  return `bot ${bot}${chat === 0 ? '' : `, chat ${chat}`}${topicWords(topic)}`;
}

function targetOf(route: Route): string {
  const { action, target_bot_id: bot, target_chat_id: chat, target_thread_id: topic } = route;
  if (action === 'drop') return '';
  return chat === 0 ? `bot ${bot}, same chat` : `bot ${bot}, chat ${chat}${topicWords(topic)}`;
}

const topicWords = (topic: number) => (topic === 0 ? '' : `, topic ${topic}`);
