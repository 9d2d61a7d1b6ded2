import { outage, type OutageKind } from '../outage.ts';

/** By SQLite's primary result codes: what the disk or the machine lacks, not what a statement did. */
const kinds = new Map<number, OutageKind>([
  [5, 'disk'], // busy
  [6, 'disk'], // locked
  [7, 'disk'], // no memory
  [8, 'disk'], // read-only
  [10, 'disk'], // I/O error
  [13, 'full'],
  [14, 'disk'], // cannot open
]);

/** The error as it is, unless it says that the database cannot be used at present. */
export function asOutage(error: unknown): unknown {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  if (code !== 'ERR_SQLITE_ERROR' || typeof errcode !== 'number') return error;
  const kind = kinds.get(errcode & 0xff);
  return kind ? outage(kind, error) : error;
}
