import { useBlocker } from '@tanstack/react-router';
import { useT } from '../../i18n/use-t.tsx';
import { Confirm } from '../feedback/confirm.tsx';

/** Asks before unsaved changes are lost. */
export function KeepDraft(props: { isChanged: boolean }) {
  const { isChanged } = props;
  const { common } = useT();
  const leaving = useBlocker({
    // After a sign-out there is nothing to return to.
    shouldBlockFn: ({ next }) => next.pathname !== '/sign-in',
    enableBeforeUnload: isChanged,
    disabled: !isChanged,
    withResolver: true,
  });
  return (
    <Confirm
      opened={leaving.status === 'blocked'}
      onClose={() => leaving.reset?.()}
      onConfirm={() => leaving.proceed?.()}
      title={common.unsaved}
      confirmLabel={common.leave}
    >
      {common.unsavedHint}
    </Confirm>
  );
}
