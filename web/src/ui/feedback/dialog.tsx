import { Modal, type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/use-t.tsx';
import { useFocusBack } from '../use-focus-back.ts';

type DialogProps = Pick<ModalProps, 'size' | 'closeOnClickOutside' | 'closeOnEscape'> & {
  /** Not needed where the dialog is only mounted while it is open. */
  opened?: boolean;
  title: string;
  onClose: () => void;
  children: ReactNode;
};

/** A modal dialog; its cross has a label in the user's language. */
export function Dialog({ opened = true, ...props }: DialogProps) {
  const { common } = useT();
  useFocusBack(opened);
  return (
    <Modal
      opened={opened}
      returnFocus={false}
      closeButtonProps={{ 'aria-label': common.close }}
      {...props}
    />
  );
}
