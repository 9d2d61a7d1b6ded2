import { reason } from '../core/reasons/reason.ts';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { backUp, restore } from '../manage/ops/backup.ts';
import { examineRestoredKey } from '../manage/ops/restored-key.ts';
import { RelayError } from '../errors.ts';
import { type ContextOf, requireData } from './context.ts';
import { printResult } from './output.ts';

/** backup, restore and secrets: what keeps the data safe. They work on the data dir itself. */
export function addKeepCommands(program: Command, contextOf: ContextOf): void {
  program
    .command('backup')
    .description('copy the embedded database into one file, also while the service runs')
    .argument('<file>', 'the file to write')
    .option('--force', 'replace the file when it exists')
    .addHelpText('after', '\nExample:\n  bot-relay backup relay-monday.db\n')
    .action(async (file: string, options: { force?: true }, command: Command) => {
      const { output, config } = contextOf(command);
      const settings = embeddedOnly(config(), 'pg_dump');
      requireData(settings);
      const done = await backUp(settings.dataDir, file, { force: options.force === true });
      printResult(
        output,
        done,
        `Wrote ${done.file} (${megabytes(done.bytes)}). ${keyAdvice(settings)}`,
      );
    });

  program
    .command('restore')
    .description('put a backup in the place of the embedded database')
    .argument('<file>', 'what "bot-relay backup" wrote')
    .option('--force', 'put the database that is there aside')
    .addHelpText(
      'after',
      '\nThe exit code is 1 when the master key at hand does not open what was restored; it says which\nkey is needed.\n\nExample:\n  bot-relay restore relay-monday.db --force\n',
    )
    .action((file: string, options: { force?: true }, command: Command) => {
      const { output, config, fail } = contextOf(command);
      const settings = embeddedOnly(config(), 'pg_restore');
      const now = new Date();
      const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '');
      const force = options.force === true;
      const done = restore(settings.dataDir, file, { force, stamp, nowMs: now.getTime() });
      const aside = done.keptAside === '' ? '' : ` The one before is ${done.keptAside}.`;
      const key = examineRestoredKey(done.file, settings);
      printResult(
        output,
        { ...done, secretsOpen: key.opens, advice: key.advice },
        `Restored ${done.file}.${aside} ${key.advice}`,
      );
      // The data is there, but the next start would refuse it.
      if (!key.opens) fail();
    });

  const secrets = program.command('secrets').description('the master key of what is encrypted');
  secrets
    .command('rotate')
    .description('encrypt everything anew with a new master key; stop the service first')
    .addHelpText(
      'after',
      `
The key generated in the data directory is replaced by a new one. Where RELAY_SECRET_KEY is set,
put the new key there and the old one in RELAY_SECRET_KEY_PREVIOUS, then run this (or just start):
  RELAY_SECRET_KEY_PREVIOUS="$OLD" RELAY_SECRET_KEY="$NEW" bot-relay secrets rotate

Backups made before still need the old key. A generated one is kept beside the new one; after
restoring such a backup:
  RELAY_SECRET_KEY_PREVIOUS_FILE=data/master.key.1a2b3c4d.old bot-relay start
`,
    )
    .action(async (_options, command: Command) => {
      const { output, config } = contextOf(command);
      const { rotateSecrets } = await import('../main.ts');
      const settings = config();
      requireData(settings);
      const done = await rotateSecrets(settings);
      const oldKeyNote =
        done.formerKeyFile === ''
          ? 'Backups made before open only with the old key: keep it as long as them, and name it in RELAY_SECRET_KEY_PREVIOUS when you restore one.'
          : `Backups made before open only with the old key, kept in ${done.formerKeyFile}: after restoring one, start with RELAY_SECRET_KEY_PREVIOUS_FILE=${done.formerKeyFile}. Delete that file once you keep no such backup.`;
      printResult(
        output,
        done,
        `Encrypted ${done.secrets} ${done.secrets === 1 ? 'secret' : 'secrets'} with the new key. ${oldKeyNote}`,
      );
    });
}

function embeddedOnly(config: Config, tool: string): Config {
  if (config.databaseUrl === '') return config;
  throw new RelayError('bad_setting', reason('use_database_tool', { tool }));
}

function keyAdvice(config: Config): string {
  const key = config.secretKey === '' ? `${config.dataDir}/master.key` : 'RELAY_SECRET_KEY';
  return `Its secrets open only with ${key}: keep that apart from the backup.`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
