import type { BackendCheck } from '../api/deliveries.ts';
import type { AnyReason } from '../../../src/core/reasons/shape.ts';
import type { Bot } from '../api/client/types.ts';
import type { Format } from '../i18n/format.ts';
import { reasonWords } from '../i18n/reasons.ts';
import type { Messages } from '../i18n/messages.ts';

/** An older success does not show the current state. */
const freshMs = 5 * 60_000;

type Seen = Pick<
  Bot,
  'backend_status' | 'backend_error' | 'backend_error_detail' | 'backend_seen_at'
>;

/** Returns true if the backend accepted an update or answered a check within the last minutes. */
export function answersNow(
  bot: Pick<Seen, 'backend_status' | 'backend_seen_at'>,
  now: number,
): boolean {
  return bot.backend_status === 'ok' && now - Date.parse(bot.backend_seen_at) < freshMs;
}

/** Returns a text for a check that was answered with another status than 2xx; otherwise ''. */
export function oddAnswer(check: BackendCheck | undefined, t: Messages, format: Format): string {
  if (!check?.reachable || (check.status >= 200 && check.status < 300)) return '';
  const took = format.duration(check.duration_ms);
  const words = t.bot.backendAnsweredWith(String(check.status), took);
  // Many backends accept only POST, so a 4xx is fine. A redirect or a 5xx would fail for an update,
  // too.
  return check.status >= 400 && check.status < 500 ? t.bot.backendReachable(words) : words;
}

/** Returns true if the backend did answer, so it can be reached. */
export function isAnswer(detail: AnyReason | null | undefined): boolean {
  return detail?.code === 'backend_answered' || detail?.code === 'backend_redirected';
}

/** "6 minutes ago"; '' for an unknown time. The browser's clock may be a little behind. */
export function seenAgo(at: string, now: number, format: Format): string {
  return at === '' ? '' : format.ago(at, Math.max(now, Date.parse(at)));
}

/** Says why and when the last delivery or check failed; '' if it did not. */
export function backendProblem(bot: Seen, now: number, t: Messages, format: Format): string {
  if (bot.backend_error === '') return '';
  return [
    reasonWords(bot.backend_error, bot.backend_error_detail, t.reasons),
    seenAgo(bot.backend_seen_at, now, format),
  ]
    .filter(Boolean)
    .join(' · ');
}
