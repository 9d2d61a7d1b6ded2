import { styleText } from 'node:util';
import { asTyped } from './as-typed.ts';

/** The destination and format of a command's output. */
export interface Output {
  json: boolean;
  colours: boolean;
  /** True if the output is a terminal. */
  watched: boolean;
  /** The text to type for another command about the same service. */
  command: string;
  line(text: string): void;
  note(text: string): void;
}

export interface Column<T> {
  title: string;
  value(row: T): string;
}

/** Prints the rows as JSON with --json, otherwise as an aligned table. */
export function printRows<T>(
  output: Output,
  rows: readonly T[],
  columns: readonly Column<T>[],
  whenEmpty: string,
): void {
  if (output.json) {
    printJson(output, rows);
    return;
  }
  if (rows.length === 0) {
    output.line(asTyped(whenEmpty, output.command));
    return;
  }
  const cells = rows.map((row) => columns.map((column) => oneLine(column.value(row))));
  const widths = columns.map((column, index) =>
    Math.max(column.title.length, ...cells.map((line) => line[index]?.length ?? 0)),
  );
  const align = (line: readonly string[]) =>
    line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  output.line(paint(output, 'bold', align(columns.map((column) => column.title))));
  for (const line of cells) output.line(align(line));
}

/** Prints the whole response with --json, otherwise a sentence. */
export function printResult(output: Output, result: unknown, sentence: string): void {
  if (output.json) printJson(output, result);
  else output.line(sentence);
}

function printJson(output: Output, value: unknown): void {
  output.line(JSON.stringify(value, null, 2));
}

export function paint(
  output: Pick<Output, 'colours'>,
  style: 'bold' | 'green' | 'yellow' | 'red' | 'dim',
  text: string,
): string {
  return output.colours ? styleText(style, text, { validateStream: false }) : text;
}

/** Replaces control characters: names are user input and must not control the terminal. */
function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}

/** Formats a time as local time; --json has the exact time. */
export function formatTime(value: unknown, withSeconds = false): string {
  if (typeof value !== 'string' || value === '') return '';
  const at = new Date(value);
  const [month, day, hours, minutes, seconds] = [
    at.getMonth() + 1,
    at.getDate(),
    at.getHours(),
    at.getMinutes(),
    at.getSeconds(),
  ].map((part) => String(part).padStart(2, '0'));
  const time = `${at.getFullYear()}-${month}-${day} ${hours}:${minutes}`;
  return withSeconds ? `${time}:${seconds}` : time;
}
