import { routingReasons } from '../../../../src/core/reasons/routing.ts';
import { timelineReasons } from '../../../../src/core/reasons/timeline.ts';
import type { ReasonTexts } from '../reasons.ts';

/** Only the messages that the page words differently from the service, or fills with names. */
export const reasons: Partial<ReasonTexts> = {
  ...routingReasons,
  ...timelineReasons,

  wrong_form: 'Contains characters that are not allowed.',
  public_address_needed:
    'Webhooks need a public URL. Set RELAY_PUBLIC_URL and restart the service, or turn this off.',
  backend_address_needed: 'Enter a backend URL.',
  not_an_address: ({ example }) => `Start with http:// or https://, for example ${example}`,
  credentials_in_address:
    'Remove the username and password from the URL. Use the secret token instead.',
  keyword_needed: 'Enter at least one keyword.',
  pattern_needed: 'Enter a pattern.',
  not_a_command: 'Enter a command such as /start: at most 32 letters, digits and underscores.',
  not_an_id: ({ of }) => `Enter a ${of} ID in digits.`,
  needed_while_enabled: 'Required while the model is on.',
  no_backend: 'This bot has no backend. Set a backend URL in its settings.',
  backend_redirected: ({ status }) =>
    `answered ${status}: enter the final URL, redirects are not followed`,

  verbatim: ({ text }) => text,
};
