import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { type Admin, setAdminTitle } from '../../../api/admins.ts';
import type { ChatKey } from '../../../api/chats.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Dialog } from '../../../ui/feedback/dialog.tsx';
import { FormEnd } from '../../../shared/form-end.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { speakerName } from '../history/history-items.ts';
import css from '../person.module.css';
import { maxTitleLength } from './rights-dialog.tsx';
import { withoutReload } from '../../../ui/forms/without-reload.ts';

export function TitleDialog(props: { chatKey: ChatKey; admin: Admin; onClose: () => void }) {
  const { admin, chatKey } = props;
  const t = useT();
  const [title, setTitle] = useState(admin.title);
  const name = speakerName(admin);
  const who = { ...chatKey, user_id: admin.user_id };
  const restore = useAction({
    run: () => setAdminTitle(who, admin.title),
    refreshes: [['people', chatKey.bot_id]],
  });
  const save = useAction({
    run: () => setAdminTitle(who, title.trim()),
    quiet: true,
    refreshes: [['people', chatKey.bot_id]],
    done: () => {
      props.onClose();
      return { words: t.admins.titled(name), undo: () => restore.mutate(undefined) };
    },
  });
  return (
    <Dialog onClose={props.onClose} title={t.admins.titleOf(name)}>
      <form className={css.form} onSubmit={withoutReload(() => save.mutate(undefined))}>
        <TextInput
          label={t.admins.customTitle}
          description={t.admins.customTitleHint}
          data-autofocus
          maxLength={maxTitleLength}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <FormEnd
          submit={t.common.save}
          error={save.error}
          busy={save.isPending}
          disabled={title.trim() === admin.title}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}
