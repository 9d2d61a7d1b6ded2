import type { SyntheticEvent } from 'react';

/**
 * Handles the submission of a form in place of the browser, which would load the page again. React
 * passes it on from a dialog to the form that shows the dialog, which is not meant.
 */
export const withoutReload = (submit: () => void) => (event: SyntheticEvent) => {
  event.preventDefault();
  event.stopPropagation();
  submit();
};
