import { ApiError } from '../api/error.ts';
import type { Messages } from '../i18n/en.ts';

/** A failure in the reader's language where we know it, else in the service's own sentence. */
export function errorWords(error: unknown, t: Messages): string {
  if (!(error instanceof ApiError)) return t.common.brokenPageHint;
  if (error.code === 'platform_refused') {
    return t.errors.platform_refused(error.platform?.description ?? error.message);
  }
  const known = t.errors[error.code as keyof Messages['errors']];
  return typeof known === 'string' ? known : error.message;
}
