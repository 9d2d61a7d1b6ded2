import type { Command } from './command.ts';
import { type BotmuxReport, importBotmux } from '../manage/import/import-botmux.ts';
import { asTyped } from './as-typed.ts';
import { printResult } from './output.ts';

export function addImportCommand(program: Command): void {
  const group = program.command('import').description('import bots from another service');
  group
    .command('botmux')
    .description('import bots, chats, messages, people, tags, routes and users from botmux')
    .argument('<file>', "botmux's database file; stop botmux first")
    .option('--dry-run', 'print the report and store nothing')
    .addHelpText(
      'after',
      `
Entries that are here already stay as they are: you can repeat the import. Bots start receiving after
their last update at botmux, once everything is imported. Passwords cannot be imported.

Example:
  bot-relay import botmux /data/botdata.db --dry-run
`,
    )
    .run(async (context, file: string, options: { dryRun?: true }) => {
      const dryRun = options.dryRun === true;
      const { report, passwordless } = await context.withApi(
        async (api) => {
          const done = await importBotmux(file, (portion) =>
            api.post('/api/import', { body: { ...portion, dry_run: dryRun } }),
          );
          const users = await api.get('/api/auth/users');
          const without = users.filter(({ has_password }) => !has_password);
          return { report: done, passwordless: new Set(without.map(({ id }) => id)) };
        },
        { begins: !dryRun, rehearses: dryRun },
      );
      printResult(
        context.output,
        { file, dry_run: dryRun, ...report },
        asTyped(toText(file, dryRun, report, passwordless), context.output.command),
      );
    });
}

const kinds = {
  chats: 'Chats',
  messages: 'Messages',
  people: 'People',
  members: 'Seen in chats',
  tags: 'Tags',
  pairs: 'Routed messages',
} as const;
const lists = { bots: 'Bots', routes: 'Routes', users: 'Users' } as const;

function toText(
  file: string,
  dryRun: boolean,
  report: BotmuxReport,
  passwordless: ReadonlySet<number>,
): string {
  const lines = [dryRun ? `${file}: this is a dry run, nothing is stored.` : `Imported ${file}.`];
  const line = (title: string, added: number, known: number, skipped: number) =>
    lines.push(`  ${title.padEnd(16)} ${added} added, ${known} unchanged, ${skipped} not imported`);
  for (const [name, title] of Object.entries(lists) as [keyof typeof lists, string][]) {
    const of = (outcome: string) => report[name].filter((one) => one.outcome === outcome).length;
    line(title, of('added'), of('known'), of('refused'));
  }
  for (const [kind, title] of Object.entries(kinds) as [keyof typeof kinds, string][]) {
    const { added, known, skipped } = report[kind];
    line(title, added, known, skipped);
  }
  const { model } = report;
  if (model) {
    const words = { added: 'added', known: 'unchanged', refused: 'not imported' };
    lines.push(`  ${'Language model'.padEnd(16)} ${words[model.outcome]}`);
  }
  const notes = [
    ...report.bots.map((one) => note('Bot', one)),
    ...report.routes.map((one) => note('Route', one)),
    ...report.users.map((one) => note('User', one)),
    ...(model?.problem ? [`Language model: ${model.problem}`] : []),
  ].filter((text) => text !== '');
  if (notes.length > 0) lines.push('', 'Notes:', ...notes.map((text) => `  ${text}`));
  const { bridges, api_keys: keys, admin_log: log } = report.not_imported;
  if (bridges + keys + log > 0) {
    lines.push(
      '',
      `Not imported: bridges (${bridges}), API keys (${keys}), entries of the admin log (${log}).`,
    );
  }
  const waiting = report.users.filter(
    ({ id, outcome }) => outcome === 'added' || passwordless.has(id),
  );
  if (waiting.length > 0) {
    lines.push('', 'These users need a new password:');
    for (const { name } of waiting) lines.push(`  bot-relay users password ${name}`);
  }
  return lines.join('\n');
}

function note(what: string, entry: BotmuxReport['bots'][number]): string {
  if (entry.problem === '') return '';
  const name = entry.name === '' ? '' : ` (${entry.name})`;
  return `${what} ${entry.botmux_id} of botmux${name}: ${entry.problem}`;
}
