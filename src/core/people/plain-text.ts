/*
 * Rules for names that people choose. A name with a line break forges lines of logs and tables; one
 * with a text direction override shows other words than it holds.
 */
import { type Reason, reason } from '../reasons/reason.ts';

const directions = '\\u202A-\\u202E\\u2066-\\u2069';
const notInLines = `\\u0000-\\u001F\\u007F-\\u009F\\u2028\\u2029${directions}`;
const notInTexts = `\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F${directions}`;

/** Names and labels have to match it. */
export const linePattern = `^[^${notInLines}]*$`;
/** Descriptions have to match it; they may have several lines. */
export const textPattern = `^[^${notInTexts}]*$`;

/** The problem of a value that does not match one of these patterns. */
export const patternProblems: ReadonlyMap<string, Reason> = new Map([
  [linePattern, reason('not_one_line')],
  [textPattern, reason('control_characters')],
]);

const unwanted = new RegExp(`[${notInLines}]+`, 'gu');

/** Removes the characters that names may not contain from a name that somebody else chose. */
export function toLine(text: string): string {
  return text.replace(unwanted, ' ').trim();
}

/** Returns a name from Telegram in a form that both engines can store; '' if it is no text. */
export function nameText(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : '';
}
