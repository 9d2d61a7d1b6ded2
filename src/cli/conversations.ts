import { Argument, type Command, Option } from 'commander';
import type { Chat } from '../api-types.ts';
import { chatArgument, idArgument, laterArgument } from './arguments.ts';
import type { ContextOf } from './context.ts';
import { formatTime, printResult, printRows } from './output.ts';

interface ListOptions {
  bot?: number;
  state?: 'waiting' | 'snoozed' | 'open' | 'done' | 'unfinished';
  assignee?: string;
  tag?: string;
  search?: string;
  limit: number;
}

/** Adds what people do with conversations: see who waits, take them, and finish them. */
export function addConversationCommands(chats: Command, contextOf: ContextOf): void {
  chats
    .command('list')
    .description('list chats: those that wait first, the longest first, then by last message')
    .option('--bot <id>', 'only of this bot', idArgument)
    .addOption(
      new Option('--state <state>', 'only conversations in this state').choices([
        'waiting',
        'snoozed',
        'open',
        'done',
        'unfinished',
      ]),
    )
    .option('--assignee <who>', 'only of this assignee: none, user:3, person:5001')
    .option('--tag <tag>', 'only with this tag')
    .option('--search <text>', 'part of a title or username, or a chat ID')
    .option('--limit <number>', 'how many', idArgument, 50)
    .action(async ({ bot, search, ...options }: ListOptions, command: Command) => {
      const context = contextOf(command);
      const query = {
        ...options,
        order: 'waiting' as const,
        ...(bot === undefined ? {} : { bot_id: bot }),
        ...(search === undefined ? {} : { q: search }),
      };
      printRows(
        context.output,
        await context.withApi((api) => api.get('/api/chats', query)),
        [
          { title: 'BOT', value: (chat) => String(chat.bot_id) },
          { title: 'CHAT', value: (chat) => String(chat.chat_id) },
          { title: 'TITLE', value: (chat) => chat.title },
          { title: 'STATE', value: (chat) => stateOf(chat) },
          { title: 'WAITS SINCE', value: (chat) => formatTime(chat.unanswered_since) },
          { title: 'ASSIGNEE', value: (chat) => chat.assignee?.name ?? '' },
          { title: 'LAST MESSAGE', value: (chat) => formatTime(chat.last_message_at) },
        ],
        'No chats match.',
      );
    });

  chats
    .command('counts')
    .description('count conversations by state')
    .option('--bot <id>', 'only of this bot', idArgument)
    .action(async ({ bot }: { bot?: number }, command: Command) => {
      const context = contextOf(command);
      const query = bot === undefined ? {} : { bot_id: bot };
      const counts = await context.withApi((api) => api.get('/api/chats/counts', query));
      const { open, snoozed, unassigned, waiting } = counts;
      const words = `${waiting} waiting, ${snoozed} snoozed, ${open} open; ${unassigned} of them unassigned`;
      const since = formatTime(counts.waiting_since);
      printResult(context.output, counts, `${words}.${since && ` Waiting since ${since}.`}`);
    });

  const change = (name: string, description: string) =>
    chats
      .command(name)
      .description(description)
      .argument('<bot>', 'bot ID', idArgument)
      .argument('<chat>', 'chat ID', chatArgument);

  change('assign', 'give a conversation to somebody')
    .argument('<assignee>', 'user:3, person:5001 (in Telegram), or none')
    .option('--take', 'take it from somebody else who has it')
    .action(
      async (
        bot_id: number,
        chat_id: number,
        who: string,
        { take = false }: { take?: boolean },
        command: Command,
      ) => {
        const context = contextOf(command);
        const body = { bot_id, chat_id, assignee: who === 'none' ? '' : who, confirm: take };
        const chat = await context.withApi((api) => api.post('/api/chats/assign', { body }));
        const name = chat.assignee?.name ?? 'nobody';
        printResult(context.output, chat, `Assigned ${chat.title} to ${name}.`);
      },
    );

  change('state', 'set the state of a conversation')
    .addArgument(new Argument('<state>', 'open or done').choices(['open', 'done']))
    .action(
      async (
        bot_id: number,
        chat_id: number,
        state: 'open' | 'done',
        _options: object,
        command: Command,
      ) => {
        const context = contextOf(command);
        const body = { bot_id, chat_id, state };
        const chat = await context.withApi((api) => api.post('/api/chats/state', { body }));
        printResult(context.output, chat, `${chat.title} is ${chat.state}.`);
      },
    );

  change('snooze', 'hide a waiting conversation until a time, or until the next message')
    .argument(
      '[until]',
      '30m, 2h, 1d or 2030-01-31T09:00; left out, it is shown again',
      laterArgument,
    )
    .action(
      async (
        bot_id: number,
        chat_id: number,
        until: number | undefined,
        _options: object,
        command: Command,
      ) => {
        const context = contextOf(command);
        const body = {
          bot_id,
          chat_id,
          ...(until === undefined ? {} : { until: new Date(until * 1_000).toISOString() }),
        };
        const chat = await context.withApi((api) => api.post('/api/chats/snooze', { body }));
        const shown = formatTime(chat.snoozed_until);
        const words = shown === '' ? 'is not snoozed' : `is snoozed until ${shown}`;
        printResult(context.output, chat, `${chat.title} ${words}.`);
      },
    );
}

function stateOf({ snoozed_until, state }: Chat): string {
  return snoozed_until === '' ? (state ?? '') : 'snoozed';
}
