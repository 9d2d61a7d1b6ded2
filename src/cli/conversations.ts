import { Argument, Option } from 'commander';
import type { Command } from './command.ts';
import type { Chat } from '../api-types.ts';
import { chatArgument, idArgument, laterArgument } from './arguments.ts';
import { formatTime, printResult, printRows } from './output.ts';

interface ListOptions {
  bot?: number;
  state?: 'waiting' | 'snoozed' | 'open' | 'done' | 'unfinished';
  assignee?: string;
  tag?: string;
  topic?: number;
  search?: string;
  limit: number;
}

/** Adds what people do with conversations: see who waits, take them, and finish them. */
export function addConversationCommands(chats: Command): void {
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
    .option('--topic <topic>', 'only this topic, where topics are conversations', idArgument)
    .option('--search <text>', 'part of a title, username or topic name, or a chat ID')
    .option('--limit <number>', 'how many', idArgument, 50)
    .run(async (context, { bot, search, topic, ...options }: ListOptions) => {
      const query = {
        ...options,
        order: 'waiting' as const,
        ...(bot === undefined ? {} : { bot_id: bot }),
        ...(search === undefined ? {} : { q: search }),
        ...inTopic(topic),
      };
      const found = await context.withApi((api) => api.get('/api/chats', query));
      const hasTopics = found.some(({ message_thread_id }) => message_thread_id !== undefined);
      const topicOf = ({ message_thread_id }: Chat) => String(message_thread_id ?? '');
      printRows(
        context.output,
        found,
        [
          { title: 'BOT', value: (chat) => String(chat.bot_id) },
          { title: 'CHAT', value: (chat) => String(chat.chat_id) },
          ...(hasTopics ? [{ title: 'TOPIC', value: topicOf }] : []),
          { title: 'TITLE', value: nameOf },
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
    .run(async (context, { bot }: { bot?: number }) => {
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
      .argument('<chat>', 'chat ID', chatArgument)
      .option('--topic <topic>', 'the topic, if topics are conversations', idArgument);

  change('assign', 'give a conversation to somebody')
    .argument('<assignee>', 'user:3, person:5001 (in Telegram), or none')
    .option('--take', 'take it from somebody else who has it')
    .run(
      async (
        context,
        bot_id: number,
        chat_id: number,
        who: string,
        { take = false, topic }: { take?: boolean; topic?: number },
      ) => {
        const key = { bot_id, chat_id, ...inTopic(topic) };
        const body = { ...key, assignee: who === 'none' ? '' : who, confirm: take };
        const chat = await context.withApi((api) => api.post('/api/chats/assign', { body }));
        const name = chat.assignee?.name ?? 'nobody';
        printResult(context.output, chat, `Assigned ${nameOf(chat)} to ${name}.`);
      },
    );

  change('state', 'set the state of a conversation')
    .addArgument(new Argument('<state>', 'open or done').choices(['open', 'done']))
    .run(
      async (
        context,
        bot_id: number,
        chat_id: number,
        state: 'open' | 'done',
        { topic }: { topic?: number },
      ) => {
        const body = { bot_id, chat_id, ...inTopic(topic), state };
        const chat = await context.withApi((api) => api.post('/api/chats/state', { body }));
        printResult(context.output, chat, `${nameOf(chat)} is ${chat.state}.`);
      },
    );

  change('snooze', 'hide a waiting conversation until a time, or until the next message')
    .argument(
      '[until]',
      '30m, 2h, 1d or 2030-01-31T09:00; left out, it is shown again',
      laterArgument,
    )
    .run(
      async (
        context,
        bot_id: number,
        chat_id: number,
        until: number | undefined,
        { topic }: { topic?: number },
      ) => {
        const body = {
          bot_id,
          chat_id,
          ...inTopic(topic),
          ...(until === undefined ? {} : { until: new Date(until * 1_000).toISOString() }),
        };
        const chat = await context.withApi((api) => api.post('/api/chats/snooze', { body }));
        const shown = formatTime(chat.snoozed_until);
        const words = shown === '' ? 'is not snoozed' : `is snoozed until ${shown}`;
        printResult(context.output, chat, `${nameOf(chat)} ${words}.`);
      },
    );
}

const inTopic = (topic: number | undefined) =>
  topic === undefined ? {} : { message_thread_id: topic };

/** The name of the person, and of the topic if that is the conversation. */
function nameOf({ message_thread_id, title, topic_name }: Chat): string {
  return message_thread_id === undefined ? title : `${title} / ${topic_name || message_thread_id}`;
}

function stateOf({ snoozed_until, state }: Chat): string {
  return snoozed_until === '' ? (state ?? '') : 'snoozed';
}
