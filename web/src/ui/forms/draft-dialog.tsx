import { type ComponentProps, useState } from 'react';
import { useT } from '../../i18n/use-t.tsx';
import { Confirm } from '../feedback/confirm.tsx';
import { Dialog } from '../feedback/dialog.tsx';

/** A dialog that asks before it closes with unsaved changes. */
export function DraftDialog({
  isChanged,
  onClose,
  ...props
}: ComponentProps<typeof Dialog> & { isChanged: boolean }) {
  const { common } = useT();
  const [asks, setAsks] = useState(false);
  return (
    <>
      <Dialog
        {...props}
        onClose={() => (isChanged ? setAsks(true) : onClose())}
        closeOnEscape={!asks}
      />
      {/* Mounted only while it asks, because the Escape key that opens it would also close it. */}
      {asks ? (
        <Confirm
          opened
          onClose={() => setAsks(false)}
          onConfirm={() => {
            setAsks(false);
            onClose();
          }}
          title={common.unsaved}
          confirmLabel={common.leave}
        >
          {common.unsavedHint}
        </Confirm>
      ) : null}
    </>
  );
}
