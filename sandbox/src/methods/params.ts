import { badRequest } from '../api-error.ts';
import { isTooDeep } from '../nesting.ts';
import type { Upload } from '../world/messages/files.ts';

/** A call's parameters: from query, form or body, values are text or JSON. */
export interface Params {
  has(name: string): boolean;
  /** Unlike `has`, true for an empty text. */
  isGiven(name: string): boolean;
  /** Empty when absent. */
  text(name: string): string;
  required(name: string): string;
  integer(name: string, fallback?: number, min?: number, max?: number): number;
  decimal(name: string): number | undefined;
  flag(name: string): boolean;
  /** Undefined if missing or empty. */
  json(name: string, label?: string): unknown;
  /** Returns true if the value can be parsed as JSON. */
  isJson(name: string): boolean;
  upload(name: string): Upload | undefined;
}

export const asText = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value as string | number | boolean);

/** NaN for anything that is no number; an object may have a broken valueOf. */
export const asNumber = (value: unknown): number =>
  typeof value === 'object' ? Number.NaN : Number(value);

/** Undefined if the text is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function createParams(
  values: Readonly<Record<string, unknown>>,
  uploads: ReadonlyMap<string, Upload> = new Map(),
): Params {
  const text = (name: string): string => asText(values[name]);
  return {
    has: (name) => text(name) !== '',
    isGiven: (name) => values[name] !== undefined,
    text,
    required(name) {
      const value = text(name);
      if (value === '') throw badRequest(`parameter "${name}" is required`);
      return value;
    },
    integer(name, fallback = 0, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
      const digits = text(name)
        .trim()
        .match(/^[+-]?\d+/)?.[0];
      const value = digits === undefined ? fallback : Number(digits);
      return Math.min(max, Math.max(min, value));
    },
    decimal(name) {
      const value = Number.parseFloat(text(name));
      return Number.isFinite(value) ? value : undefined;
    },
    flag: (name) => ['true', 'yes', '1'].includes(text(name).trim().toLowerCase()),
    json(name, label = name.replaceAll('_', ' ')) {
      const value = values[name];
      if (value === undefined || value === null || value === '') return undefined;
      const parsed = typeof value === 'string' ? parseJson(value) : value;
      if (parsed !== undefined && !isTooDeep(parsed)) return parsed;
      throw badRequest(`can't parse ${label} JSON object`);
    },
    isJson(name) {
      const value = values[name];
      return typeof value !== 'string' || parseJson(value) !== undefined;
    },
    upload: (name) => uploads.get(name),
  };
}
