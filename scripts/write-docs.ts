// `npm run docs`: writes the parts of the documents that come from the code. A test compares.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Argument, Command, Option } from 'commander';
import { Type } from 'typebox';
import { drawBars } from '../bench/report/bars.ts';
import { drawChart } from '../bench/report/chart.ts';
import { readResults } from '../bench/report/files.ts';
import { headlineCharts, showHeadline } from '../bench/report/headline.ts';
import { showPerformance } from '../bench/report/show.ts';
import { scaleCharts } from '../bench/scale/result.ts';
import { createProgram } from '../src/cli.ts';
import { processSurroundings } from '../src/cli/environment.ts';
import { roles } from '../src/core/access/access.ts';
import { areaOfGroup, areas, roleRights } from '../src/core/access/rights.ts';
import { alertKindNames, kindOf } from '../src/core/alerts/alerts.ts';
import { asJsonSchema } from '../src/http/schemas.ts';
import { type Report, showReport, showSummary } from '../test/faults/report.ts';
import { controlActions } from '../sandbox/src/index.ts';
import { type Setting, settingIds, settings, yamlKey } from '../src/config/settings.ts';

const begin = '<!-- written by npm run docs -->';
const end = '<!-- end -->';

/** Returns the documents with current generated parts. */
export function generatedDocuments(): Map<string, string> {
  return new Map([
    ['docs/configuration.md', settingsTable()],
    ['docs/cli.md', commandReference()],
    ['docs/monitor.md', alertTable()],
    ['docs/secure.md', rightsTable()],
    ['docs/reliability.md', `${showSummary(faultReport())}\n`],
    ['test/faults/results/baseline.md', `${showReport(faultReport())}\n`],
    ['bench/results/results.md', showPerformance(readResults())],
    ['docs/performance.md', `${showHeadline(readResults().headline ?? {})}\n`],
  ]);
}

function rightsTable(): string {
  const shown = roles.filter((role) => role !== 'user');
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rows = areas.map((area) => {
    const groups = Object.entries(areaOfGroup).filter(([, of]) => of === area);
    const scopes = shown.map((role) => roleRights[role][area]);
    return row([
      `\`${area}\`: ${groups.map(([group]) => group).join(', ')}`,
      ...scopes.map((scope) => (scope === 'none' ? '' : `\`${scope}\``)),
    ]);
  });
  const titles = ['Area', ...shown.map((role) => `\`${role}\``)];
  return `${[row(titles), row(titles.map(() => '---')), ...rows].join('\n')}\n`;
}

function faultReport(): Report {
  const file = new URL('../test/faults/results/baseline.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Report;
}

/** Returns the charts of docs/performance.md and of the results, by file name. */
export function generatedCharts(): Map<string, string> {
  const { headline, scale } = readResults();
  const bars = headline ? [...headlineCharts(headline)] : [];
  const lines = scale ? [...scaleCharts(scale)] : [];
  return new Map([
    ...bars.map(([name, chart]) => [`docs/charts/${name}.svg`, drawBars(chart)] as const),
    ...lines.map(([name, chart]) => [`docs/charts/${name}.svg`, drawChart(chart)] as const),
  ]);
}

export function writeDocuments(): void {
  const fileOf = (name: string) => new URL(`../${name}`, import.meta.url);
  for (const [name, part] of generatedDocuments()) {
    writeFileSync(fileOf(name), withGenerated(readFileSync(fileOf(name), 'utf8'), part));
  }
  const reference = fileOf('docs/sandbox-reference.md');
  writeFileSync(reference, withActions(readFileSync(reference, 'utf8')));
  mkdirSync(fileOf('docs/charts'), { recursive: true });
  for (const [name, drawn] of generatedCharts()) writeFileSync(fileOf(name), drawn);
}

export function withGenerated(document: string, part: string): string {
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error(`the marks "${begin}" and "${end}" are missing`);
  return `${document.slice(0, from + begin.length)}\n\n${part}\n${document.slice(to)}`;
}

/**
 * Adds a row for each action of the sandbox that has none, after the action declared before it.
 * Rows are improved by hand.
 */
export function withActions(document: string): string {
  let previous = '';
  for (const [name, { summary, fields, reads }] of Object.entries(controlActions)) {
    if (!document.includes(`\n| \`${name}\` |`)) {
      const { properties, required = [] } = asJsonSchema(Type.Object(fields));
      const values = required.map((field) => {
        const { anyOf, examples = [] } = properties?.[field] ?? {};
        // The people and chats in an example depend on the other rows.
        const example = anyOf ? '…' : (examples[0] ?? '…');
        return `"${field}": ${JSON.stringify(example)}`;
      });
      const cells = [
        `\`${name}\``,
        (reads ? '*GET*: ' : '') + summary,
        `\`{${values.join(', ')}}\``,
      ];
      const before = new RegExp(`^\\| \`${previous}\` \\|.*$`, 'm');
      document = document.replace(before, (row) => `${row}\n| ${cells.join(' | ')} |`);
    }
    previous = name;
  }
  return document;
}

function settingsTable(): string {
  const lines = [
    '| Setting | Flag | In the file | Default | Meaning | Example |',
    '|---|---|---|---|---|---|',
  ];
  for (const id of settingIds) {
    const setting = settings[id] as Setting<unknown>;
    const file = setting.secret && setting.name !== 'DATABASE_URL';
    const cells = [
      `\`${setting.name}\``,
      `\`${setting.flag}${file ? '-file' : ''}\``,
      `\`${yamlKey(setting)}\``,
      setting.byDefault === '' ? 'unset' : `\`${setting.byDefault}\``,
      setting.meaning,
      `\`${setting.name}=${setting.example}\``,
    ];
    lines.push(`| ${cells.join(' | ')} |`);
  }
  return `${lines.join('\n')}\n`;
}

function alertTable(): string {
  const rows = alertKindNames.map((kind) => {
    const { helps, severity, when } = kindOf(kind);
    return `| \`${kind}\` | ${severity} | ${when} | ${helps} |`;
  });
  return ['| Kind | Severity | When | What helps |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function commandReference(): string {
  return leavesOf(createProgram(processSurroundings(), () => {}))
    .map(({ path, command }) => {
      const own = [
        ...command.registeredArguments.map((argument) =>
          row(argument.required ? `<${argument.name()}>` : `[${argument.name()}]`, argument),
        ),
        ...command.options.map((option) => row(option.flags, option)),
      ];
      return [
        `## ${path}`,
        '',
        sentence(command.description()),
        '',
        `    ${path} ${command.usage()}`.trimEnd(),
        ...(own.length > 0 ? ['', '| Argument or option | Meaning |', '|---|---|', ...own] : []),
        '',
      ].join('\n');
    })
    .join('\n');
}

function leavesOf(command: Command, parent = ''): { path: string; command: Command }[] {
  const path = `${parent} ${command.name()}`.trim();
  if (command.commands.length === 0) return [{ path, command }];
  return command.commands.flatMap((child) => leavesOf(child, path));
}

/** Escapes bars, because they would end the cell, also within backticks. */
function row(given: string, part: Argument | Option): string {
  const { argChoices = [], defaultValue } = part;
  const bounds = [
    argChoices.join(', '),
    defaultValue === undefined ? '' : `default \`${defaultValue}\``,
  ].filter((words) => words !== '');
  const meaning = `${part.description}${bounds.length > 0 ? ` (${bounds.join('; ')})` : ''}`;
  return `| \`${given.replaceAll('|', '\\|')}\` | ${meaning.replaceAll('|', '\\|')} |`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeDocuments();
}
