import { InvalidArgumentError } from 'commander';
import type { Command } from './command.ts';
import type { BroadcastsAddRequest } from '../api-types.ts';
import { idArgument, integerArgument, listArgument } from './arguments.ts';
import { UsageError } from './ask.ts';
import { printResult } from './output.ts';

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
  type?: NonNullable<BroadcastsAddRequest['type']>;
  fileId?: string;
}

const percentArgument = (text: string): number => {
  const percent = integerArgument(text);
  if (percent >= 0 && percent <= 100) return percent;
  throw new InvalidArgumentError('it must be a whole number from 0 to 100.');
};

export function addDraftCommands(broadcasts: Command): void {
  withAudience(
    broadcasts
      .command('add')
      .description('add a draft, and count its audience')
      .argument('<bot>', 'bot ID', idArgument)
      .argument('<name>', 'display name')
      .argument('<text>', 'text of the message')
      .option('--markdown', 'the text is Markdown')
      .option('--type <kind>', 'kind of media, such as photo, video or document')
      .option('--file-id <id>', 'file_id of media that the bot has seen; the text is its caption')
      .option('--opt-out-button <label>', 'a button by which people opt out')
      .option('--opt-out-word <word>', 'a message of this text opts out')
      .option('--opt-out-reply <text>', 'what they then read')
      .option('--stop-at <percent>', 'pause if more have blocked the bot', percentArgument)
      .option('--paid', 'send faster than 30 a second, for 0.1 Stars per message above that'),
  ).run(async (context, bot: number, name: string, text: string, options: AddOptions) => {
    const added = await context.withApi((api) =>
      api.post('/api/broadcasts/add', {
        body: {
          bot_id: bot,
          name,
          ...saying(text, options),
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
      `Added broadcast ${added.id} for ${added.recipients} chats. Start it with "broadcasts start ${added.id} --recipients ${added.recipients}${added.stars > 0 ? ` --stars ${added.stars}` : ''}".`,
    );
  });

  withAudience(
    broadcasts
      .command('count')
      .description('count the chats of an audience')
      .argument('<bot>', 'bot ID', idArgument),
  ).run(async (context, bot: number, options: AudienceOptions) => {
    const counted = await context.withApi((api) =>
      api.post('/api/broadcasts/count', { body: { bot_id: bot, audience: audienceOf(options) } }),
    );
    const { left_out, recipients } = counted;
    printResult(context.output, counted, `${recipients} chats; ${left_out} more are left out.`);
  });
}

function saying(text: string, { fileId: file_id, type }: AddOptions) {
  if (type === undefined && file_id === undefined) return { text };
  if (type === undefined || file_id === undefined) {
    throw new UsageError('Media needs both --type and --file-id.');
  }
  return { type, file_id, caption: text };
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
    .option('--seen-days <days>', 'who wrote to the bot within so many days', integerArgument)
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
