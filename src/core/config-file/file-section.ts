/* What each section of a configuration file says of itself. Its entries have one kind; bots also contain apps. */
import { type ConfigEntry, isSame } from './plan.ts';

/** An entry with what the file says of it. */
export interface GivenEntry<Kind extends string, Given> extends ConfigEntry<Kind> {
  given: Given;
}

export interface FileSection<Part, Entry extends ConfigEntry> {
  /** In the order of the file, each with its defaults. */
  entries(part: Part): Entry[];
  /** With the chat IDs of today in place of those that groups had before they became supergroups. */
  withChats(part: Part, idOf: (chatId: number) => number): Part;
  /** As it is written down: without defaults, and with references in place of secrets. */
  written(part: Part, writer: Writer): unknown;
}

export interface Writer {
  /** Settings that differ from their defaults; the owner names the variables of their secrets. */
  settings(settings: object, defaults: object, ...owner: unknown[]): object;
  /** A reference to an environment variable. */
  variable(...words: unknown[]): string;
}

/** Adds a number to a name that came before: entries without a name are told apart by their order. */
export function createNumbering(): (name: string) => string {
  const occurrences = new Map<string, number>();
  return (name) => {
    const count = (occurrences.get(name) ?? 0) + 1;
    occurrences.set(name, count);
    return count === 1 ? name : `${name} #${count}`;
  };
}

export const sortedIds = (ids: readonly number[]) => [...new Set(ids)].sort((a, b) => a - b);

/** An entry that is there under the new chat ID, too, is not meant twice. */
export function movedOnce<T>(entries: readonly T[], move: (entry: T) => T): T[] {
  return entries.map(move).filter((entry, index, all) => {
    const isMoved = !isSame(entry, entries[index]);
    return (
      !isMoved ||
      !all.some((other, at) => at !== index && isSame(other, entries[at]) && isSame(other, entry))
    );
  });
}
