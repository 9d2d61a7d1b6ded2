import { useBlocker } from '@tanstack/react-router';
import { useT } from '../../i18n/use-t.tsx';
import { Confirm } from '../feedback/confirm.tsx';

/** Asks before something that was written and not saved is left behind. */
export function KeepDraft(props: { isChanged: boolean }) {
  const { isChanged } = props;
  const { common } = useT();
  const leaving = useBlocker({
    // Whoever is signed out has nothing to go back to.
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
