import { Modal, type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/use-t.tsx';
import { useFocusBack } from '../use-focus-back.ts';

type DialogProps = Pick<ModalProps, 'size' | 'closeOnClickOutside' | 'closeOnEscape'> & {
  /** Not needed if the dialog is only mounted while it is open. */
  opened?: boolean;
  title: string;
  onClose: () => void;
  children: ReactNode;
};

/** The body scrolls, so that its end never touches the lower edge of the dialog. */
const styles = {
  content: { display: 'flex', flexDirection: 'column', overflow: 'hidden', paddingBottom: 16 },
  header: { flexShrink: 0 },
  body: { overflowY: 'auto', paddingBottom: 4 },
} satisfies ModalProps['styles'];

/** A modal dialog; its cross has a label in the user's language. */
export function Dialog({ opened = true, ...props }: DialogProps) {
  const { common } = useT();
  useFocusBack(opened);
  return (
    <Modal
      opened={opened}
      returnFocus={false}
      styles={styles}
      closeButtonProps={{ 'aria-label': common.close }}
      {...props}
    />
  );
}
