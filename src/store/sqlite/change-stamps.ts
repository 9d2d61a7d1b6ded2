import type { TableName } from '../schema/tables.ts';

/** Counts the commits that may have touched a table. All writes pass this one process. */
export interface ChangeStamps {
  /** A statement is run within the open transaction. */
  note(sql: string): void;
  /** The transaction is on disk. */
  committed(): void;
  of(table: TableName): number;
}

interface Stamp {
  count: number;
  /** Touched by the open transaction. */
  isPending: boolean;
}

const writes = /\b(insert(?: or \w+)? into|replace into|update|delete from)\s+"?(\w+)"?/i;
const readsOnly = /^\s*(?:select|explain|pragma)\b/i;
const everyTable = '*';
/** Deleting from these takes rows of other tables along. */
const cascading = new Set(['bots', 'users']);
const rememberedTexts = 1_000;

export function createChangeStamps(): ChangeStamps {
  const byTable = new Map<string, Stamp>();
  const bySql = new Map<string, Stamp | undefined>();
  const pending: Stamp[] = [];

  function stampOf(table: string): Stamp {
    const known = byTable.get(table) ?? { count: 0, isPending: false };
    byTable.set(table, known);
    return known;
  }

  function stampWrittenBy(sql: string): Stamp | undefined {
    if (bySql.has(sql)) return bySql.get(sql);
    if (bySql.size >= rememberedTexts) bySql.clear();
    const table = tableWrittenBy(sql);
    const stamp = table === '' ? undefined : stampOf(table);
    bySql.set(sql, stamp);
    return stamp;
  }

  return {
    note(sql) {
      const stamp = stampWrittenBy(sql);
      if (!stamp || stamp.isPending) return;
      stamp.isPending = true;
      pending.push(stamp);
    },
    committed() {
      for (let stamp = pending.pop(); stamp; stamp = pending.pop()) {
        stamp.count++;
        stamp.isPending = false;
      }
    },
    of: (table) => (byTable.get(table)?.count ?? 0) + (byTable.get(everyTable)?.count ?? 0),
  };
}

/** '' for a read; '*' where it cannot be told, or where others are touched with it. */
function tableWrittenBy(sql: string): string {
  if (readsOnly.test(sql)) return '';
  const [, verb = '', table = everyTable] = writes.exec(sql.replaceAll(/\s+/g, ' ')) ?? [];
  return verb.toLowerCase() === 'delete from' && cascading.has(table) ? everyTable : table;
}
