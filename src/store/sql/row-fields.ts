/* Columns have names with underscores; the fields of records have none. */

type ColumnOf<Field extends string> = Field extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnOf<Rest>}`
  : '';

/** The row that holds a record. */
export type RowOf<Stored> = {
  [Field in keyof Stored & string as ColumnOf<Field>]: Stored[Field];
};

const fields = new Map<string, string>();

function fieldOf(column: string): string {
  let field = fields.get(column);
  if (field === undefined) {
    field = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    fields.set(column, field);
  }
  return field;
}

/** Returns the record that a row holds. */
export function fieldsOf<Stored>(row: RowOf<Stored>): Stored {
  const named = Object.entries(row).map(([column, value]) => [fieldOf(column), value]);
  return Object.fromEntries(named) as Stored;
}
