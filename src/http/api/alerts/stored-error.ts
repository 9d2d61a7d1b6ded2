import { unpackReason } from '../../../core/reasons/stored.ts';

/** Returns the fields of an answer for a stored reason. */
export function errorOf(stored: string) {
  const { text, detail } = unpackReason(stored);
  return { error: text, error_detail: detail };
}
