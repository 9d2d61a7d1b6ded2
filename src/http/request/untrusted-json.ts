import { type Reason, reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { Problem } from './validation.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
const deepest = 64;
const largestInteger = 2 ** 52;

/** Parses bytes; throws an error that says what is wrong with them. */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch (error) {
    throw new RelayError('malformed_json', reason('body_not_utf8'), {
      cause: error,
    });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new RelayError(
      'malformed_json',
      reason('body_malformed', { position: positionIn((error as Error).message) }),
      { cause: error },
    );
  }
}

/** V8 quotes part of the text in its message, which may be a secret: only the position is used. */
function positionIn(message: string): number | null {
  const position = /at position (\d+)/.exec(message)?.[1];
  return position === undefined ? null : Number(position);
}

/** Finds content that no field may contain, before the schema is checked. */
export function findHostile(value: unknown, field: string, problems: Problem[], depth = 0): void {
  if (typeof value === 'string') {
    const problem = hostileText(value);
    if (problem) problems.push({ field: field || 'body', problem });
  } else if (typeof value === 'number') {
    if (Math.abs(value) > largestInteger && Number.isInteger(value)) {
      problems.push({ field: field || 'body', problem: reason('number_too_far') });
    }
  } else if (value !== null && typeof value === 'object') {
    if (depth >= deepest) {
      problems.push({ field: field || 'body', problem: reason('too_deep', { most: deepest }) });
      return;
    }
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        findHostile(item, `${field}[${index}]`, problems, depth + 1);
        if (problems.length > 100) return;
      }
      return;
    }
    // A parsed object has only own properties; Object.entries would cost more.
    for (const name in value) {
      const part = (value as Record<string, unknown>)[name];
      const problem = hostileText(name);
      if (problem) problems.push({ field: JSON.stringify(name), problem });
      else if (isPolluting(name, part)) {
        problems.push({ field: joinPath(field, name), problem: reason('forbidden_name') });
      } else if (!isPlain(part)) findHostile(part, joinPath(field, name), problems, depth + 1);
      if (problems.length > 100) return;
    }
  }
}

const joinPath = (field: string, name: string) => (field ? `${field}.${name}` : name);

/** True for values without anything to check. */
function isPlain(value: unknown): boolean {
  if (value === null || typeof value === 'boolean') return true;
  return typeof value === 'number' && Math.abs(value) <= largestInteger;
}

export function hostileText(text: string): Reason | undefined {
  if (text.includes('\0')) return reason('nul_characters');
  if (!text.isWellFormed()) return reason('half_a_character');
  return undefined;
}

function isPolluting(name: string, value: unknown): boolean {
  if (name === '__proto__') return true;
  return (
    name === 'constructor' &&
    value !== null &&
    typeof value === 'object' &&
    Object.hasOwn(value, 'prototype')
  );
}
