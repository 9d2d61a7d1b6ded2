import { ApiFailure } from '../api-error.ts';
import type { Upload } from '../world/messages/files.ts';
import { parseMultipart } from './multipart.ts';

export interface Fields {
  values: Record<string, unknown>;
  uploads: Map<string, Upload>;
}

const fromQuery = (query: string): Record<string, unknown> =>
  query ? Object.fromEntries(new URLSearchParams(query)) : {};

/** The limit of a call without its files: fields are held in memory. */
const maxParameterBytes = 1024 * 1024;

function checkLength(bytes: number): void {
  if (bytes <= maxParameterBytes) return;
  throw new ApiFailure(413, 'Request Entity Too Large: too much parameters');
}

/** Reads the parameters of a call from its query string and its body, in any encoding. */
export function readFields(query: string, contentType: string, body: Buffer): Fields {
  const values = fromQuery(query);
  const none = new Map<string, Upload>();
  if (body.length === 0) return { values, uploads: none };
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/json') {
    checkLength(body.length);
    return { values: { ...values, ...parseJson(body) }, uploads: none };
  }
  if (type === 'multipart/form-data') {
    const fields = parseMultipart(body, contentType);
    checkLength(fields.textBytes);
    return { values: { ...values, ...fields.values }, uploads: fields.uploads };
  }
  if (type === 'application/x-www-form-urlencoded') {
    checkLength(body.length);
    return { values: { ...values, ...fromQuery(body.toString('utf8')) }, uploads: none };
  }
  return { values, uploads: none };
}

/** Telegram ignores a JSON body that is not an object or cannot be parsed. */
function parseJson(body: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    const isObject = parsed !== null && typeof parsed === 'object' && !Array.isArray(parsed);
    return isObject ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
