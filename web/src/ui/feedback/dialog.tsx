import { Button, Group, Modal, type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/use-t.tsx';
import { ErrorBox } from '../../shared/error-box.tsx';
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

/** The end of a form in a dialog: what went wrong, the way out and the way on. */
export function FormEnd(props: {
  submit: string;
  error?: unknown;
  busy: boolean;
  disabled?: boolean;
  danger?: boolean;
  /** Left out where the form has no other way out than the cross. */
  onCancel?: () => void;
}) {
  const { common } = useT();
  return (
    <>
      {props.error ? <ErrorBox error={props.error} /> : null}
      <Group justify="flex-end" mt="sm">
        {props.onCancel ? (
          <Button variant="default" onClick={props.onCancel}>
            {common.cancel}
          </Button>
        ) : null}
        <Button
          type="submit"
          loading={props.busy}
          disabled={props.disabled ?? false}
          {...(props.danger ? { color: 'red.9' } : {})}
        >
          {props.submit}
        </Button>
      </Group>
    </>
  );
}
