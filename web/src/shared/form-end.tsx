import { Button, Group } from '@mantine/core';
import { useT } from '../i18n/use-t.tsx';
import { ErrorBox } from './error-box.tsx';

/** The end of a form in a dialog: the error, cancel and submit. */
export function FormEnd(props: {
  submit: string;
  error?: unknown;
  busy: boolean;
  disabled?: boolean;
  danger?: boolean;
  /** Without it, only the cross closes the dialog. */
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
