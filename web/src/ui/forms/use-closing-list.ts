import { useState } from 'react';

/** Closes a list with several choices after each choice, because it may cover the next button. */
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
