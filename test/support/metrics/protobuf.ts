/* Reads messages of Protocol Buffers without their declaration: fields by number. */

export interface ProtoField {
  /** A double, as bits of a fixed64, or a whole number; NaN for bytes. */
  number: number;
  bytes: Buffer;
}

export type ProtoMessage = ReadonlyMap<number, readonly ProtoField[]>;

export function readProto(bytes: Buffer): ProtoMessage {
  const fields = new Map<number, ProtoField[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const wireType = tag & 7;
    let field: ProtoField = { number: Number.NaN, bytes: Buffer.alloc(0) };
    if (wireType === 0) field = { ...field, number: varint() };
    else if (wireType === 1) {
      field = { number: bytes.readDoubleLE(at), bytes: bytes.subarray(at, at + 8) };
      at += 8;
    } else if (wireType === 2) {
      const length = varint();
      field = { ...field, bytes: bytes.subarray(at, at + length) };
      at += length;
    } else if (wireType === 5) {
      field = { number: bytes.readUInt32LE(at), bytes: bytes.subarray(at, at + 4) };
      at += 4;
    } else throw new Error(`wire type ${wireType} is not known here`);
    const id = Math.floor(tag / 8);
    fields.set(id, [...(fields.get(id) ?? []), field]);
  }
  return fields;
}

/** Follows fields that hold messages; all of them at each step. */
export function protoAt(message: ProtoMessage, ...path: number[]): ProtoMessage[] {
  const [id, ...rest] = path;
  if (id === undefined) return [message];
  return (message.get(id) ?? []).flatMap(({ bytes }) => protoAt(readProto(bytes), ...rest));
}

export function protoText(message: ProtoMessage, id: number): string {
  return message.get(id)?.[0]?.bytes.toString() ?? '';
}
