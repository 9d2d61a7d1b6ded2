import { isTimeZone } from '../../core/alerts/quiet-hours.ts';
import type { DeskOptions, LocalText } from '../../core/desks/desk-options.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField } from '../../errors.ts';

/** Checks what a schema cannot: the time zone, and one text for each language. */
export function checkOptions(options: DeskOptions): void {
  const { working_hours: hours } = options;
  if (hours && !isTimeZone(hours.timezone)) {
    throw invalidField('working_hours.timezone', reason('not_a_timezone'));
  }
  for (const field of ['away_replies', 'ban_replies', 'rating_questions'] as const) {
    checkTexts(field, options[field]);
  }
}

function checkTexts(field: string, texts: readonly LocalText[]): void {
  const languages = texts.map(({ language }) => language.toLowerCase());
  const twice = languages.find((language, index) => languages.indexOf(language) !== index);
  if (twice !== undefined) {
    throw invalidField(field, reason('language_twice', { language: twice }));
  }
}
