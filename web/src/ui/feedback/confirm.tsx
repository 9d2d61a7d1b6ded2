import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/use-t.tsx';
import { Dialog } from './dialog.tsx';

/** Asks before an action that cannot be undone, and says what it does. */
export function Confirm(props: {
  opened: boolean;
  onClose: () => void;
  onConfirm: () => void;
  title: string;
  confirmLabel: string;
  busy?: boolean;
  disabled?: boolean;
  children: ReactNode;
}) {
  const { common } = useT();
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={props.title}>
      {props.children}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={props.onClose} data-autofocus>
          {common.cancel}
        </Button>
        <Button
          color="red.9"
          loading={props.busy ?? false}
          disabled={props.disabled ?? false}
          onClick={props.onConfirm}
        >
          {props.confirmLabel}
        </Button>
      </Group>
    </Dialog>
  );
}
