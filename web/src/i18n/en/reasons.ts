import { routingReasons } from '../../../../src/core/reasons/routing.ts';
import type { ReasonTexts } from '../reasons.ts';

/**
 * The service speaks English: here are only the messages for which the page has better words, and
 * those in which it puts names in place of numbers.
 */
export const reasons: Partial<ReasonTexts> = {
  ...routingReasons,

  wrong_form: 'Some of these characters are not allowed here.',
  public_address_needed:
    'Telegram needs a public address to call. Set RELAY_PUBLIC_URL and restart the service, or leave this off.',
  backend_address_needed: 'Enter the address to pass updates on to.',
  not_an_address: ({ example }) => `Start with http:// or https://, such as ${example}`,
  credentials_in_address:
    'Leave user name and password out of the address; use the secret instead.',
  needed_while_enabled: 'Needed while the model is on.',
  no_backend: 'This bot has no backend address. Set one in its settings.',
  backend_redirected: ({ status }) =>
    `answered ${status}: redirects are not followed, enter the final address`,

  verbatim: ({ text }) => text,
};
