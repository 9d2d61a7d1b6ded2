import type { SyntheticEvent } from 'react';

/** Handles the submission of a form in place of the browser, which would load the page again. */
export const withoutReload = (submit: () => void) => (event: SyntheticEvent) => {
  event.preventDefault();
  submit();
};
