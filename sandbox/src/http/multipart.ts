import type { Upload } from '../world/messages/files.ts';
import { decoded } from './decoded.ts';

interface Parts {
  values: Record<string, unknown>;
  uploads: Map<string, Upload>;
  /** The length of all parts that are no files. */
  textBytes: number;
}

const crlf2 = Buffer.from('\r\n\r\n');

function headerParameter(header: string, name: string): string | undefined {
  const extended = header.match(
    new RegExp(`;\\s*${name}\\*=(?:utf-8|UTF-8)''([^;\\r\\n]+)`, 'u'),
  )?.[1];
  if (extended !== undefined) return decoded(extended);
  const match = header.match(
    new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\r\\n]+))`, 'iu'),
  );
  const value = match?.[1]?.replace(/\\(["\\])/gu, '$1') ?? match?.[2]?.trim();
  return value?.replaceAll('%22', '"');
}

/** Parses multipart/form-data: parts with a file name are uploads, the others are text. */
export function parseMultipart(body: Buffer, contentType: string): Parts {
  // Names come from outside, so the object has no prototype whose names could clash.
  const values = Object.create(null) as Parts['values'];
  const fields: Parts = { values, uploads: new Map<string, Upload>(), textBytes: 0 };
  const boundary = headerParameter(contentType, 'boundary');
  if (!boundary) return fields;
  const delimiter = Buffer.from(`--${boundary}`);
  let at = body.indexOf(delimiter);
  while (at >= 0) {
    const start = at + delimiter.length;
    // The closing delimiter is followed by two dashes.
    if (body[start] === 0x2d && body[start + 1] === 0x2d) break;
    const next = body.indexOf(delimiter, start);
    if (next < 0) break;
    readPart(body.subarray(start + 2, next - 2), fields);
    at = next;
  }
  return fields;
}

const headerNamed = (headers: string[], name: string): string =>
  headers.find((line) => line.toLowerCase().startsWith(`${name}:`))?.slice(name.length + 1) ?? '';

function readPart(part: Buffer, fields: Parts): void {
  const split = part.indexOf(crlf2);
  if (split < 0) return;
  const headers = part.toString('utf8', 0, split).split('\r\n');
  const content = part.subarray(split + 4);
  const disposition = headerNamed(headers, 'content-disposition');
  const name = headerParameter(disposition, 'name');
  if (name === undefined) return;
  const fileName = headerParameter(disposition, 'filename');
  if (fileName === undefined) {
    fields.values[name] = content.toString('utf8');
    fields.textBytes += content.length;
    return;
  }
  const mimeType = headerNamed(headers, 'content-type').split(';')[0]?.trim();
  fields.uploads.set(name, {
    // Copied, so that a small file does not keep the whole request in memory.
    bytes: Buffer.from(content),
    name: fileName,
    ...(mimeType && { mimeType }),
  });
}
