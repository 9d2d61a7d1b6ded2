/* Computes what a configuration file changes by comparing entries, without any I/O. */

/** One thing that a file describes. Its name identifies it on any service. */
export interface ConfigEntry<Kind extends string = string> {
  kind: Kind;
  name: string;
  /** A field that is undefined in a wanted entry keeps its value. */
  fields: Readonly<Record<string, unknown>>;
}

export interface PlannedChange<Kind extends string = string> {
  change: 'add' | 'update' | 'delete';
  kind: Kind;
  name: string;
  /** Names of the fields that an update changes. */
  fields: string[];
}

/** Changes in the order of the file, then the deletions. */
export function planChanges<Entry extends ConfigEntry>(
  current: readonly Entry[],
  wanted: readonly Entry[],
  isPruned: (entry: Entry) => boolean,
): PlannedChange<Entry['kind']>[] {
  const before = new Map(current.map((entry) => [entryKey(entry), entry]));
  const kept = new Set(wanted.map(entryKey));
  const changes = wanted.flatMap((entry): PlannedChange<Entry['kind']>[] => {
    const { kind, name } = entry;
    const known = before.get(entryKey(entry));
    if (!known) return [{ change: 'add', kind, name, fields: [] }];
    const fields = Object.keys(entry.fields).filter(
      (field) =>
        entry.fields[field] !== undefined && !isSame(entry.fields[field], known.fields[field]),
    );
    return fields.length > 0 ? [{ change: 'update', kind, name, fields }] : [];
  });
  const removed = current.filter((entry) => !kept.has(entryKey(entry)) && isPruned(entry));
  return [
    ...changes,
    ...removed.map(({ kind, name }) => ({ change: 'delete' as const, kind, name, fields: [] })),
  ];
}

export function entryKey({ kind, name }: Pick<ConfigEntry, 'kind' | 'name'>): string {
  return `${kind} ${name}`;
}

export function isSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

/** The order of fields does not matter; the order of lists does. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
