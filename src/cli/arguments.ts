import { InvalidArgumentError } from 'commander';
import { parseSeed } from '../../sandbox/src/start-options.ts';

export function idArgument(text: string): number {
  const id = Number(text);
  if (!/^\d+$/.test(text) || id < 1 || !Number.isSafeInteger(id)) {
    throw new InvalidArgumentError('it must be a whole number of at least 1.');
  }
  return id;
}

export function chatArgument(text: string): number {
  const id = Number(text);
  if (!/^-?\d+$/.test(text) || id === 0 || !Number.isSafeInteger(id)) {
    throw new InvalidArgumentError('it must be a chat ID; group IDs are negative.');
  }
  return id;
}

export function idListArgument(text: string): number[] {
  try {
    return text.split(',').map((part) => idArgument(part.trim()));
  } catch {
    throw new InvalidArgumentError('it must be IDs separated by commas, such as 1,4.');
  }
}

/** An empty text is an empty list: no chats. */
export function chatListArgument(text: string): number[] {
  try {
    return listArgument(text).map(chatArgument);
  } catch {
    throw new InvalidArgumentError('it must be chat IDs separated by commas, such as -1001,42.');
  }
}

export function integerArgument(text: string): number {
  const number = Number(text);
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('it must be a whole number.');
}

/** Parses a list separated by commas; an empty text is an empty list. */
export function listArgument(text: string): string[] {
  return text === '' ? [] : text.split(',').map((part) => part.trim());
}

export function onOffArgument(text: string): boolean {
  if (text === 'on') return true;
  if (text === 'off') return false;
  throw new InvalidArgumentError('it must be on or off.');
}

/** Parses 30d, 12h or a date into the form of the API's `expires_at`. */
export function expiryArgument(text: string): string {
  const match = /^(\d{1,5})([hd])$/.exec(text);
  const at = match
    ? new Date(Date.now() + Number(match[1]) * (match[2] === 'h' ? 3_600_000 : 86_400_000))
    : new Date(text);
  if (Number.isNaN(at.getTime())) {
    throw new InvalidArgumentError('use a form like 30d, 12h or 2030-01-31.');
  }
  if (at.getTime() <= Date.now()) throw new InvalidArgumentError('it must be in the future.');
  return at.toISOString();
}

/** Makes a Commander parser from a function that throws an error with a reason. */
export function argumentBy<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };
}

export const seedArgument = argumentBy(parseSeed);

export function positionArgument(text: string): number {
  const position = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(position)) {
    throw new InvalidArgumentError('it must be a whole number of at least 0.');
  }
  return position;
}

/** Parses 30m, 2h, 1d from now or a date into Unix seconds. */
export function laterArgument(text: string): number {
  const match = /^(\d{1,5})([mhd])$/.exec(text);
  const seconds = { m: 60, h: 3_600, d: 86_400 }[match?.[2] ?? ''] ?? 0;
  const at = match ? Date.now() + Number(match[1]) * seconds * 1_000 : new Date(text).getTime();
  if (Number.isNaN(at)) {
    throw new InvalidArgumentError('use a form like 30m, 2h, 1d or 2030-01-31T09:00.');
  }
  if (at <= Date.now()) throw new InvalidArgumentError('it must be in the future.');
  return Math.floor(at / 1_000);
}

/** Parses 30m, 2h, 1d ago or a date into Unix seconds. */
export function momentArgument(text: string): number {
  const match = /^(\d{1,5})([mhd])$/.exec(text);
  const seconds = { m: 60, h: 3_600, d: 86_400 }[match?.[2] ?? ''] ?? 0;
  const at = match ? Date.now() - Number(match[1]) * seconds * 1_000 : new Date(text).getTime();
  if (Number.isNaN(at) || at < 0) {
    throw new InvalidArgumentError('use a form like 30m, 2h, 1d or 2026-01-31.');
  }
  if (at > Date.now()) throw new InvalidArgumentError('it is in the future.');
  return Math.floor(at / 1_000);
}
