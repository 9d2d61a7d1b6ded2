import { closeSync, fchmodSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from './command.ts';
import type { Gets, Posts } from '../api-types.ts';
import { publicCommandName } from '../command-name.ts';
import { readBounded } from '../config/read-bounded.ts';
import { type ConfigDocument, entriesOf } from '../core/config-file/document.ts';
import { type ConfigEntry, entryKey } from '../core/config-file/plan.ts';
import {
  hiddenFields,
  mapReferable,
  referableFields,
  referenceIn,
} from '../core/config-file/references.ts';
import { reason } from '../core/reasons/reason.ts';
import { RelayError } from '../errors.ts';
import { UsageError } from './ask.ts';
import type { CommandContext } from './context.ts';
import { type Output, paint, printResult } from './output.ts';

type Exported = Gets['/api/config']['response'];
type Given = Posts['/api/config/apply']['body']['config'];
type Deletions = Posts['/api/config/apply']['body']['deletions'];
type Applied = Posts['/api/config/apply']['response'];

interface ApplyOptions {
  file: string;
  dryRun?: true;
  prune?: true;
  yes?: true;
}

interface ExportOptions {
  output?: string;
  force?: true;
  withSecrets?: true;
  schema?: true;
}

/** Adds the commands for the configuration of the whole service as a file. */
export function addConfigCommands(program: Command): void {
  program
    .command('export')
    .description(
      'write the configuration as YAML: bots, apps, routes, model, users, keys, alert channels',
    )
    .option('-o, --output <file>', 'file to write; default standard output')
    .option('--force', 'overwrite the file if it exists')
    .option('--with-secrets', 'write tokens and secrets in place of references')
    .option('--schema', 'write the JSON Schema for editors instead')
    .addHelpText(
      'after',
      '\nExamples:\n  bot-relay export > relay.yaml\n  bot-relay export --schema > relay.schema.json\n',
    )
    .run(async (context, options: ExportOptions) => {
      if (options.schema) {
        const { configFileSchema } = await import('../http/api/config/config-schema.ts');
        write(context, options, `${JSON.stringify(configFileSchema, null, 2)}\n`);
        return;
      }
      const withSecrets = options.withSecrets === true;
      const exported = await context.withApi((api) =>
        api.get('/api/config', { with_secrets: withSecrets }),
      );
      if (context.output.json && options.output === undefined) {
        printResult(context.output, exported, '');
        return;
      }
      write(context, options, await asYaml(exported));
    });

  program
    .command('apply')
    .description('add and change what a configuration file lists; prints the plan')
    .requiredOption('-f, --file <file>', 'file to apply; - for standard input')
    .option('--dry-run', 'check everything and change nothing')
    .option('--prune', 'delete what the sections of the file do not list')
    .option('--yes', 'skip the confirmation of deletions')
    .addHelpText(
      'after',
      `
In the file, \${NAME} stands for an environment variable and file:PATH for the content of a file.

Examples:
  bot-relay apply -f relay.yaml --dry-run
  bot-relay apply -f relay.yaml --prune --yes
`,
    )
    .run(async (context, options: ApplyOptions) => {
      const { output } = context;
      const config = await readConfigFile(context, options.file);
      const prune = options.prune === true;
      const dryRun = options.dryRun === true;
      let before: Exported = { config: { version: 1 }, self_set: [], variables: [] };
      const applied = await context.withApi(
        async (api) => {
          const apply = (dry_run: boolean, deletions?: Deletions) =>
            api.post('/api/config/apply', {
              body: { config, prune, dry_run, ...(deletions ? { deletions } : {}) },
            });
          if (!output.json) before = await api.get('/api/config');
          if (!prune || dryRun || options.yes) return apply(dryRun);
          const planned = await apply(true);
          const deleted = planned.changes.filter(({ change }) => change === 'delete');
          if (deleted.length > 0) {
            const names = deleted.map(({ kind, name }) => `${kind} ${name}`).join(', ');
            const missing = `This deletes ${names}. Confirm with --yes.`;
            await context.ask.confirm(missing, `Delete ${names}?`);
          }
          return apply(
            false,
            deleted.map(({ kind, id }) => ({ kind, id })),
          );
        },
        { begins: !dryRun, rehearses: dryRun },
      );
      if (!output.json) {
        const [old, wanted] = [currentFields(before), fieldsIn(config)];
        for (const change of applied.changes) output.line(planLine(output, change, old, wanted));
      }
      printResult(output, applied, summary(applied));
      for (const { note } of applied.notes) output.note(note);
      if (applied.failed.length === 0) return;
      for (const { name, problem } of applied.failed) {
        output.note(`Bot ${name} is not deleted: ${problem}`);
      }
      output.note('Everything else is applied. Run the same command again to delete the rest.');
      context.fail();
    });
}

/** The largest request that the service accepts. */
const mostMegabytes = 8;
/** A token or key is far smaller. */
const mostSecretBytes = 65_536;

async function readConfigFile(context: CommandContext, file: string): Promise<Given> {
  const { parse } = await import('yaml');
  const name = file === '-' ? 'Standard input' : file;
  const mostBytes = mostMegabytes * 1_048_576;
  let document: unknown;
  let text: string | undefined;
  try {
    text = file === '-' ? await textOf(context.stdin, mostBytes) : readBounded(file, mostBytes);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new RelayError('not_found', reason('no_file', { path: file }));
    throw new RelayError('conflict', reason('file_not_readable', { path: file, cause: code }));
  }
  if (text === undefined) throw new UsageError(`${name} is larger than ${mostMegabytes} MB.`);
  try {
    document = parse(text);
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    if (code === 'MULTIPLE_DOCS') {
      throw new UsageError(
        `${name} contains several YAML documents, separated by "---". Apply one file per document.`,
      );
    }
    throw new UsageError(
      `${name} is not valid YAML: ${message.split('\n')[0]?.replace(/[:.]$/, '')}.`,
    );
  }
  if (document === null || typeof document !== 'object' || Array.isArray(document)) {
    const what = text.trim() === '' ? 'empty' : 'not a configuration';
    throw new UsageError(`${name} is ${what}. Write a configuration with "bot-relay export".`);
  }
  if ('version' in document && Number(document.version) > 1) {
    throw new UsageError('version must be 1; this file is for a newer Bot Relay.');
  }
  try {
    return resolve(context, document, file === '-' ? '.' : path.dirname(file)) as Given;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(`${name} is nested too deeply, or an alias in it contains itself.`);
  }
}

/** Replaces references with their values. A missing value is allowed in fields that only new entries need. */
function resolve(context: CommandContext, document: object, folder: string): unknown {
  const missing = new Set<string>();
  const fields = new Set<string>();
  const resolved = mapReferable(document, (text, field) => {
    const reference = referenceIn(text);
    if (!reference) return text;
    const value =
      'variable' in reference
        ? context.variable(reference.variable)
        : contentOf(path.resolve(folder, reference.file));
    if (value !== undefined && value !== '') return value;
    if (!hiddenFields.has(field)) {
      missing.add('variable' in reference ? reference.variable : reference.file);
      fields.add(field);
    }
    return text;
  });
  if (missing.size === 0) return resolved;
  const kept = ['token', 'api_key'].filter((field) => fields.has(field)).join(' or ');
  const removed = fields.has('secret_token') ? '; a secret_token would be removed' : '';
  const instead = `To keep a ${kept} that the service already has, delete its line${removed}.`;
  throw new UsageError(
    `The file refers to values that are missing: ${[...missing].join(', ')}. Set these environment variables, or create these files.${kept === '' ? '' : ` ${instead}`}`,
  );
}

function contentOf(file: string): string | undefined {
  let text: string | undefined;
  try {
    text = readBounded(file, mostSecretBytes);
  } catch {
    return undefined;
  }
  if (text === undefined) throw new UsageError(`${file} is too large for a token or key.`);
  return text.trim();
}

/** Undefined if the text is longer than `most`. */
async function textOf(stream: AsyncIterable<unknown>, most: number): Promise<string | undefined> {
  let text = '';
  for await (const chunk of stream) {
    text += String(chunk);
    if (text.length > most) return undefined;
  }
  return text;
}

const signs = { add: ['+', 'green'], update: ['~', 'yellow'], delete: ['−', 'red'] } as const;

type FieldsByEntry = ReadonlyMap<string, ConfigEntry['fields']>;

function fieldsIn(document: Given): FieldsByEntry {
  const entries = entriesOf(document as ConfigDocument);
  return new Map(entries.map((entry) => [entryKey(entry).toLowerCase(), entry.fields]));
}

function currentFields({ config, self_set: selfSet }: Exported): FieldsByEntry {
  const fields = new Map(fieldsIn(config));
  for (const own of selfSet) {
    const key = entryKey(own).toLowerCase();
    fields.set(key, { ...fields.get(key), ...own.fields });
  }
  return fields;
}

function planLine(
  output: Output,
  { change, kind, name, fields }: Applied['changes'][number],
  old: FieldsByEntry,
  wanted: FieldsByEntry,
): string {
  const [sign, colour] = signs[change];
  const entry = kind === 'model' ? kind : `${kind} ${name}`;
  const key = entryKey({ kind, name }).toLowerCase();
  const [was, is] = [old.get(key), wanted.get(key)];
  const told =
    was && is ? fields.map((field) => fieldChange(field, was[field], is[field])) : fields;
  const what = told.length === 0 ? entry : `${entry}: ${told.join(', ')}`;
  return paint(output, colour, `${sign} ${what}`);
}

/** Describes a change of a field; values of fields that may refer to a secret are not shown. */
function fieldChange(field: string, was: unknown, is: unknown): string {
  if (!referableFields.has(field)) return `${field} ${shown(was)} → ${shown(is)}`;
  if (is === '' || is === undefined) return `${field} removed`;
  return was === '' ? `${field} set` : `${field} changed`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function summary({ changes, dry_run: isDry }: Applied): string {
  if (changes.length === 0) return 'Nothing to change.';
  const count = (one: keyof typeof signs) => changes.filter(({ change }) => change === one).length;
  const counts = `${count('add')} added, ${count('update')} changed, ${count('delete')} deleted`;
  return isDry ? `Dry run, nothing was changed. It would be: ${counts}.` : `Applied: ${counts}.`;
}

async function asYaml({ config, self_set: selfSet }: Exported): Promise<string> {
  const { stringify } = await import('yaml');
  const [always, once]: [string[], string[]] = [[], []];
  mapReferable(config, (text, field) => {
    const reference = referenceIn(text);
    if (reference && 'variable' in reference) {
      (hiddenFields.has(field) ? once : always).push(reference.variable);
    }
    return text;
  });
  return `# yaml-language-server: $schema=relay.schema.json
# Configuration of Bot Relay. Apply it with: ${publicCommandName} apply -f relay.yaml
${comment('Always needed by apply:', always)}${comment(
  'Needed only for new entries:',
  once,
)}${comment(
  'Clients set these webhooks with setWebhook. They are left out here, and apply keeps them:',
  selfSet.map(({ kind, name }) => `${kind} ${name}`),
)}
${stringify(config, { lineWidth: 0 })}`;
}

function comment(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  return [title, ...lines.map((line) => `  ${line}`)].map((line) => `# ${line}\n`).join('');
}

function write(context: CommandContext, options: ExportOptions, text: string): void {
  if (options.output === undefined) {
    context.output.line(text.replace(/\n$/, ''));
    return;
  }
  try {
    const flags = options.force ? 'w' : 'wx';
    const file = openSync(options.output, flags, options.withSecrets ? 0o600 : 0o644);
    try {
      // Set the mode explicitly, because an existing file keeps its own.
      if (options.withSecrets) fchmodSync(file, 0o600);
      writeFileSync(file, text);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      throw new RelayError('conflict', reason('file_exists', { path: options.output }));
    }
    if (code === 'ENOENT') {
      const directory = path.dirname(options.output);
      throw new RelayError('not_found', reason('no_directory', { directory }));
    }
    if (code === 'EISDIR') {
      throw new RelayError('conflict', reason('is_a_directory', { path: options.output }));
    }
    const cause = { path: options.output, cause: code };
    throw new RelayError('conflict', reason('file_not_writable', cause));
  }
  printResult(context.output, { file: options.output }, `Wrote ${options.output}.`);
}
