import { Modal, type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/use-t.tsx';
import { useFocusBack } from '../use-focus-back.ts';

type DialogProps = Pick<ModalProps, 'size' | 'closeOnClickOutside' | 'closeOnEscape'> & {
  /** Left out where it is only mounted while it is open. */
  opened?: boolean;
  title: string;
  onClose: () => void;
  children: ReactNode;
};

/** A window over the page; its cross is named in the reader's language. */
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
