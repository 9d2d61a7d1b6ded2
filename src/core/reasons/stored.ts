/*
 * Where a reason outlives its moment, its text column holds it as JSON, and '' for none. Rows of
 * older versions hold a sentence, which stays as it is.
 */
import { type Reason, type ReasonCode, reasonFrom, reasonText } from './reason.ts';

export interface ReadReason {
  text: string;
  /** Null where only the sentence is known. */
  detail: Reason | null;
}

const begin = '{"code":"';

export function packReason(reason: Reason | null): string {
  return reason === null ? '' : JSON.stringify({ code: reason.code, params: reason.params });
}

export function unpackReason(stored: string): ReadReason {
  const sentence = { text: stored, detail: null };
  if (!stored.startsWith(begin)) return sentence;
  try {
    const { code, params } = JSON.parse(stored) as { code: string; params?: { text?: unknown } };
    // An older version stored words of others as they were, and some look like this.
    if (code === 'verbatim' && typeof params?.text !== 'string') return sentence;
    const detail = reasonFrom({ code, params, text: code });
    return { text: reasonText(detail), detail };
  } catch {
    return sentence;
  }
}

/** Told with its sentence; '' for none. */
export function readReason(detail: Reason | null): ReadReason {
  return { text: detail === null ? '' : reasonText(detail), detail };
}

/** What a column is like (in SQL) that holds a reason with this code. */
export const storedAs = (code: ReasonCode) => `${begin}${code}",%`;
