/*
 * What a section of a configuration file must provide. The entries of a section have one kind; only
 * bots also contain apps.
 */
import { type ConfigEntry, isSame } from './plan.ts';

/** An entry with what the file says of it. */
export interface GivenEntry<Kind extends string, Given> extends ConfigEntry<Kind> {
  given: Given;
}

export interface FileSection<Part, Entry extends ConfigEntry> {
  /** The entries in the order of the file, each with its defaults. */
  entries(part: Part): Entry[];
  /** Replaces the former chat IDs of groups that became supergroups with their current ones. */
  withChats(part: Part, idOf: (chatId: number) => number): Part;
  /** The form that is written to a file: without defaults, and with references instead of secrets. */
  written(part: Part, writer: Writer): unknown;
}

export interface Writer {
  /** Settings that differ from their defaults; the owner names the variables of their secrets. */
  settings(settings: object, defaults: object, ...owner: unknown[]): object;
  /** A reference to an environment variable. */
  variable(...words: unknown[]): string;
}

/**
 * Returns a function that adds a number to a repeated name: entries without a name are told apart
 * by their order.
 */
export function createNumbering(): (name: string) => string {
  const occurrences = new Map<string, number>();
  return (name) => {
    const count = (occurrences.get(name) ?? 0) + 1;
    occurrences.set(name, count);
    return count === 1 ? name : `${name} #${count}`;
  };
}

export const sortedIds = (ids: readonly number[]) => [...new Set(ids)].sort((a, b) => a - b);

/** Drops an entry that moved onto an entry which already has the new chat ID. */
export function movedOnce<T>(entries: readonly T[], move: (entry: T) => T): T[] {
  return entries.map(move).filter((entry, index, all) => {
    const isMoved = !isSame(entry, entries[index]);
    return (
      !isMoved ||
      !all.some((other, at) => at !== index && isSame(other, entries[at]) && isSame(other, entry))
    );
  });
}
