import { readFileSync } from 'node:fs';

/** A recorded request and its answer. Binary answers are left out. */
export interface RecordedCall {
  query?: Record<string, string | number | boolean>;
  headers?: Record<string, string>;
  body?: object;
  /** The fields of a form, without its file. */
  form?: Record<string, string | number>;
  response?: unknown;
}

/** By method and path, such as "GET /api/bots". `npm run docs` records them. */
export function recordedExamples(): Record<string, RecordedCall> {
  const file = new URL('recorded-examples.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, RecordedCall>;
}
