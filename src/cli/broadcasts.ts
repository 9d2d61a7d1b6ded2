import { type Command, InvalidArgumentError, Option } from 'commander';
import { recipientStates, type RecipientState } from '../core/messages/broadcast.ts';
import { chatArgument, idArgument, integerArgument, listArgument } from './arguments.ts';
import type { ContextOf } from './context.ts';
import { formatTime, printResult, printRows } from './output.ts';

interface AudienceOptions {
  types?: string[];
  tags?: string[];
  languages?: string[];
  seenDays?: number;
  states?: string[];
}

interface AddOptions extends AudienceOptions {
  markdown?: boolean;
  optOutButton?: string;
  optOutWord?: string;
  optOutReply?: string;
  stopAt?: number;
  paid?: boolean;
}

const percentArgument = (text: string): number => {
  const percent = integerArgument(text);
  if (percent >= 0 && percent <= 100) return percent;
  throw new InvalidArgumentError('it must be a whole number from 0 to 100.');
};

export function addBroadcastCommands(program: Command, contextOf: ContextOf): void {
  const broadcasts = program
    .command('broadcasts')
    .description('send one message to many chats of a bot');

  broadcasts
    .command('list')
    .description('list broadcasts, newest first')
    .option('--bot <bot>', 'only of this bot', idArgument)
    .action(async ({ bot }: { bot?: number }, command: Command) => {
      const context = contextOf(command);
      const rows = await context.withApi((api) =>
        api.get('/api/broadcasts', bot === undefined ? {} : { bot_id: bot }),
      );
      printRows(
        context.output,
        rows,
        [
          { title: 'ID', value: (row) => String(row.id) },
          { title: 'BOT', value: (row) => String(row.bot_id) },
          { title: 'NAME', value: (row) => row.name },
          { title: 'STATE', value: (row) => row.state },
          { title: 'SENT', value: (row) => String(row.counts.sent) },
          { title: 'QUEUED', value: (row) => String(row.counts.queued) },
          { title: 'BLOCKED', value: (row) => `${row.counts.blocked} (${row.blocked_percent} %)` },
          { title: 'UNKNOWN', value: (row) => String(row.counts.unknown) },
          { title: 'STARTED', value: (row) => formatTime(row.started_at) },
        ],
        'No broadcasts yet.',
      );
    });

  withAudience(
    broadcasts
      .command('add')
      .description('add a draft, and count its audience')
      .argument('<bot>', 'bot ID', idArgument)
      .argument('<name>', 'display name')
      .argument('<text>', 'text of the message')
      .option('--markdown', 'the text is Markdown')
      .option('--opt-out-button <label>', 'a button by which people opt out')
      .option('--opt-out-word <word>', 'a message of this text opts out')
      .option('--opt-out-reply <text>', 'what they then read')
      .option('--stop-at <percent>', 'pause if more have blocked the bot', percentArgument)
      .option('--paid', 'send faster than 30 a second, for 0.1 Stars per message above that'),
  ).action(
    async (bot: number, name: string, text: string, options: AddOptions, command: Command) => {
      const context = contextOf(command);
      const added = await context.withApi((api) =>
        api.post('/api/broadcasts/add', {
          body: {
            bot_id: bot,
            name,
            text,
            audience: audienceOf(options),
            ...(options.markdown ? { format: 'markdown' as const } : {}),
            ...(options.optOutButton === undefined ? {} : { opt_out_button: options.optOutButton }),
            ...(options.optOutWord === undefined ? {} : { opt_out_word: options.optOutWord }),
            ...(options.optOutReply === undefined ? {} : { opt_out_reply: options.optOutReply }),
            ...(options.stopAt === undefined ? {} : { stop_at_blocked_percent: options.stopAt }),
            ...(options.paid ? { allow_paid_broadcast: true } : {}),
          },
        }),
      );
      printResult(
        context.output,
        added,
        `Added broadcast ${added.id} for ${added.recipients} chats${added.stars > 0 ? ` and up to ${added.stars} Stars` : ''}. Start it with "broadcasts start ${added.id} --recipients ${added.recipients}${added.stars > 0 ? ` --stars ${added.stars}` : ''}".`,
      );
    },
  );

  withAudience(
    broadcasts
      .command('count')
      .description('count the chats of an audience')
      .argument('<bot>', 'bot ID', idArgument),
  ).action(async (bot: number, options: AudienceOptions, command: Command) => {
    const context = contextOf(command);
    const counted = await context.withApi((api) =>
      api.post('/api/broadcasts/count', { body: { bot_id: bot, audience: audienceOf(options) } }),
    );
    const { left_out, recipients } = counted;
    printResult(context.output, counted, `${recipients} chats; ${left_out} more are left out.`);
  });

  broadcasts
    .command('test')
    .description('send it to one chat, such as your own')
    .argument('<id>', 'broadcast ID', idArgument)
    .argument('<chat>', 'chat ID', chatArgument)
    .action(async (id: number, chat: number, _options, command: Command) => {
      const context = contextOf(command);
      const sent = await context.withApi((api) =>
        api.post('/api/broadcasts/test', { body: { id, chat_id: chat } }),
      );
      printResult(context.output, sent, `Sent message ${sent.message_id}.`);
    });

  broadcasts
    .command('start')
    .description('send a draft to its audience')
    .argument('<id>', 'broadcast ID', idArgument)
    .requiredOption('--recipients <count>', 'the number of chats that you saw', integerArgument)
    .option('--stars <count>', 'the Stars that a paid one may cost', integerArgument)
    .action(async (id: number, seen: { recipients: number; stars?: number }, command: Command) => {
      const context = contextOf(command);
      const started = await context.withApi((api) =>
        api.post('/api/broadcasts/start', { body: { id, ...seen } }),
      );
      printResult(context.output, started, `Started broadcast ${id}.`);
    });

  const simple = [
    ['pause', 'send no more of it for now', 'Paused'],
    ['resume', 'go on with a paused one', 'Resumed'],
    ['cancel', 'send no more of it, for good', 'Canceled'],
    ['delete', 'delete in Telegram what it sent', 'Deleting the messages of'],
  ] as const;
  for (const [name, description, done] of simple) {
    broadcasts
      .command(name)
      .description(description)
      .argument('<id>', 'broadcast ID', idArgument)
      .action(async (id: number, _options, command: Command) => {
        const context = contextOf(command);
        const answer = await context.withApi((api) =>
          api.post(`/api/broadcasts/${name}`, { body: { id } }),
        );
        printResult(context.output, answer, `${done} broadcast ${id}.`);
      });
  }

  broadcasts
    .command('edit')
    .description('edit what it sent')
    .argument('<id>', 'broadcast ID', idArgument)
    .argument('<text>', 'the new text')
    .option('--markdown', 'the text is Markdown')
    .action(
      async (id: number, text: string, { markdown }: { markdown?: true }, command: Command) => {
        const context = contextOf(command);
        const format = markdown ? { format: 'markdown' as const } : {};
        const answer = await context.withApi((api) =>
          api.post('/api/broadcasts/edit', { body: { id, text, ...format } }),
        );
        printResult(context.output, answer, `Editing the messages of broadcast ${id}.`);
      },
    );

  broadcasts
    .command('results')
    .description('list what became of it in each chat')
    .argument('<id>', 'broadcast ID', idArgument)
    .addOption(new Option('--state <state>', 'only this result').choices(recipientStates))
    .option('--after <chat>', 'only chats after this one', chatArgument)
    .action(
      async (
        id: number,
        { after, state }: { after?: number; state?: RecipientState },
        command: Command,
      ) => {
        const context = contextOf(command);
        const rows = await context.withApi((api) =>
          api.get('/api/broadcasts/results', {
            id,
            limit: 500,
            ...(state === undefined ? {} : { state }),
            ...(after === undefined ? {} : { after_chat_id: after }),
          }),
        );
        printRows(
          context.output,
          rows,
          [
            { title: 'CHAT', value: (row) => String(row.chat_id) },
            { title: 'NAME', value: (row) => row.title },
            { title: 'RESULT', value: (row) => row.state },
            { title: 'MESSAGE', value: (row) => String(row.message_id || '') },
            { title: 'ERROR', value: (row) => row.error || row.task_error },
          ],
          'No results yet.',
        );
      },
    );
}

function withAudience(command: Command): Command {
  return command
    .option(
      '--types <types>',
      'private, group, supergroup, channel; private if left out',
      listArgument,
    )
    .option('--tags <tags>', 'chats with any of these tags', listArgument)
    .option('--languages <codes>', "languages of people's apps, such as en,ru", listArgument)
    .option('--seen-days <days>', 'seen within so many days', integerArgument)
    .option('--states <states>', 'conversations that are waiting, open or done', listArgument);
}

type Audience = Partial<{
  chat_types: ('private' | 'group' | 'supergroup' | 'channel')[];
  tags: string[];
  languages: string[];
  seen_within_days: number;
  states: ('waiting' | 'open' | 'done')[];
}>;

/** The service says which words it does not know. */
function audienceOf({ languages, seenDays, states, tags, types }: AudienceOptions): Audience {
  return {
    ...(types ? { chat_types: types as Audience['chat_types'] & string[] } : {}),
    ...(tags ? { tags } : {}),
    ...(languages ? { languages } : {}),
    ...(seenDays === undefined ? {} : { seen_within_days: seenDays }),
    ...(states ? { states: states as Audience['states'] & string[] } : {}),
  } as Audience;
}
