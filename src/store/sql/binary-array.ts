/*
 * Encodes one-dimensional arrays in PostgreSQL's binary format. As text, every quote and backslash
 * of every element would be escaped here and unescaped by the server, which for the JSON of updates
 * costs more than all the rest of storing them.
 */

export type ColumnType = 'bigint' | 'text' | 'integer';

const oids: Record<ColumnType, number> = { bigint: 20, integer: 23, text: 25 };
const headBytes = 20;
const lengthBytes = 4;
const twoTo32 = 2 ** 32;

export function binaryArray(type: ColumnType, values: readonly unknown[]): Buffer {
  return type === 'text' ? textArray(values as Texts) : numberArray(type, values as Numbers);
}

/** Encodes one array for each of these columns of the rows. */
export function binaryArrays<Column extends string>(
  columns: Readonly<Record<Column, ColumnType>>,
  rows: readonly Readonly<Record<NoInfer<Column>, unknown>>[],
): Buffer[] {
  return (Object.keys(columns) as Column[]).map((name) =>
    binaryArray(
      columns[name],
      rows.map((row) => row[name]),
    ),
  );
}

type Texts = readonly (string | null | undefined)[];
type Numbers = readonly (number | boolean | null | undefined)[];

function textArray(values: Texts): Buffer {
  let bytes = headBytes;
  const lengths = values.map((value) => {
    const length = value === null || value === undefined ? 0 : Buffer.byteLength(value);
    bytes += lengthBytes + length;
    return length;
  });
  const buffer = Buffer.allocUnsafe(bytes);
  let at = headBytes;
  let hasNull = false;
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    const length = lengths[index] as number;
    buffer.writeInt32BE(value === null || value === undefined ? -1 : length, at);
    at += lengthBytes;
    if (value === null || value === undefined) hasNull = true;
    else buffer.write(value, at, length);
    at += length;
  }
  return withHead(buffer, 'text', values.length, hasNull);
}

function numberArray(type: 'bigint' | 'integer', values: Numbers): Buffer {
  const size = type === 'bigint' ? 8 : 4;
  const buffer = Buffer.allocUnsafe(headBytes + values.length * (lengthBytes + size));
  let at = headBytes;
  let hasNull = false;
  for (const value of values) {
    if (value === null || value === undefined) {
      buffer.writeInt32BE(-1, at);
      hasNull = true;
      at += lengthBytes;
      continue;
    }
    const number = Number(value);
    if (!Number.isInteger(number)) throw new RangeError(`not a whole number: ${number}`);
    buffer.writeInt32BE(size, at);
    at += lengthBytes;
    if (type === 'bigint') {
      // The number is written in two halves, as a BigInt for each number costs more.
      buffer.writeInt32BE(Math.floor(number / twoTo32), at);
      buffer.writeUInt32BE(number >>> 0, at + 4);
    } else buffer.writeInt32BE(number, at);
    at += size;
  }
  return withHead(buffer.subarray(0, at), type, values.length, hasNull);
}

/** The array has one dimension that begins at 1; an empty array has none. */
function withHead(buffer: Buffer, type: ColumnType, count: number, hasNull: boolean): Buffer {
  if (count === 0) return Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, oids[type]]);
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(hasNull ? 1 : 0, 4);
  buffer.writeInt32BE(oids[type], 8);
  buffer.writeInt32BE(count, 12);
  buffer.writeInt32BE(1, 16);
  return buffer;
}
