import type { Command } from './command.ts';
import type { DesksAddResponse, DesksResponseItem } from '../api-types.ts';
import { importTopicMap, type TopicMapReport } from '../manage/import/import-topic-map.ts';
import { chatArgument, idArgument, idListArgument } from './arguments.ts';
import { UsageError } from './ask.ts';
import { asTyped } from './as-typed.ts';
import { type SettingOptions, settingsIn, withSettings } from './desk-options.ts';
import { formatTime, type Output, printResult, printRows } from './output.ts';

interface ChangeOptions extends SettingOptions {
  deskBot?: number;
  bots?: number[];
}

type NewDeskOptions = SettingOptions & { chat: number; deskBot: number; bots: number[] };

interface TopicImport {
  bot: number;
  dryRun?: true;
}

export function addDeskCommands(program: Command): void {
  const desks = program
    .command('desks')
    .description('support desks: customers as topics of a forum');
  const about = (name: string, description: string) =>
    desks
      .command(name)
      .description(description)
      .argument('<desk>', 'desk ID from "desks list"', idArgument);

  desks
    .command('list', { isDefault: true })
    .description('list desks')
    .run(async (context) => {
      const rows = await context.withApi((api) => api.get('/api/desks'));
      printRows(
        context.output,
        rows,
        [
          { title: 'ID', value: (desk) => String(desk.id) },
          { title: 'NAME', value: (desk) => desk.name },
          { title: 'FORUM', value: (desk) => `${desk.chat_id}, bot ${desk.desk_bot_id}` },
          { title: 'BOTS', value: (desk) => desk.bot_ids.join(', ') },
          { title: 'STATE', value: stateOf },
        ],
        'No desks yet. Add one with "bot-relay desks add".',
      );
    });

  const add = desks
    .command('add')
    .description('give each customer of some bots a topic in a forum')
    .requiredOption('--chat <chat>', 'the forum of the team', chatArgument)
    .requiredOption('--desk-bot <bot>', 'the bot that writes in the forum', idArgument)
    .requiredOption('--bots <bots>', 'bots whose customers come to the desk', idListArgument);
  withSettings(add)
    .addHelpText(
      'after',
      '\nExample:\n  bot-relay desks add --chat -1001234567890 --desk-bot 1 --bots 1,2\n',
    )
    .run(async (context, options: NewDeskOptions) => {
      const body = {
        ...settingsIn(options),
        desk_bot_id: options.deskBot,
        chat_id: options.chat,
        bot_ids: options.bots,
      };
      const added = await context.withApi((api) => api.post('/api/desks/add', { body }));
      printChanged(context.output, added, `Added desk ${added.id}.`);
      // It is there, but no customer has a topic yet: a script must not go on as if it worked.
      if (added.problems.length > 0) context.fail();
    });

  const update = about('update', 'change a desk; what is not given stays')
    .option('--desk-bot <bot>', 'the bot that writes in the forum', idArgument)
    .option('--bots <bots>', 'bots whose customers come to the desk', idListArgument);
  withSettings(update)
    .addHelpText(
      'after',
      '\nExample:\n  bot-relay desks update 1 --hours "Europe/Berlin mon-fri 09:00-18:00" --unanswered 15\n',
    )
    .run(async (context, id: number, options: ChangeOptions) => {
      const body = {
        id,
        ...settingsIn(options),
        ...(options.deskBot === undefined ? {} : { desk_bot_id: options.deskBot }),
        ...(options.bots === undefined ? {} : { bot_ids: options.bots }),
      };
      if (Object.keys(body).length === 1) {
        throw new UsageError(
          'Nothing to change. Set an option; see "bot-relay desks update --help".',
        );
      }
      const changed = await context.withApi((api) => api.post('/api/desks/update', { body }));
      printChanged(context.output, changed, `Changed desk ${id}.`);
    });

  about('delete', 'delete a desk; its topics stay in Telegram')
    .option('--yes', 'skip the confirmation')
    .run(async (context, id: number, options: { yes?: true }) => {
      if (!options.yes) {
        await context.ask.confirm(
          `This deletes desk ${id}: nobody gets what the team writes in its topics. Confirm with --yes.`,
          `Delete desk ${id}, so that nobody gets what the team writes in its topics?`,
        );
      }
      const gone = await context.withApi((api) => api.post('/api/desks/delete', { query: { id } }));
      printResult(context.output, gone, `Deleted desk ${id}.`);
    });

  about('import', 'connect customers with topics that another support bot made in the forum')
    .argument('<file>', 'database of BetterForward or Telegram-interactive-bot; stop it first')
    .requiredOption('--bot <bot>', 'the bot to which these customers write', idArgument)
    .option('--dry-run', 'print the report and store nothing')
    .addHelpText(
      'after',
      '\nExample:\n  bot-relay desks import 1 data/storage.db --bot 2 --dry-run\n',
    )
    .run(async (context, id: number, file: string, options: TopicImport) => {
      const report = await context.withApi((api) =>
        importTopicMap(file, (topics) =>
          api.post('/api/desks/import-topics', {
            body: { id, bot_id: options.bot, dry_run: options.dryRun === true, topics },
          }),
        ),
      );
      printResult(context.output, report, importWords(file, options.dryRun === true, report));
    });

  about('check', 'ask Telegram whether the desk bot has its rights').run(
    async (context, id: number) => {
      const answer = await context.withApi((api) =>
        api.post('/api/desks/check', { query: { id } }),
      );
      const words = problemWords(answer);
      printResult(context.output, answer, words || `Desk ${id} works.`);
      if (words !== '') context.fail();
    },
  );
}

function importWords(file: string, dryRun: boolean, report: TopicMapReport): string {
  const { added, conflicts, known, skipped, source } = report;
  const done = dryRun ? 'This is a dry run, nothing is stored' : `Imported ${file}`;
  return [
    `${done} (${source}): ${added} added, ${known} unchanged, ${conflicts.length} conflicts, ${skipped} without a customer.`,
    ...conflicts.map(
      (one) => `  Customer ${one.user_id}, topic ${one.message_thread_id}: ${one.problem}`,
    ),
  ].join('\n');
}

function printChanged(output: Output, desk: DesksAddResponse, done: string): void {
  const { changed_bot_ids: changed } = desk;
  const bots = changed.length === 1 ? 'bot' : 'bots';
  const settings =
    changed.length === 0
      ? []
      : [
          `Turned on chat management and ignored automatic answers of ${bots} ${changed.join(', ')}.`,
        ];
  const problems = problemWords(desk);
  const check = problems === '' ? [] : [problems, `Then run "bot-relay desks check ${desk.id}".`];
  printResult(output, desk, asTyped([done, ...settings, ...check].join('\n'), output.command));
}

const problemWords = ({ problems }: Pick<DesksAddResponse, 'problems'>) =>
  problems.map(({ problem }) => problem).join('\n');

function stateOf(desk: DesksResponseItem): string {
  const { problem, problems, waiting_customers: waiting, checked_at: at } = desk;
  if (problem !== '') return `${waiting} waiting: ${problem}`;
  if (at === '') return 'not checked';
  return problems.length === 0 ? `works (checked ${formatTime(at)})` : problemWords(desk);
}
