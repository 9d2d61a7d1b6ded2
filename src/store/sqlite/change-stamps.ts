import type { TableName } from '../tables.ts';

/** Counts the commits that may have touched a table. All writes pass this one process. */
export interface ChangeStamps {
  /** A statement is run within the open transaction. */
  note(sql: string): void;
  /** The transaction is on disk. */
  committed(): void;
  of(table: TableName): number;
}

const writes = /\b(insert(?: or \w+)? into|replace into|update|delete from)\s+"?(\w+)"?/i;
const readsOnly = /^\s*(?:select|explain|pragma)\b/i;
const everyTable = '*';
/** Deleting from these takes rows of other tables along. */
const cascading = new Set(['bots', 'users']);
const rememberedTexts = 1_000;

export function createChangeStamps(): ChangeStamps {
  const tables = new Map<string, string>();
  const counts = new Map<string, number>();
  const pending = new Set<string>();

  function tableOf(sql: string): string {
    let table = tables.get(sql);
    if (table === undefined) {
      if (tables.size >= rememberedTexts) tables.clear();
      table = tableWrittenBy(sql);
      tables.set(sql, table);
    }
    return table;
  }

  return {
    note(sql) {
      const table = tableOf(sql);
      if (table !== '') pending.add(table);
    },
    committed() {
      for (const table of pending) counts.set(table, (counts.get(table) ?? 0) + 1);
      pending.clear();
    },
    of: (table) => (counts.get(table) ?? 0) + (counts.get(everyTable) ?? 0),
  };
}

/** '' for a read; '*' where it cannot be told, or where others are touched with it. */
function tableWrittenBy(sql: string): string {
  if (readsOnly.test(sql)) return '';
  const [, verb = '', table = everyTable] = writes.exec(sql.replaceAll(/\s+/g, ' ')) ?? [];
  return verb.toLowerCase() === 'delete from' && cascading.has(table) ? everyTable : table;
}
