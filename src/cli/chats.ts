import type { Command } from './command.ts';
import type { Topic } from '../api-types.ts';
import { chatArgument, idArgument } from './arguments.ts';
import { addConversationCommands } from './conversations.ts';
import { formatTime, printRows } from './output.ts';

export function addChatCommands(program: Command): void {
  const chats = program
    .command('chats')
    .description('list chats and their topics, work on conversations');
  addConversationCommands(chats);

  chats
    .command('topics')
    .description('list the topics of a chat, newest message first')
    .argument('<bot>', 'bot ID', idArgument)
    .argument('<chat>', 'chat ID; group IDs are negative', chatArgument)
    .option('--search <text>', 'part of the name, or a topic ID')
    .option('--limit <number>', 'how many', idArgument, 50)
    .run(
      async (context, bot: number, chat: number, options: { search?: string; limit: number }) => {
        const { search: q, limit } = options;
        const query = { bot_id: bot, chat_id: chat, limit, ...(q === undefined ? {} : { q }) };
        printRows(
          context.output,
          await context.withApi((api) => api.get('/api/chats/topics', query)),
          [
            { title: 'TOPIC', value: (topic) => String(topic.message_thread_id) },
            { title: 'NAME', value: (topic) => topic.name },
            { title: 'STATE', value: stateOf },
            { title: 'LAST MESSAGE', value: (topic) => formatTime(topic.last_message_at) },
          ],
          q === undefined
            ? 'No topics are known. Topics appear with their first message.'
            : 'No topic matches.',
        );
      },
    );
}

function stateOf({ closed, gone, hidden }: Topic): string {
  if (gone) return 'gone';
  if (hidden) return 'hidden';
  return closed ? 'closed' : '';
}
