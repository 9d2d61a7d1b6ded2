import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';

/** A file among the parameters of a call. */
export interface FileParam {
  file: Readable | Buffer;
  name: string;
  /** application/octet-stream when left out. */
  type?: string;
}

export function isFileParam(value: unknown): value is FileParam {
  if (typeof value !== 'object' || value === null) return false;
  const { file, name } = value as { file?: unknown; name?: unknown };
  return typeof name === 'string' && (Buffer.isBuffer(file) || file instanceof Readable);
}

/** Encodes the parameters as multipart/form-data; files are read while the body is sent. */
export function multipartBody(params: Record<string, unknown>): {
  contentType: string;
  body: Readable;
} {
  const boundary = `relay-${randomUUID()}`;
  const files = Object.values(params).filter(isFileParam);
  const body = Readable.from(parts(params, boundary), { objectMode: false });
  // A call that ends early must not leave its files open.
  body.once('close', () => {
    for (const { file } of files) if (file instanceof Readable) file.destroy();
  });
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}

async function* parts(params: Record<string, unknown>, boundary: string) {
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) continue;
    const field = `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"`;
    if (!isFileParam(value)) {
      yield Buffer.from(`${field}\r\n\r\n${fieldText(value)}\r\n`);
      continue;
    }
    const type = (value.type ?? 'application/octet-stream').replaceAll(/[\r\n]/g, '');
    yield Buffer.from(
      `${field}; filename="${quoted(value.name)}"\r\ncontent-type: ${type}\r\n\r\n`,
    );
    if (Buffer.isBuffer(value.file)) yield value.file;
    else for await (const chunk of value.file) yield chunk as Buffer;
    yield Buffer.from('\r\n');
  }
  yield Buffer.from(`--${boundary}--\r\n`);
}

function fieldText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

// Escapes a name for this header as browsers do.
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
