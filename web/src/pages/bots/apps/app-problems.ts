import { ApiError } from '../../../api/client/error.ts';
import type { App } from '../../../api/apps.ts';
import type { Messages } from '../../../i18n/messages.ts';
import { reasonWords } from '../../../i18n/reasons.ts';
import { fieldProblem } from '../../../shared/error-words.ts';
import { isWithin } from './app-draft.ts';

const fields = ['name', 'backend_url', 'secret_token', 'filter', 'priority', 'methods', 'urgent'];

/** Says what is wrong with a field, by the first error that names it. */
export function appProblem(
  errors: readonly unknown[],
  field: string,
  t: Messages,
): string | undefined {
  for (const error of errors) {
    if (!(error instanceof ApiError)) continue;
    if (field === 'name' && error.code === 'app_exists') return t.errors.app_exists;
    const wrong = error.details.find((one) => isWithin(one.field, field))?.field;
    if (wrong !== undefined) return fieldProblem(error, wrong, t);
  }
  return undefined;
}

/** True if the form shows the whole error at its fields. */
export function isAtField(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.code === 'app_exists') return true;
  return (
    error.details.length > 0 &&
    error.details.every(({ field }) => fields.some((one) => isWithin(field, one)))
  );
}

export function warningWords({ warnings = [] }: Pick<App, 'warnings'>, t: Messages): string[] {
  return warnings.map(({ code, params, text }) => reasonWords(text, { code, params }, t.reasons));
}
