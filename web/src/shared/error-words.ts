import type { RefusalCode } from '../../../src/core/reasons/platform.ts';
import type { AnyReason } from '../../../src/core/reasons/shape.ts';
import { ApiError, reasonInDetail } from '../api/client/error.ts';
import type { Messages } from '../i18n/messages.ts';
import { reasonWords } from '../i18n/reasons.ts';

/** Codes whose sentence says more than the code. */
const telling = new Set([
  'invalid_request',
  'invalid_credentials',
  'conflict',
  'idempotency_mismatch',
  'token_refused',
  'token_taken',
  'bot_exists',
  'payload_too_large',
  'unsupported_media_type',
  'database_unavailable',
  'platform_unreachable',
]);

/** Returns the code of a frequent error of Telegram; undefined for others. */
function refusalIn(reason: AnyReason | null | undefined): RefusalCode | undefined {
  const { refusal } = (reason?.params ?? {}) as { refusal?: RefusalCode | '' | AnyReason };
  return typeof refusal === 'object' ? refusalIn(refusal) : refusal || undefined;
}

/** Describes an error in the user's language, with what to do. */
export function errorWords(error: unknown, t: Messages): string {
  if (!(error instanceof ApiError)) return t.common.brokenPageHint;
  if (error.code === 'platform_refused') {
    const description = error.platform?.description ?? error.message;
    const known = refusalIn(error.reason);
    return known ? t.refusals[known] : `${t.errors.platform_refused} ${description}`;
  }
  const wrong = wrongFields(error);
  if (wrong.length > 1) return t.severalProblems;
  if (wrong[0]) return wrongFieldWords(wrong[0], t);
  return ownWords(error, t) || reasonWords(error.message, error.reason, t.reasons);
}

/** Returns the text for a code; '' if the service's sentence is better. */
function ownWords(error: ApiError, t: Messages): string {
  return t.errors[error.code as keyof Messages['errors']] ?? '';
}

/** Describes why a send failed, as the service stored it. */
export function sendErrorWords(
  error: string,
  detail: AnyReason | null | undefined,
  t: Messages,
): string {
  const known = refusalIn(detail);
  return known ? t.refusals[known] : reasonWords(error, detail, t.reasons);
}

/** Returns the service's sentence if it says more than the text of the web UI; otherwise ''. */
export function errorDetail(error: unknown, t: Messages): string {
  if (!(error instanceof ApiError)) return '';
  if (error.code === 'platform_refused') {
    return refusalIn(error.reason) ? (error.platform?.description ?? error.message) : '';
  }
  if (!telling.has(error.code) || wrongFields(error).length > 0) return '';
  return ownWords(error, t) ? reasonWords(error.message, error.reason, t.reasons) : '';
}

/** The problem of one field, shown below it. */
export function fieldProblem(error: unknown, field: string, t: Messages): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const found = error.details.find((one) => one.field === field);
  if (found?.problem === undefined) return undefined;
  return problemWords({ field, problem: found.problem, reason: reasonInDetail(found) }, t);
}

interface WrongField {
  field: string;
  problem: string;
  reason: AnyReason | null;
}

/** The fields that the service rejected. */
export function wrongFields(error: unknown): WrongField[] {
  if (!(error instanceof ApiError) || error.code !== 'invalid_request') return [];
  return error.details.flatMap(({ field, problem, ...problemDetail }) =>
    field && problem ? [{ field, problem, reason: reasonInDetail(problemDetail) }] : [],
  );
}

/** Adds the label of the field. */
export function wrongFieldWords(wrong: WrongField, t: Messages): string {
  const name = t.fieldNames[wrong.field];
  const words = problemWords(wrong, t);
  return name === undefined ? words : t.common.labelled(name, words);
}

function problemWords({ field, problem, reason }: WrongField, t: Messages): string {
  const form = t.fieldForms[field];
  const isForm = form !== undefined && reason?.code === 'wrong_form';
  return isForm ? form : reasonWords(problem, reason, t.reasons);
}

/** Returns true if every problem is already shown below a field. */
export function isShownAtFields(error: unknown, fields: string[]): boolean {
  if (!(error instanceof ApiError) || error.details.length === 0) return false;
  return error.details.every((one) => one.field !== undefined && fields.includes(one.field));
}
