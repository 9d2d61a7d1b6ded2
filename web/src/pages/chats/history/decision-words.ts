import type { RightsCheck } from '../../../api/people.ts';
import type { Messages } from '../../../i18n/messages.ts';
import { reasonWords } from '../../../i18n/reasons.ts';

/** Returns why the bot may not do it; '' if it may, or if that is unknown. */
export function whyNot(
  words: readonly RightsCheck[] | undefined,
  action: RightsCheck['action'],
  t: Messages,
): string {
  const decision = words?.find((one) => one.action === action);
  if (!decision || decision.allowed) return '';
  if (decision.missing !== '') return t.rights.needs(t.rights.names[decision.missing]);
  return reasonWords(decision.reason, decision.reason_detail, t.reasons);
}
