import type { RightsCheck } from '../../../api/people.ts';
import type { Messages } from '../../../i18n/messages.ts';
import { reasonWords } from '../../../i18n/reasons.ts';

/** Why the bot may not do it; '' when it may, or when nobody has asked yet. */
export function whyNot(
  words: readonly RightsCheck[] | undefined,
  action: RightsCheck['action'],
  t: Messages,
): string {
  const verdict = words?.find((one) => one.action === action);
  if (!verdict || verdict.allowed) return '';
  if (verdict.missing !== '') return t.rights.needs(t.rights.names[verdict.missing]);
  return reasonWords(verdict.reason, verdict.reason_detail, t.reasons);
}
