import { outage, type OutageKind } from '../outage.ts';

/** SQLite's primary result codes for faults of the disk or the machine, not of a statement. */
const kinds = new Map<number, OutageKind>([
  [5, 'disk'], // busy
  [6, 'disk'], // locked
  [7, 'disk'], // no memory
  [8, 'disk'], // read-only
  [10, 'disk'], // I/O error
  [13, 'full'],
  [14, 'disk'], // cannot open
]);

/** Returns the error itself, unless it means that the database cannot be used at present. */
export function asOutage(error: unknown): unknown {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  if (code !== 'ERR_SQLITE_ERROR' || typeof errcode !== 'number') return error;
  const kind = kinds.get(errcode & 0xff);
  return kind ? outage(kind, error) : error;
}
