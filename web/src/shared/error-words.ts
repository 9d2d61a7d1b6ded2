import { ApiError } from '../api/client/error.ts';
import type { Messages } from '../i18n/en.ts';
import { inWords } from '../i18n/phrase.ts';

/** Codes whose sentence tells something that the code alone does not. */
const telling = new Set([
  'invalid_request',
  'invalid_credentials',
  'conflict',
  'idempotency_mismatch',
  'token_refused',
  'token_taken',
  'payload_too_large',
  'unsupported_media_type',
  'database_unavailable',
  'platform_unreachable',
]);

/** What Telegram says is English and for programmers; the frequent ones have words of their own. */
const refused: [RegExp, keyof Messages['refusals']][] = [
  [
    /not enough rights|need administrator|admin_required|have no rights|lacks? the right/i,
    'noRights',
  ],
  [/business_peer_usage_missing/i, 'accountTooLate'],
  [/business_connection_invalid|business connection not found/i, 'accountOver'],
  [/chat not found|peer_id_invalid/i, 'noChat'],
  [/blocked by the user|user is deactivated|can't initiate conversation/i, 'blocked'],
  [/bot was kicked|bot is not a member|chat was deleted|group chat was deactivated/i, 'notThere'],
  [/message (to \w+|to be \w+) not found|message_id_invalid/i, 'gone'],
  [/message can't be deleted/i, 'tooOld'],
  [/is not modified/i, 'same'],
  [/user is an administrator|can't remove chat owner/i, 'isAdmin'],
  [/user not found|participant_id_invalid|user_not_participant/i, 'noPerson'],
  [/too (big|large)/i, 'tooLarge'],
  [/photo_invalid_dimensions|image_process_failed|wrong file type/i, 'badPicture'],
];

/** A failure in the reader's language, as something they can act on. */
export function errorWords(error: unknown, t: Messages): string {
  if (!(error instanceof ApiError)) return t.common.brokenPageHint;
  if (error.code === 'platform_refused') {
    const said = error.platform?.description ?? error.message;
    const known = refused.find(([pattern]) => pattern.test(said));
    return known ? t.refusals[known[1]] : `${t.errors.platform_refused} ${said}`;
  }
  const wrong = wrongFields(error);
  if (wrong.length > 1) return t.severalProblems;
  if (wrong[0]) return wrongFieldWords(wrong[0], t);
  const known = t.errors[error.code as keyof Messages['errors']];
  return known || inWords(error.message, t.phrases);
}

/** Why something that was sent did not arrive, as the service keeps it with the send. */
export function sendErrorWords(error: string, t: Messages): string {
  const known = refused.find(([pattern]) => pattern.test(error));
  return known ? t.refusals[known[1]] : inWords(error, t.phrases);
}

/** The service's own sentence, where it says more than our words do; else ''. */
export function errorDetail(error: unknown, t: Messages): string {
  if (!(error instanceof ApiError)) return '';
  if (error.code === 'platform_refused') {
    const said = error.platform?.description ?? error.message;
    return errorWords(error, t).endsWith(said) ? '' : said;
  }
  if (!telling.has(error.code) || wrongFields(error).length > 0) return '';
  const sentence = inWords(error.message, t.phrases);
  return sentence === errorWords(error, t) ? '' : sentence;
}

/** The problem named for one field of a form; it stands below that field. */
export function fieldProblem(error: unknown, field: string, t: Messages): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const problem = error.details.find((one) => one.field === field)?.problem;
  return problem === undefined ? undefined : problemWords(field, problem, t);
}

interface WrongField {
  field: string;
  problem: string;
}

/** The fields that the service found wrong. */
export function wrongFields(error: unknown): WrongField[] {
  if (!(error instanceof ApiError) || error.code !== 'invalid_request') return [];
  return error.details.flatMap(({ field, problem }) =>
    field && problem ? [{ field, problem }] : [],
  );
}

/** With the name of the field as forms show it. */
export function wrongFieldWords({ field, problem }: WrongField, t: Messages): string {
  const name = t.fieldNames[field];
  const words = problemWords(field, problem, t);
  return name === undefined ? words : `${name}: ${words}`;
}

function problemWords(field: string, problem: string, t: Messages): string {
  const form = t.fieldForms[field];
  const isForm = form !== undefined && problem.startsWith('must have the form ');
  return isForm ? form : inWords(problem, t.phrases);
}

/** Whether every problem stands below a field of the form already, so that it need not be said twice. */
export function isShownAtFields(error: unknown, fields: string[]): boolean {
  if (!(error instanceof ApiError) || error.details.length === 0) return false;
  return error.details.every((one) => one.field !== undefined && fields.includes(one.field));
}
