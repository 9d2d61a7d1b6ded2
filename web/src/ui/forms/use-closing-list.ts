import { useState } from 'react';

/** Closes a list of several choices after each: it may cover the button that is wanted next. */
export function useClosingList() {
  const [isOpen, setOpen] = useState(false);
  return {
    dropdownOpened: isOpen,
    openOnFocus: false,
    onDropdownOpen: () => setOpen(true),
    onDropdownClose: () => setOpen(false),
    onOptionSubmit: () => setOpen(false),
  };
}
