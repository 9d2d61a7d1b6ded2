import { reason } from '../core/reasons/reason.ts';
import type { Command } from './command.ts';
import type { Config } from '../config.ts';
import { backUp, restore, timeStamp } from '../manage/service/backup.ts';
import type { Unfinished } from '../store/sqlite/database-file.ts';
import { examineRestoredKey } from '../manage/service/restored-key.ts';
import { RelayError } from '../errors.ts';
import { asTyped } from './as-typed.ts';
import { type CommandContext, helpWithoutAddress, refuseAddress, requireData } from './context.ts';
import { printResult } from './output.ts';

/** Adds backup, restore, rebuild and secrets, which work directly on the data directory. */
export function addKeepCommands(program: Command): void {
  const hereOnly = (command: Command): CommandContext => {
    const { context } = command;
    const what = `${command.name()} works on the data of this machine`;
    const advice = 'Run it on the machine of the service, without an address.';
    refuseAddress(command, what, advice, context.variable('RELAY_URL'));
    return context;
  };
  program
    .command('backup')
    .configureHelp(helpWithoutAddress)
    .description('back up the embedded database to one file; the service may be running')
    .argument('<file>', 'file to write')
    .option('--force', 'overwrite the file if it exists')
    .addHelpText('after', '\nExample:\n  bot-relay backup relay-monday.db\n')
    .action(async (file: string, options: { force?: true }, command: Command) => {
      const { output, config } = hereOnly(command);
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
    .configureHelp(helpWithoutAddress)
    .description('replace the embedded database with a backup; stop the service first')
    .argument('<file>', 'file written by "bot-relay backup"')
    .option('--force', 'move an existing database aside')
    .addHelpText(
      'after',
      '\nThe exit code is 1 if the master key cannot decrypt the restored data. The output names the key\nit needs.\n\nExample:\n  bot-relay restore relay-monday.db --force\n',
    )
    .action((file: string, options: { force?: true }, command: Command) => {
      const { output, config, fail } = hereOnly(command);
      const settings = embeddedOnly(config(), 'pg_restore');
      const now = new Date();
      const done = restore(settings.dataDir, file, {
        force: options.force === true,
        stamp: timeStamp(now),
        nowMs: now.getTime(),
      });
      const aside = done.keptAside === '' ? '' : ` The previous database is in ${done.keptAside}.`;
      const key = examineRestoredKey(done.file, settings);
      printResult(
        output,
        { ...done, secretsOpen: key.opens, advice: key.advice },
        [
          `Restored ${done.file}.${aside} ${asTyped(key.advice, output.command)}`,
          ...wordsOf(done.unfinished),
        ].join('\n'),
      );
      // The data is restored, but the next start would refuse it, so report a problem.
      if (!key.opens) fail();
    });

  program
    .command('rebuild')
    .configureHelp(helpWithoutAddress)
    .description('rebuild the search index and statistics; stop the service first')
    .addHelpText(
      'after',
      `
With several nodes, stop all of them. If the command is interrupted, the service continues.

Example:
  bot-relay rebuild
`,
    )
    .action(async (_options, command: Command) => {
      const { output, config } = hereOnly(command);
      const { rebuildFromMessages } = await import('../main.ts');
      const settings = config();
      requireData(settings);
      const done = await rebuildFromMessages(settings, output.note);
      printResult(
        output,
        done,
        `Indexed and counted ${done.messages} messages. Bots with chat management: ${done.bots}.`,
      );
    });

  const secrets = program
    .command('secrets')
    .description('manage the master key that encrypts stored secrets');
  secrets
    .command('rotate')
    .configureHelp(helpWithoutAddress)
    .description('re-encrypt all secrets with a new master key; stop the service first')
    .addHelpText(
      'after',
      `
A generated key in the data directory is replaced. If you use RELAY_SECRET_KEY, set it to the new
key and RELAY_SECRET_KEY_PREVIOUS to the old one, then run this command or start the service:
  RELAY_SECRET_KEY_PREVIOUS="$OLD" RELAY_SECRET_KEY="$NEW" bot-relay secrets rotate

Earlier backups still need the old key. A generated key stays next to the new one. After restoring
such a backup:
  RELAY_SECRET_KEY_PREVIOUS_FILE=data/master.key.1a2b3c4d.old bot-relay start
`,
    )
    .action(async (_options, command: Command) => {
      const { output, config } = hereOnly(command);
      const { rotateSecrets } = await import('../main.ts');
      const settings = config();
      requireData(settings);
      const done = await rotateSecrets(settings, output.note);
      const oldKeyNote =
        done.formerKeyFile === ''
          ? 'Earlier backups still need the old key: keep it, and set RELAY_SECRET_KEY_PREVIOUS to it after restoring one.'
          : `Earlier backups still need the old key in ${done.formerKeyFile}. After restoring one, start with RELAY_SECRET_KEY_PREVIOUS_FILE=${done.formerKeyFile}. Delete that file when you no longer keep such backups.`;
      printResult(
        output,
        done,
        `Re-encrypted ${done.secrets} ${done.secrets === 1 ? 'secret' : 'secrets'} with the new key. ${oldKeyNote}`,
      );
    });
}

/** Lists unfinished work that is not repeated, because a person may want to repeat it. */
function wordsOf({ sends, scheduled, updates, questions }: Unfinished): string[] {
  const counts: [number, string][] = [
    [sends, 'Queued messages, marked as unknown, because they may have been sent after the backup'],
    [scheduled, 'Scheduled messages that were due since, held for the same reason'],
    [updates, 'Updates that routes had not handled, skipped for the same reason'],
    [questions, 'Questions to the language model, dropped for the same reason'],
  ];
  const lines = counts.flatMap(([count, what]) => (count === 0 ? [] : [`${what}: ${count}.`]));
  if (sends > 0) lines.push('Check the chats. You can send those messages again in the web UI.');
  return lines;
}

function embeddedOnly(config: Config, tool: string): Config {
  if (config.databaseUrl === '') return config;
  throw new RelayError('bad_setting', reason('use_database_tool', { tool }));
}

function keyAdvice(config: Config): string {
  const key = config.secretKey === '' ? `${config.dataDir}/master.key` : 'RELAY_SECRET_KEY';
  return `Restoring it needs ${key}: store that key separately.`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
