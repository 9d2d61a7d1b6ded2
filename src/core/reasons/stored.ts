/*
 * Stored reasons: the text column holds the reason as JSON, and '' for none. Rows of older versions
 * hold a sentence, which stays as it is.
 */
import { type Reason, type ReasonCode, reasonFrom, reasonText } from './reason.ts';

export interface ReadReason {
  text: string;
  /** Null if only the sentence is known. */
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
    // Older versions stored text of others as it was, and some of it looks like JSON with this
    // code.
    if (code === 'verbatim' && typeof params?.text !== 'string') return sentence;
    const detail = reasonFrom({ code, params, text: code });
    return { text: reasonText(detail), detail };
  } catch {
    return sentence;
  }
}

/** Adds the sentence to a reason; '' for none. */
export function readReason(detail: Reason | null): ReadReason {
  return { text: detail === null ? '' : reasonText(detail), detail };
}

/** The SQL `like` pattern for a column that holds a reason with this code. */
export const storedAs = (code: ReasonCode) => `${begin}${code}",%`;
