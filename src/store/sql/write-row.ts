import { raw, type Step } from '../engine.ts';

/** Inserts a row; columns that are undefined get their default. `tail` follows the values. */
export function insertInto<Row>(table: string, row: object, tail = ''): Step<Row[]> {
  const [names, values] = columnsOf(row);
  const marks = values.map((_, index) => `$${index + 1}`);
  return raw<Row>(
    `insert into ${table} (${names.join(', ')}) values (${marks.join(', ')}) ${tail}`,
    values,
  );
}

/** Changes the columns that are not undefined, and returns the row, or some columns of it; undefined if there is none. */
export function* updateRow<Row>(
  table: string,
  id: number,
  row: object,
  returned = '*',
): Step<Row | undefined> {
  const [names, values] = columnsOf(row);
  const set = names.map((name, index) => `${name} = $${index + 2}`);
  const [updated] = yield* raw<Row>(
    `update ${table} set ${set.join(', ')} where id = $1 returning ${returned}`,
    [id, ...values],
  );
  return updated;
}

/** In the order of their names, so that one set of columns has one statement. */
function columnsOf(row: object): [names: string[], values: unknown[]] {
  const columns = Object.entries(row)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return [columns.map(([name]) => name), columns.map(([, value]) => value)];
}
