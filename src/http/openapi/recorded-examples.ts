import { readFileSync } from 'node:fs';
import { sourceFile } from '../../package-root.ts';

/** A recorded request and its response. Binary responses are left out. */
export interface RecordedCall {
  query?: Record<string, string | number | boolean>;
  headers?: Record<string, string>;
  body?: object;
  /** The fields of a form, without its file. */
  form?: Record<string, string | number>;
  response?: unknown;
}

/** Recorded calls by method and path, such as "GET /api/bots". `npm run docs` records them. */
export function recordedExamples(): Record<string, RecordedCall> {
  const file = sourceFile('http/openapi/recorded-examples.json');
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, RecordedCall>;
}
